// SPDX-License-Identifier: Apache-2.0
#include <kube/base/keyed_backoff.hpp>

#include <algorithm>

namespace kube {

KeyedBackoff::KeyedBackoff(Options options, std::shared_ptr<Clock> clock, RandomSource random)
    : options_(options),
      expire_after_(options.expire_after > Duration::zero() ? options.expire_after
                                                            : 2 * options.max),
      clock_(std::move(clock)),
      random_(std::move(random)) {}

bool KeyedBackoff::expired(const Entry& entry, TimePoint event) const {
  return event - entry.last_update > expire_after_;
}

void KeyedBackoff::next(const std::string& id, TimePoint event) {
  const double draw = options_.jitter > 0 ? random_() * options_.jitter : 0;
  const auto jitter = [draw](Duration delay) {
    return Duration(static_cast<Duration::rep>(draw * static_cast<double>(delay.count())));
  };
  const TimePoint now = clock_->now();
  MutexLock lock(mutex_);
  const auto [found, is_new] = entries_.try_emplace(id);
  Entry& entry = found->second;
  if (is_new || expired(entry, event)) {
    entry.delay = options_.initial + jitter(options_.initial);
  } else {
    entry.delay = std::min(2 * entry.delay + jitter(entry.delay), options_.max);
  }
  entry.last_update = now;
}

Duration KeyedBackoff::get(const std::string& id) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  return found == entries_.end() ? Duration::zero() : found->second.delay;
}

bool KeyedBackoff::is_in_backoff_since(const std::string& id, TimePoint event) const {
  const TimePoint now = clock_->now();
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || expired(found->second, event)) return false;
  return now - event < found->second.delay;
}

bool KeyedBackoff::is_in_backoff_since_update(const std::string& id, TimePoint event) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || expired(found->second, event)) return false;
  return event - found->second.last_update < found->second.delay;
}

void KeyedBackoff::reset(const std::string& id) {
  MutexLock lock(mutex_);
  entries_.erase(id);
}

void KeyedBackoff::collect_garbage() {
  const TimePoint now = clock_->now();
  MutexLock lock(mutex_);
  std::erase_if(entries_, [&](const auto& item) { return expired(item.second, now); });
}

}  // namespace kube
