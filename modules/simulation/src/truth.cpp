// SPDX-License-Identifier: Apache-2.0
#include "truth.hpp"

#include <algorithm>

#include "stage.hpp"

namespace kube::testing {

ObjectKey object_key_of(const std::string& key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string::npos) return {"", key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

void Truth::follow(const Stage& stage) {
  for (apiserver::StoreWrite& write : stage.writes(position_)) {
    ++position_;
    Resource& resource = resources_[write.resource];
    const std::string key = write.key.to_string();
    // Threads that write at the same time report in any order.
    std::uint64_t& newest = resource.newest[key];
    const bool is_newest = newest < write.resource_version;
    if (is_newest) newest = write.resource_version;
    if (is_newest && write.deleted) resource.objects.erase(key);
    if (is_newest && !write.deleted) resource.objects[key] = {write.uid, write.resource_version};
    resource.writes.emplace(write.resource_version, std::move(write));
  }
}

std::uint64_t Truth::oldest_since(std::size_t restart, std::uint64_t version) const {
  for (; restart < restarts_.size(); ++restart) version = std::min(version, restarts_[restart]);
  return version;
}

const Truth::Resource& Truth::of(const std::string& resource) const {
  static const Resource nothing;
  const auto at = resources_.find(resource);
  return at == resources_.end() ? nothing : at->second;
}

}  // namespace kube::testing
