// SPDX-License-Identifier: Apache-2.0
//
// Distributes deltas to the handlers of an informer.
#include "processor.hpp"

#include <algorithm>
#include <utility>

namespace kube::cache {
namespace {

constexpr Duration kMinResyncPeriod = std::chrono::seconds(1);

}  // namespace

Duration Processor::effective_period(Duration requested) const {
  if (requested <= Duration::zero() || check_period_ <= Duration::zero()) return Duration::zero();
  return std::max(requested, check_period_);
}

void Processor::expect(const std::shared_ptr<Listener>& listener) {
  {
    const MutexLock lock(mutex_);
    if (!stopped_) {
      std::erase_if(expected_, [](const auto& weak) { return weak.expired(); });
      expected_.emplace_back(listener);
      return;
    }
  }
  listener->close();
}

void Processor::add(std::shared_ptr<Listener> listener, std::optional<Duration> resync_period,
                    std::span<const Delta> first) {
  Duration requested = resync_period.value_or(default_period_);
  if (requested > Duration::zero()) requested = std::max(requested, kMinResyncPeriod);
  bool stopped = false;
  bool never_synced = false;
  {
    const MutexLock lock(mutex_);
    std::erase_if(expected_, [&](const std::weak_ptr<Listener>& weak) {
      const bool is_it = !weak.owner_before(listener) && !listener.owner_before(weak);
      return is_it || weak.expired();
    });
    stopped = stopped_;
    if (!stopped) never_synced = add_entry(listener, requested);
  }
  if (stopped) {
    listener->close();
    return;
  }
  // The listener gets no other delta meanwhile: distribute() also runs on the strand.
  listener->push(first);
  if (never_synced) {
    KUBE_LOG(logger_, LogLevel::Warning, "informer",
             "handler requests resyncs, but its informer never resyncs",
             {"handler", listener->status().name});
  }
}

bool Processor::add_entry(const std::shared_ptr<Listener>& listener, Duration requested) {
  if (requested > Duration::zero() && requested < check_period_) {
    if (started_) {
      requested = check_period_;
    } else {
      check_period_ = requested;
      for (Entry& entry : entries_) entry.period = effective_period(entry.requested);
    }
  }
  const Duration period = effective_period(requested);
  entries_.push_back({listener, requested, period, clock_->now() + period});
  return requested > Duration::zero() && period == Duration::zero();
}

void Processor::remove(const std::shared_ptr<Listener>& listener) {
  std::shared_ptr<Listener> removed;  // the handler is destroyed with no lock held
  const MutexLock lock(mutex_);
  const auto at = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& entry) { return entry.listener == listener; });
  if (at == entries_.end()) return;
  removed = std::move(at->listener);
  entries_.erase(at);
}

void Processor::distribute(std::span<const Delta> deltas) {
  if (deltas.empty()) return;
  const bool everything = std::ranges::none_of(deltas, &Delta::changes_nothing);
  std::vector<std::pair<std::shared_ptr<Listener>, bool>> recipients;  // and whether it is syncing
  {
    const MutexLock lock(mutex_);
    recipients.reserve(entries_.size());
    for (const Entry& entry : entries_) recipients.emplace_back(entry.listener, entry.syncing);
  }
  std::vector<Delta> changes;  // for all listeners, when some get more
  for (const auto& [listener, syncing] : recipients) {
    if (everything || syncing) {
      listener->push(deltas);
      continue;
    }
    if (changes.empty()) {
      std::ranges::copy_if(deltas, std::back_inserter(changes),
                           [](const Delta& delta) { return !delta.changes_nothing(); });
    }
    listener->push(changes);
  }
}

bool Processor::should_resync() {
  const TimePoint now = clock_->now();
  bool anybody = false;
  const MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    entry.syncing = entry.period > Duration::zero() && now >= entry.next;
    if (!entry.syncing) continue;
    anybody = true;
    entry.next = now + entry.period;
  }
  return anybody;
}

void Processor::report() const {
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_) listeners.push_back(entry.listener);
  }
  for (const auto& listener : listeners) listener->report();
}

void Processor::stop(bool wait) {
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    for (const Entry& entry : entries_) listeners.push_back(entry.listener);
    for (const auto& weak : expected_) {
      if (auto listener = weak.lock()) listeners.push_back(std::move(listener));
    }
    expected_.clear();
  }
  for (const auto& listener : listeners) {
    if (wait) {
      listener->close_and_wait();
    } else {
      listener->close();
    }
  }
}

std::vector<HandlerStatus> Processor::status() const {
  std::vector<HandlerStatus> result;
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) result.push_back(entry.listener->status());
  return result;
}

}  // namespace kube::cache
