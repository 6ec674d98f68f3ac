// SPDX-License-Identifier: Apache-2.0
//
// Remembers what a server serves.
#include <map>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/client/cached_discovery.hpp>

#include "remembered.hpp"

namespace kube {
namespace {

// An error that may be over when the server is asked again.
bool may_pass(const Error& error) {
  switch (error.code()) {
    case ErrorCode::Unreachable:
    case ErrorCode::Timeout:
    case ErrorCode::Cancelled:
      return true;
    default:
      return error.http_status() >= 500 || error.http_status() == 429;
  }
}

Result<ApiResourceList> not_empty(Result<ApiResourceList> list) {
  if (!list || !list->resources.empty()) return list;
  return Error(ErrorCode::Server,
               "received empty response for: " + list->group_version.to_string());
}

// The groups and resources of one fill.
struct Snapshot {
  std::vector<ApiGroup> groups{};
  bool aggregated = false;
  Mutex mutex;
  std::map<meta::GroupVersion, Result<ApiResourceList>> lists KUBE_GUARDED_BY(mutex);
};

}  // namespace

struct MemoryCachedDiscovery::State {
  std::shared_ptr<Discovery> delegate;
  std::shared_ptr<Clock> clock;
  Remembered<Snapshot> snapshot;
  Remembered<const json::Value> openapi_v2;
  Mutex mutex;
  std::shared_ptr<const OpenApi> openapi_v3 KUBE_GUARDED_BY(mutex);

  Result<std::shared_ptr<Snapshot>> fill(const std::stop_token& stop) const;
  Result<std::shared_ptr<Snapshot>> get(const std::stop_token& stop) {
    return snapshot.get(
        *clock, stop, [&] { return fill(stop); },
        [](const Snapshot& filled) { return !filled.groups.empty(); });
  }
};

Result<std::shared_ptr<Snapshot>> MemoryCachedDiscovery::State::fill(
    const std::stop_token& stop) const {
  Result<GroupsAndResources> all = delegate->groups_and_maybe_resources(stop);
  if (!all) return all.error();
  auto filled = std::make_shared<Snapshot>();
  const MutexLock lock(filled->mutex);  // of this thread alone
  filled->groups = std::move(all->found.groups);
  filled->aggregated = all->has_resources;
  for (const auto& [version, error] : all->found.failed) filled->lists.emplace(version, error);
  for (ApiResourceList& list : all->found.resources) {
    const meta::GroupVersion version = list.group_version;
    filled->lists.emplace(version, std::move(list));
  }
  if (filled->aggregated) return filled;
  std::vector<meta::GroupVersion> versions;
  for (const ApiGroup& group : filled->groups) {
    for (const std::string& name : group.versions) versions.push_back({group.name, name});
  }
  auto lists = delegate->server_resources_for_group_versions(versions, stop);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    auto list = not_empty(std::move(lists[i]));
    if (!list && list.error().code() == ErrorCode::Cancelled) return list.error();
    filled->lists.emplace(versions[i], std::move(list));
  }
  return filled;
}

MemoryCachedDiscovery::MemoryCachedDiscovery(std::shared_ptr<Discovery> delegate,
                                             std::shared_ptr<Clock> clock)
    : state_(std::make_unique<State>()) {
  state_->delegate = std::move(delegate);
  state_->clock = clock ? std::move(clock) : real_clock();
}
MemoryCachedDiscovery::~MemoryCachedDiscovery() = default;

Result<ApiResourceList> MemoryCachedDiscovery::server_resources_for_group_version(
    const meta::GroupVersion& version, std::stop_token stop) const {
  const auto filled = state_->get(stop);
  if (!filled) return filled.error();
  {
    const MutexLock lock((*filled)->mutex);
    const auto found = (*filled)->lists.find(version);
    if (found == (*filled)->lists.end()) {
      return Error(ErrorCode::Server, "not found").with_reason("NotFound").with_http_status(404);
    }
    if (found->second || !may_pass(found->second.error())) return found->second;
  }
  auto list = not_empty(state_->delegate->server_resources_for_group_version(version, stop));
  const MutexLock lock((*filled)->mutex);
  (*filled)->lists.insert_or_assign(version, list);
  return list;
}

Result<GroupsAndResources> MemoryCachedDiscovery::groups_and_maybe_resources(
    std::stop_token stop) const {
  const auto filled = state_->get(stop);
  if (!filled) return filled.error();
  GroupsAndResources all;
  all.found.groups = (*filled)->groups;
  all.has_resources = (*filled)->aggregated;
  if (!all.has_resources) return all;
  const MutexLock lock((*filled)->mutex);
  for (const ApiGroup& group : all.found.groups) {
    for (const std::string& name : group.versions) {
      const auto found = (*filled)->lists.find({group.name, name});
      if (found == (*filled)->lists.end() || !found->second) continue;
      all.found.resources.push_back(*found->second);
    }
  }
  for (const auto& [version, list] : (*filled)->lists) {
    if (!list) all.found.failed.emplace(version, list.error());
  }
  return all;
}

Result<ServerVersion> MemoryCachedDiscovery::server_version(std::stop_token stop) const {
  return state_->delegate->server_version(std::move(stop));
}

Result<std::shared_ptr<const json::Value>> MemoryCachedDiscovery::openapi_v2(
    std::stop_token stop) const {
  return state_->openapi_v2.get(*state_->clock, stop,
                                [&] { return state_->delegate->openapi_v2(stop); });
}

std::shared_ptr<const OpenApi> MemoryCachedDiscovery::openapi_v3() const {
  const MutexLock lock(state_->mutex);
  if (!state_->openapi_v3) state_->openapi_v3 = state_->delegate->openapi_v3();
  return state_->openapi_v3;
}

bool MemoryCachedDiscovery::fresh() const {
  return state_->snapshot.known() != nullptr;
}

void MemoryCachedDiscovery::invalidate() {
  if (CachedDiscovery* const caching = state_->delegate->as_cached()) caching->invalidate();
  state_->snapshot.forget();
  state_->openapi_v2.forget();
  const MutexLock lock(state_->mutex);
  state_->openapi_v3.reset();
}

}  // namespace kube
