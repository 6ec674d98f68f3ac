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

/// Changes all the objects in the same way; returns the exit status. One that fails stops none
/// behind it.
int run_patch(const PatchCommandOptions& options, Output& out);

}  // namespace kubecpp
