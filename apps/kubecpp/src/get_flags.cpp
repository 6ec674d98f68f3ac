// SPDX-License-Identifier: Apache-2.0
//
// The flags of `kubecpp get`.
#include <cstdint>
#include <limits>
#include <memory>

#include "flags.hpp"
#include "get_command.hpp"

namespace kubecpp {
namespace {

void add_watch_flags(CLI::App& command, GetCommandOptions& get) {
  command.add_flag("-w,--watch", get.watch, "Print the objects, then each change until stopped");
  command.add_flag("--watch-only", get.watch_only, "Print only changes");
  command.add_flag("--output-watch-events", get.output_watch_events,
                   "Print the type of each event: ADDED, MODIFIED or DELETED");
}

void add_table_flags(CLI::App& command, GetCommandOptions& get) {
  command.add_flag("--no-headers", get.no_headers, "Omit the headers of a table");
  command.add_flag("--show-kind", get.show_kind, "Print the resource before each name");
  command.add_flag("--show-labels", get.show_labels, "Print all labels in the last column");
  command
      .add_option("-L,--label-columns", get.label_columns,
                  "Labels to print in columns, separated by commas; repeatable")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--sort-by", get.sort_by,
                     "Field to sort by, as a JSON path such as {.metadata.name}");
}

}  // namespace

Runner add_get(CLI::App& command) {
  const auto options = std::make_shared<GetCommandOptions>();
  GetCommandOptions& get = *options;
  add_targets(
      command, get.targets,
      "Resource, such as pods, po, deployments.apps or pods,services, followed by names; or "
      "RESOURCE/NAME...; or a category, such as all");
  add_files(command, get.files);
  add_recursive(command, get.recursive);
  command.add_option("--subresource", get.subresource,
                     "Subresource of named objects to print, such as status or scale");
  command.add_option("--raw", get.raw, "Path of the server to print, such as /version");
  add_selection(command, get);
  command
      .add_option(
          "-o,--output", get.output,
          "Output format: table, wide, json, yaml, name, jsonpath=TEMPLATE, "
          "jsonpath-as-json=TEMPLATE, jsonpath-file=FILE, custom-columns=HEADER:PATH,... or "
          "custom-columns-file=FILE")
      ->capture_default_str();
  command.add_flag("--allow-missing-template-keys", get.allow_missing_keys,
                   "Ignore members that objects do not have; true by default");
  add_managed_fields(command, get.managed_fields);
  add_table_flags(command, get);
  add_watch_flags(command, get);
  command.add_flag("--ignore-not-found", get.ignore_not_found,
                   "Succeed when named objects do not exist");
  command
      .add_option("--chunk-size", get.chunk_size,
                  "Maximum number of objects in one request; 0 means no limit")
      ->check(from_to(0, std::numeric_limits<std::int64_t>::max()).description(""))
      ->capture_default_str();
  add_connection(command, get.connection);
  return [options](Output& out) { return run_get(*options, out); };
}

}  // namespace kubecpp
