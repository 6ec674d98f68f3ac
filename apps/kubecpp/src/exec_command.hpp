// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp exec`: runs a command in a container.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "session_pod.hpp"

namespace kubecpp {

struct ExecCommandOptions : SessionOptions {
  std::vector<std::string> command{};  ///< Of the container.
};

/// Returns the exit status of the command.
int run_exec(const ExecCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_exec(CLI::App& command);

}  // namespace kubecpp
