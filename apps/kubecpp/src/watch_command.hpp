// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp watch`: prints a line for each event of a resource.
#pragma once

#include <string>

#include "command.hpp"
#include "output.hpp"
#include "watch_printer.hpp"

namespace kubecpp {

struct WatchOptions {
  ConnectionOptions connection{};
  std::string resource{};  ///< "pods", "po", "deployments.apps", "Pod"
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  WatchOutput output = WatchOutput::Name;
};

/// Prints one line per event until SIGINT or SIGTERM, or until the reader has closed its end;
/// returns the exit status.
int run_watch(const WatchOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_watch(CLI::App& command);

}  // namespace kubecpp
