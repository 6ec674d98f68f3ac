// SPDX-License-Identifier: Apache-2.0
#include <kube/client/deferred_rest_mapper.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/transport/no_waiting.hpp>

#include "remembered.hpp"

namespace kube {
namespace {

// Whether a newer discovery may find what this error says is missing.
bool may_come(const Error& error) {
  return is_no_match(error) || is_group_discovery_failed(error);
}

// What one read of discovery has found.
struct ReadMapper {
  ReadMapper(ServerResources resources, TimePoint now) : mapper(std::move(resources)), at(now) {}
  const RestMapper mapper;
  const TimePoint at;
  mutable std::atomic<bool> outdated = false;
};
using ReadPointer = std::shared_ptr<const ReadMapper>;

}  // namespace

struct DeferredRestMapper::State {
  std::shared_ptr<CachedDiscovery> discovery;
  RestMapper::Warn warn;
  std::shared_ptr<Clock> clock;
  Remembered<const ReadMapper> known;

  Mutex mutex;
  TimePoint next KUBE_GUARDED_BY(mutex) = TimePoint::min();  // when to ask again at the earliest
  Optional<Error> failure KUBE_GUARDED_BY(mutex);            // of the last time

  Result<ReadPointer> read(const std::stop_token& stop) {
    const TimePoint now = clock->now();
    auto resources = discovery->server_groups_and_resources(stop);
    if (!resources) return resources.error().with_context("find out what the server serves");
    return std::make_shared<const ReadMapper>(*std::move(resources), now);
  }

  // Returns something newer than `old`, or `old` itself when it is too early to ask again.
  Result<ReadPointer> ask_again(const ReadPointer& old, const std::stop_token& stop) {
    return known.renew(*clock, stop, old, [&]() -> Result<ReadPointer> {
      {
        const MutexLock lock(mutex);
        if (clock->now() < next) return failure ? Result<ReadPointer>(*failure) : old;
      }
      if (const auto allowed = transport::may_wait(); !allowed) return allowed.error();
      discovery->invalidate();
      auto newer = read(stop);
      if (!newer && newer.error().code() == ErrorCode::Cancelled) return newer;
      const MutexLock lock(mutex);
      next = clock->now() + kAskAgain;
      failure = newer ? Optional<Error>() : Optional<Error>(newer.error());
      return newer;
    });
  }

  // Sets `is_new` when this call has had the server's answer.
  Result<ReadPointer> current(const std::stop_token& stop, bool& is_new) {
    auto found = known.get(*clock, stop, [&] {
      const bool was_fresh = discovery->fresh();
      auto first = read(stop);
      is_new = !was_fresh && discovery->fresh();
      return first;
    });
    if (!found) return found;
    if (!(*found)->outdated && clock->now() < (*found)->at + kMaxAge) return found;
    // Others go on with what is known while one caller reads.
    if (known.is_fetching()) return found;
    auto newer = ask_again(*found, stop);
    if (newer || newer.error().code() == ErrorCode::Cancelled) return newer;
    return found;
  }

  void lift_bound() {
    const MutexLock lock(mutex);
    next = TimePoint::min();
    failure.reset();
  }

  // Calls `find` (RestMapper) -> Result<ResourceInfo>, again after a miss.
  template <class Find>
  Result<meta::ResourceInfo> find(const std::stop_token& stop, const Find& find) {
    bool is_new = false;
    const auto seen = current(stop, is_new);
    if (!seen) return seen.error();
    Result<meta::ResourceInfo> found = find((*seen)->mapper);
    if (found || is_new || !may_come(found.error())) return found;
    const auto newer = ask_again(*seen, stop);
    if (!newer) return newer.error();
    return *newer == *seen ? found : find((*newer)->mapper);
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
  bool is_new = false;
  const auto found = state_->current(stop, is_new);
  if (!found) return found.error();
  return std::shared_ptr<const RestMapper>(*found, &(*found)->mapper);
}

Result<meta::ResourceInfo> DeferredRestMapper::resolve(std::string_view text,
                                                       std::stop_token stop) const {
  return state_->find(stop,
                      [&](const RestMapper& mapper) { return mapper.resolve(text, state_->warn); });
}

Result<meta::ResourceInfo> DeferredRestMapper::mapping(const meta::GroupKind& kind,
                                                       std::string_view version,
                                                       std::stop_token stop) const {
  return state_->find(stop,
                      [&](const RestMapper& mapper) { return mapper.mapping(kind, version); });
}

Result<meta::ResourceInfo> DeferredRestMapper::resource(std::string_view api_version,
                                                        std::string_view name,
                                                        std::stop_token stop) const {
  const auto version = meta::parse_group_version(api_version);
  if (!version) return version.error();
  if (version->version.empty() || name.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "expected an apiVersion such as apps/v1 and a kind or a name, got \"" +
                     std::string(api_version) + "\" and \"" + std::string(name) + "\"");
  }
  return state_->find(stop,
                      [&](const RestMapper& mapper) { return mapper.resource(*version, name); });
}

std::vector<meta::ResourceInfo> DeferredRestMapper::in_category(std::string_view category,
                                                                std::stop_token stop) const {
  const auto mapper = current(std::move(stop));
  if (!mapper) return {};
  return (*mapper)->in_category(category);
}

void DeferredRestMapper::not_served(const meta::GroupVersionResource& resource) const {
  const auto known = state_->known.known();
  if (!known) return;
  const auto is_it = [&](const meta::ResourceInfo& each) { return each.gvr() == resource; };
  if (std::ranges::any_of(known->mapper.resources(), is_it)) known->outdated = true;
}

void DeferredRestMapper::refresh() const {
  state_->lift_bound();
}

void DeferredRestMapper::reset() const {
  state_->lift_bound();
  state_->discovery->invalidate();
  state_->known.forget();
}

}  // namespace kube
