// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kubecpp {

struct DemoOptions {
  int nodes = 20;
  int pods = 500;
  int seconds = 10;
};

/// Runs the demo; returns the exit status: 0 when every cache equals the server at the end.
int run_demo(const DemoOptions& options);

}  // namespace kubecpp
