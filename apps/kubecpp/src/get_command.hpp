// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get`: prints objects as a table, JSON or YAML.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

enum class GetOutput { Table, Wide, Json, Yaml, Name };

struct GetCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> targets{};  ///< See parse_targets().
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  bool no_headers = false;
  GetOutput output = GetOutput::Table;
};

/// Prints objects, or all objects of resources; returns the exit status. It prints the others when
/// some are not found.
int run_get(const GetCommandOptions& options, Output& out);

}  // namespace kubecpp
