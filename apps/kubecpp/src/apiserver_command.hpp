// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kubecpp {

struct ApiserverOptions {
  std::string listen = "127.0.0.1:0";
  std::vector<std::string> load{};
  std::string kubeconfig_out{};
};

/// Serves until SIGINT or SIGTERM; returns the exit status.
int run_apiserver(const ApiserverOptions& options);

}  // namespace kubecpp
