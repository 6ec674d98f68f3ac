// SPDX-License-Identifier: Apache-2.0
//
// Pods that tests put into stores and queues of their own.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/make_cached.hpp>

namespace kube::cache::testing {

/// `key` is "namespace/name" or "name".
inline core::v1::Pod part_pod(std::string_view key, std::string_view version,
                              std::string_view node = {}, std::string_view uid = "u") {
  core::v1::Pod pod;
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos) pod.metadata.namespace_ = key.substr(0, slash);
  pod.metadata.name = key.substr(slash + 1);
  pod.metadata.uid = uid;
  pod.metadata.resource_version = version;
  pod.spec.node_name = node;
  return pod;
}
inline Cached<core::v1::Pod> cached_part(std::string_view key, std::string_view version,
                                         std::string_view node = {}, std::string_view uid = "u") {
  return make_cached(part_pod(key, version, node, uid));
}

/// "x/a@5"
inline std::string show_part(const Cached<core::v1::Pod>& pod) {
  if (!pod) return "none";
  return std::string(pod.key()) + "@" + std::string(pod.resource_version());
}
/// Sorted, since the order of a store is none.
inline std::vector<std::string> show_parts(const CachedList<core::v1::Pod>& pods) {
  std::vector<std::string> shown;
  for (const auto& pod : pods) shown.push_back(show_part(pod));
  std::sort(shown.begin(), shown.end());
  return shown;
}

/// "added x/a@5", "tombstone x/a@5", "list of 2@10"
inline std::string show_delta(const kube::Delta<core::v1::Pod>& delta) {
  switch (delta.type) {
    case DeltaType::Added:
      return "added " + show_part(delta.object);
    case DeltaType::Updated:
      return "updated " + show_part(delta.object);
    case DeltaType::Deleted:
      return (delta.final_state_unknown ? "tombstone " : "deleted ") + show_part(delta.object);
    case DeltaType::Replaced:
      if (delta.object) return "replaced " + show_part(delta.object);
      return "list of " + std::to_string(delta.list.size()) + "@" + delta.resource_version;
    case DeltaType::Sync:
      return delta.object ? "sync " + show_part(delta.object) : "sync all";
    case DeltaType::Bookmark:
      return "bookmark " + delta.resource_version;
  }
  return "";
}

inline std::vector<std::string> node_of(const Cached<core::v1::Pod>& pod) {
  if (pod->spec.node_name.empty()) return {};
  return {pod->spec.node_name};
}

}  // namespace kube::cache::testing
