// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct PatchCommandOptions {
  ConnectionOptions connection{};
  std::string resource{};  ///< "pods" with a name, or "pods/web"
  std::string name{};
  std::string namespace_{};
  std::string type = "strategic";  ///< "strategic", "merge" or "json"
  std::string patch{};             ///< JSON or YAML.
};

/// Returns the exit status.
int run_patch(const PatchCommandOptions& options, Output& out);

}  // namespace kubecpp
