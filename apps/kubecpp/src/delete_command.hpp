// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp delete`: deletes objects by name or by file.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct DeleteCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string>
      targets{};  ///< See parse_targets(); each has a name. Empty with `files`.
  std::vector<std::string> files{};
  std::string namespace_{};
  bool ignore_not_found = false;
  bool names_only = false;  ///< -o name
};

/// Deletes objects with background propagation; returns the exit status. It continues after an
/// object that fails, and does not wait for finalizers.
int run_delete(const DeleteCommandOptions& options, Output& out);

}  // namespace kubecpp
