// SPDX-License-Identifier: Apache-2.0
#include <kube/client/deferred_rest_mapper.hpp>

#include <map>
#include <utility>

#include <kube/base/mutex.hpp>

#include "remembered.hpp"

namespace kube {
namespace {

// What is created of it may add a kind to those that the server has.
bool adds_kinds(const meta::GroupVersionKind& kind) {
  return kind.group_kind() == meta::GroupKind{"apiextensions.k8s.io", "CustomResourceDefinition"} ||
         kind.group_kind() == meta::GroupKind{"apiregistration.k8s.io", "APIService"};
}

// Kinds that the server did not have when it was asked for each of them.
class MissedKinds {
 public:
  bool contains(const meta::GroupVersionKind& kind, TimePoint now) {
    const MutexLock lock(mutex_);
    std::erase_if(until_, [&](const auto& each) { return each.second <= now; });
    return until_.contains(kind);
  }
  void add(const meta::GroupVersionKind& kind, TimePoint now) {
    const MutexLock lock(mutex_);
    until_[kind] = now + DeferredRestMapper::kRememberMiss;
  }
  void clear() {
    const MutexLock lock(mutex_);
    until_.clear();
  }

 private:
  Mutex mutex_;
  std::map<meta::GroupVersionKind, TimePoint> until_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

struct DeferredRestMapper::State {
  std::shared_ptr<CachedDiscovery> discovery;
  RestMapper::Warn warn;
  std::shared_ptr<Clock> clock;
  Remembered<const RestMapper> mapper;
  MissedKinds missed;

  // What is read from now on is newer; what was missed before it stays missed.
  void read_again() {
    discovery->invalidate();
    mapper.forget();
  }

  // Calls `find` (RestMapper) -> Result<ResourceInfo>, again after a miss.
  template <class Find>
  Result<meta::ResourceInfo> find(const DeferredRestMapper& self, const std::stop_token& stop,
                                  const Find& find) {
    auto current = self.current(stop);
    if (!current) return current.error();
    Result<meta::ResourceInfo> found = find(**current);
    if (found || !is_no_match(found.error()) || discovery->fresh()) return found;
    read_again();
    current = self.current(stop);
    if (!current) return current.error();
    return find(**current);
  }
};

DeferredRestMapper::DeferredRestMapper(std::shared_ptr<CachedDiscovery> discovery,
                                       RestMapper::Warn warn, std::shared_ptr<Clock> clock)
    : state_(std::make_unique<State>()) {
  state_->discovery = std::move(discovery);
  state_->warn = std::move(warn);
  state_->clock = std::move(clock);
}
DeferredRestMapper::~DeferredRestMapper() = default;

Result<std::shared_ptr<const RestMapper>> DeferredRestMapper::current(std::stop_token stop) const {
  return state_->mapper.get(
      *state_->clock, stop, [&]() -> Result<std::shared_ptr<const RestMapper>> {
        auto resources = state_->discovery->server_groups_and_resources(stop);
        if (!resources) return resources.error().with_context("find out what the server serves");
        return std::make_shared<const RestMapper>(*std::move(resources));
      });
}

Result<meta::ResourceInfo> DeferredRestMapper::resolve(std::string_view text,
                                                       std::stop_token stop) const {
  return state_->find(*this, stop,
                      [&](const RestMapper& mapper) { return mapper.resolve(text, state_->warn); });
}

Result<meta::ResourceInfo> DeferredRestMapper::mapping(const meta::GroupKind& kind,
                                                       std::string_view version,
                                                       std::stop_token stop) const {
  return state_->find(*this, stop,
                      [&](const RestMapper& mapper) { return mapper.mapping(kind, version); });
}

Result<meta::ResourceInfo> DeferredRestMapper::mapping_of_new(const meta::GroupVersionKind& kind,
                                                              std::stop_token stop) const {
  if (adds_kinds(kind)) state_->missed.clear();
  auto resource = mapping(kind.group_kind(), kind.version, stop);
  if (resource || !is_no_match(resource.error())) return resource;
  if (state_->missed.contains(kind, state_->clock->now())) return resource;
  state_->read_again();
  resource = mapping(kind.group_kind(), kind.version, std::move(stop));
  if (!resource && is_no_match(resource.error())) state_->missed.add(kind, state_->clock->now());
  return resource;
}

std::vector<meta::ResourceInfo> DeferredRestMapper::in_category(std::string_view category,
                                                                std::stop_token stop) const {
  const auto mapper = current(std::move(stop));
  if (!mapper) return {};
  return (*mapper)->in_category(category);
}

void DeferredRestMapper::reset() const {
  state_->missed.clear();
  state_->read_again();
}

}  // namespace kube
