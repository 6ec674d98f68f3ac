// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp cluster-info`: the URLs of the control plane and of the services of the cluster.
#pragma once

#include <string>

#include "command.hpp"

namespace kubecpp {

struct ClusterInfoOptions {
  ConnectionOptions connection{};
  std::string namespace_{};  ///< Empty: kube-system.
};

/// Returns the exit status.
int run_cluster_info(const ClusterInfoOptions& options, Output& out);

Runner add_cluster_info(CLI::App& command);

}  // namespace kubecpp
