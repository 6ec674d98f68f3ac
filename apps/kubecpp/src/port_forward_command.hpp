// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp port-forward`: forwards local ports to a pod.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct PortForwardCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> words{};  ///< POD or TYPE/NAME, then ports.
  std::string namespace_{};
  std::vector<std::string> addresses{"localhost"};
  std::string pod_running_timeout = "1m0s";
};

/// Forwards until a signal, or until the pod is lost; returns the exit status.
int run_port_forward(const PortForwardCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_port_forward(CLI::App& command);

}  // namespace kubecpp
