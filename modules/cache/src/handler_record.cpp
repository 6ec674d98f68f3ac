// SPDX-License-Identifier: Apache-2.0
//
// The counters and the sync state of one handler.
#include "handler_record.hpp"

#include <algorithm>

namespace kube::cache {

void HandlerRecord::note_synced() {
  synced_.store(true, std::memory_order_release);
  const MutexLock lock(mutex_);  // so that no thread that has checked before waits after it
  changed_.notify_all();
}

void HandlerRecord::note_end() {
  const MutexLock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool HandlerRecord::wait_for_sync(std::stop_token stop) const {
  MutexLock lock(mutex_);
  const auto settled = [&]() KUBE_REQUIRES(mutex_) { return has_synced() || ended_; };
  clock_->wait_until(lock, changed_, TimePoint::max(), std::move(stop), settled);
  return has_synced();
}

HandlerStatus HandlerRecord::status() const {
  const std::size_t queued = queued_.load(std::memory_order_relaxed);
  const std::size_t in_burst = in_burst_.load(std::memory_order_relaxed);
  HandlerStatus status;
  status.name = name_;
  status.synced = has_synced();
  status.pending = queued + in_burst;
  if (status.pending > 0) {
    const auto& since = in_burst > 0 ? burst_since_ : queued_since_;
    status.lag = std::max(clock_->now() - since.load(std::memory_order_relaxed), Duration::zero());
  }
  status.delivered = delivered_.load(std::memory_order_relaxed);
  status.failures = failures_.load(std::memory_order_relaxed);
  status.fell_behind = fell_behind_.load(std::memory_order_relaxed);
  status.merges = merges_.load(std::memory_order_relaxed);
  status.merged = merged_.load(std::memory_order_relaxed);
  status.overflows = overflows_.load(std::memory_order_relaxed);
  return status;
}

}  // namespace kube::cache
