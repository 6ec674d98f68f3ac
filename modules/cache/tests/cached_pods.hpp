// SPDX-License-Identifier: Apache-2.0
//
// Pods of a cache whose only references are the ones returned, so that AddressSanitizer sees what
// outlives them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/cached_list.hpp>

namespace kube::cache::testing {

using core::v1::Pod;

inline Cached<Pod> pod_on(std::string_view name, std::string_view node) {
  const std::string body = R"({"metadata":{"namespace":"web","name":")" + std::string(name) +
                           R"("},"spec":{"nodeName":")" + std::string(node) +
                           R"(","containers":[{"name":"app","image":"shop/front:1.2.3.4.5"}]}})";
  return Cached<Pod>(Cell::make(
      cell_type<Pod>(),
      {.namespace_ = "web", .name = name, .uid = "u", .resource_version = "5", .body = body}));
}
inline CachedList<Pod> two_pods() {
  return std::vector<Cached<Pod>>{pod_on("a", "n2"), pod_on("b", "n1")};
}
inline Result<Cached<Pod>> found_pod() {
  return pod_on("a", "a node with a long name");
}

}  // namespace kube::cache::testing
