// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.hpp"

namespace kubecpp {

enum class WatchOutput { Name, Json, Wide };

struct WatchOptions {
  ConnectionOptions connection{};
  std::string resource{};  ///< "pods", "po", "deployments.apps", "Pod"
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  WatchOutput output = WatchOutput::Name;
};

/// Prints a line an event until SIGINT or SIGTERM; returns the exit status.
int run_watch(const WatchOptions& options);

}  // namespace kubecpp
