// SPDX-License-Identifier: Apache-2.0
#include "cache_check.hpp"

#include <set>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>

namespace kubecpp {
namespace {

// Clauses separated by "; ", at most ten of them.
class Differences {
 public:
  void add(const std::string& clause) {
    if (++count_ <= kMax) text_ += (text_.empty() ? "" : "; ") + clause;
  }
  std::string text() const {
    return count_ <= kMax ? text_ : text_ + "; and " + std::to_string(count_ - kMax) + " more";
  }

 private:
  static constexpr int kMax = 10;
  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string compare_versions(const Versions& cache, const Versions& server) {
  Differences differences;
  for (const auto& [key, version] : server) {
    const auto found = cache.find(key);
    if (found == cache.end()) {
      differences.add(key + " is missing in the cache");
    } else if (found->second != version) {
      differences.add(key + " has version " + found->second + " in the cache, " + version +
                      " on the server");
    }
  }
  for (const auto& [key, version] : cache) {
    if (!server.contains(key)) differences.add(key + " is in the cache only");
  }
  return differences.text();
}

std::string compare_counts(const PodCounts& counts) {
  std::set<std::string> namespaces;
  for (const auto& [name, count] : counts.written) namespaces.insert(name);
  for (const auto& [name, count] : counts.pods) namespaces.insert(name);
  Differences differences;
  for (const std::string& name : namespaces) {
    const auto pods = counts.pods.find(name);
    const std::string right = std::to_string(pods == counts.pods.end() ? 0 : pods->second);
    const auto written = counts.written.find(name);
    if (written == counts.written.end()) {
      differences.add(name + " has " + right + " pods, but no count");
    } else if (written->second != right) {
      differences.add(name + " has " + right + " pods, counted " + written->second);
    }
  }
  return differences.text();
}

kube::Result<std::string> wrong_counts(const kube::Client& client, std::stop_token stop) {
  auto pods = client.api<kube::core::v1::Pod>().list_all({}, stop);
  if (!pods) return pods.error();
  kube::ListOptions options;
  options.field_selector = "metadata.name=pod-count";
  auto maps = client.api<kube::core::v1::ConfigMap>().list_all(options, std::move(stop));
  if (!maps) return maps.error();
  PodCounts counts;
  for (const auto& pod : pods->items) ++counts.pods[pod.metadata.namespace_];
  for (const auto& map : maps->items) {
    const auto count = map.data.find("pods");
    counts.written[map.metadata.namespace_] = count == map.data.end() ? "nothing" : count->second;
  }
  return compare_counts(counts);
}

}  // namespace kubecpp
