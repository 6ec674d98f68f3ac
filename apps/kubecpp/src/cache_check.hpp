// SPDX-License-Identifier: Apache-2.0
//
// Compares the caches of informers, and the counts of the pod counter, with the server.
#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/api.hpp>
#include <kube/client/client.hpp>

namespace kubecpp {

/// Keys with their resourceVersions.
using Versions = std::map<std::string, std::string>;

/// Returns the differences, one clause each, at most ten; "" when there are none.
std::string compare_versions(const Versions& cache, const Versions& server);

/// Compares the counts that the example pod counter wrote with the number of pods, by namespace.
struct PodCounts {
  std::map<std::string, std::string> written{};  ///< Namespaces without a ConfigMap are missing.
  std::map<std::string, std::size_t> pods{};     ///< Namespaces without pods are missing.
};
/// Like compare_versions(). A namespace without pods needs no count.
std::string compare_counts(const PodCounts& counts);
/// Compares with the current state of the server.
kube::Result<std::string> wrong_counts(const kube::Client& client, std::stop_token stop);

template <kube::Object T>
Versions versions_in(const kube::SharedInformer<T>& informer) {
  Versions versions;
  for (const auto& object : informer.lister().list()) {
    versions.emplace(object.key(), object.resource_version());
  }
  return versions;
}

/// Returns the result of a consistent list with the same selection.
template <kube::Object T>
kube::Result<Versions> versions_on(const kube::Client& client, const std::string& field_selector,
                                   std::stop_token stop) {
  kube::ListOptions options;
  options.field_selector = field_selector;
  auto list = client.api<T>().list_all(options, std::move(stop));
  if (!list) return list.error();
  Versions versions;
  for (const T& object : list->items) {
    const kube::ObjectKey key{object.metadata.namespace_, object.metadata.name};
    versions.emplace(key.to_string(), object.metadata.resource_version);
  }
  return versions;
}

}  // namespace kubecpp
