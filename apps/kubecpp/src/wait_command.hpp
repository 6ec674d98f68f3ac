// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp wait`: waits for conditions of objects.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"
#include "selection.hpp"

namespace kubecpp {

struct WaitCommandOptions {
  ConnectionOptions connection{};
  Selection selection{};
  std::vector<std::string> conditions{};              ///< See parse_wait_condition().
  kube::Duration timeout = std::chrono::seconds(30);  ///< Zero: looks once; negative: a week.
  ResultOutput output = ResultOutput::Words;
};

/// Waits for all conditions of each object, one after the other, within the timeout; returns the
/// exit status.
int run_wait(const WaitCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_wait(CLI::App& command);

}  // namespace kubecpp
