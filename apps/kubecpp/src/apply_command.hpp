// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply`: brings a cluster's objects in line with files.
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

/// Applies the objects of files, on the server where it can do that, else with a three-way patch
/// against what was applied last; returns the exit status. An object that fails stops none behind
/// it. Json and Yaml print what has become of them, a List when there are several, unless any
/// failed.
int run_apply(const ApplyCommandOptions& options, Output& out);

}  // namespace kubecpp
