// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp demo`: runs a scheduler and a controller on an embedded server, under load.
#pragma once

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct DemoOptions {
  int nodes = 20;
  int pods = 500;
  int seconds = 10;
};

/// Runs the demo; returns the exit status: 0 when every cache equals the server at the end and the
/// counts of pods are correct; 130 when it was stopped before the load started.
int run_demo(const DemoOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_demo(CLI::App& command);

}  // namespace kubecpp
