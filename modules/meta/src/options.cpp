// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/options.hpp>

#include <kube/names/fields.hpp>

namespace kube {

PatchOptions to_patch_options(const ApplyOptions& options) {
  return {
      .dry_run = options.dry_run, .force = options.force, .field_manager = options.field_manager};
}

ListOptions single_object_options(std::string_view name, std::string_view resource_version) {
  return {.field_selector = fields::Selector::one_term_equal("metadata.name", name).to_string(),
          .resource_version = std::string(resource_version)};
}

Optional<ListOptions> watch_list_options(const ListOptions& options) {
  // A server's cache ignores the limit at version "0": only there can a watch replace the list.
  if (options.limit > 0 && options.resource_version != "0") return std::nullopt;
  if (options.resource_version_match == "Exact") return std::nullopt;
  if (!options.continue_.empty()) return std::nullopt;
  // A list is refused then, too.
  if (!options.resource_version_match.empty() && options.resource_version.empty())
    return std::nullopt;
  ListOptions watch = options;
  watch.limit = 0;
  watch.resource_version_match = "NotOlderThan";
  watch.allow_watch_bookmarks = true;
  watch.send_initial_events = true;
  return watch;
}

}  // namespace kube
