// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply`: applies objects of files to a cluster.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"

namespace kubecpp {

struct ApplyCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> files{};
  std::string namespace_{};
  bool force_conflicts = false;
  ResultOutput output = ResultOutput::Words;
};

/// Applies the objects of files: by server-side apply when the server supports it, otherwise by a
/// three-way patch against the last applied configuration. Returns the exit status. It continues
/// after an object that fails. Json and Yaml print the resulting objects, as a List when there are
/// several, unless one failed.
int run_apply(const ApplyCommandOptions& options, Output& out);

}  // namespace kubecpp
