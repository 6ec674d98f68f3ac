// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

enum class GetOutput { Table, Wide, Json, Yaml, Name };

struct GetCommandOptions {
  ConnectionOptions connection{};
  std::string resource{};  ///< "pods", "po", "deployments.apps", or "pods/web"
  std::string name{};      ///< Empty: all of them.
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  bool no_headers = false;
  GetOutput output = GetOutput::Table;
};

/// Prints one object or all of a resource; returns the exit status.
int run_get(const GetCommandOptions& options, Output& out);

}  // namespace kubecpp
