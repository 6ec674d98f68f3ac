// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct DeleteCommandOptions {
  ConnectionOptions connection{};
  std::string resource{};  ///< "pods" with a name, or "pods/web"; empty with files.
  std::string name{};
  std::vector<std::string> files{};
  std::string namespace_{};
  bool ignore_not_found = false;
};

/// Deletes one object, or those of files, in the background; returns the exit status. Doesn't wait
/// for the end of what the server deletes later.
int run_delete(const DeleteCommandOptions& options, Output& out);

}  // namespace kubecpp
