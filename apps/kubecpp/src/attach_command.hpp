// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp attach`: connects to the process of a container.
#pragma once

#include "command.hpp"
#include "output.hpp"
#include "session_pod.hpp"

namespace kubecpp {

/// Returns the exit status.
int run_attach(const SessionOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_attach(CLI::App& command);

}  // namespace kubecpp
