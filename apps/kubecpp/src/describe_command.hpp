// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp describe`: prints objects for people, with their events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct DescribeOptions {
  ConnectionOptions connection{};
  std::vector<std::string> targets{};  ///< See parse_targets(). Empty with `files`.
  std::vector<std::string> files{};
  bool recursive = false;  ///< Also the folders in those of `files`.
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::optional<bool> show_events{};  ///< std::nullopt: of a single object.
  std::int64_t chunk_size = 500;
};

/// Prints each object; returns the exit status. A name that does not exist means the objects whose
/// names begin with it. It continues after an object that fails.
int run_describe(const DescribeOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_describe(CLI::App& command);

}  // namespace kubecpp
