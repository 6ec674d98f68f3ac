// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply`: applies objects of files to a cluster.
#pragma once

#include <string>

#include "apply_flags.hpp"
#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"

namespace kubecpp {

struct ApplyCommandOptions {
  ConnectionOptions connection{};
  ApplyFlags apply{};
  bool overwrite = true;            ///< Without --server-side: fields that others changed.
  std::string dry_run = "none";     ///< See parse_dry_run().
  std::string validate = "strict";  ///< See parse_validation().
  ResultOutput output = ResultOutput::Words;
};

/// Applies the objects of files as kubectl does: by a three-way patch against the last applied
/// configuration, or with --server-side by the server. Returns the exit status. It continues
/// after an object that fails. Json and Yaml print the resulting objects, as a List when there are
/// several, unless one failed.
int run_apply(const ApplyCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_apply(CLI::App& command);

}  // namespace kubecpp
