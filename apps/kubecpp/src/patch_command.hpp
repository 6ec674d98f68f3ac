// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp patch`: changes objects by a patch.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"

namespace kubecpp {

struct PatchCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> targets{};  ///< See parse_targets(); each with a name.
  std::string namespace_{};
  std::string type = "strategic";  ///< "strategic", "merge" or "json"
  std::string patch{};             ///< JSON or YAML.
  ResultOutput output = ResultOutput::Words;
};

/// Applies the same patch to all objects; returns the exit status. It continues after an object
/// that fails.
int run_patch(const PatchCommandOptions& options, Output& out);

}  // namespace kubecpp
