// SPDX-License-Identifier: Apache-2.0
//
// The counters and the sync state of one handler.
#include "handler_record.hpp"

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
  return {name_, has_synced(),
          queued_.load(std::memory_order_relaxed) + in_burst_.load(std::memory_order_relaxed),
          delivered_.load(std::memory_order_relaxed), failures_.load(std::memory_order_relaxed)};
}

}  // namespace kube::cache
