// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get`: prints objects in any of the formats of -o, and with --watch their changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "output_format.hpp"
#include "table_printer.hpp"

namespace kubecpp {

struct GetCommandOptions {
  ConnectionOptions connection{};
  std::vector<std::string> targets{};  ///< See parse_targets().
  std::vector<std::string> files{};    ///< Instead of targets: the objects that files name.
  bool recursive = false;              ///< Also the folders in those of `files`.
  std::string subresource{};           ///< Of the objects, such as "status"; "": the objects.
  std::string raw{};                   ///< Instead of targets: a path of the server.
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  std::string output = "table";  ///< See parse_output_format().
  bool allow_missing_keys = true;
  bool no_headers = false;
  bool show_kind = false;
  bool managed_fields = false;
  bool show_labels = false;
  std::vector<std::string> label_columns{};
  std::string sort_by{};
  bool ignore_not_found = false;
  std::int64_t chunk_size = 500;
  bool watch = false;
  bool watch_only = false;
  bool output_watch_events = false;
};

/// Returns how the command prints tables, its own and those of the server.
TableOptions table_options(const GetCommandOptions& options, const OutputFormat& format,
                           bool with_namespace);

/// Prints objects, or all objects of resources; returns the exit status. It prints the others when
/// some are not found.
int run_get(const GetCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_get(CLI::App& command);

}  // namespace kubecpp
