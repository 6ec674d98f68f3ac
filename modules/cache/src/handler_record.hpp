// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::HandlerRecord: what a registration knows about its handler.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "callback_gate.hpp"

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// Lives as long as the registration, even when the informer and the client are gone; so it holds
/// neither objects with threads nor the handler.
///
/// @par Thread safety   All functions may be called from any thread.
class HandlerRecord {
 public:
  HandlerRecord(std::shared_ptr<Clock> clock, std::string name)
      : clock_(std::move(clock)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  CallbackGate& calls() { return calls_; }

  // The listener calls these.
  /// `since`: when the first of them was added.
  void note_queued(std::size_t notifications, TimePoint since) {
    queued_since_.store(since, std::memory_order_relaxed);
    queued_.store(notifications, std::memory_order_relaxed);
  }
  void note_delivering(TimePoint since) { burst_since_.store(since, std::memory_order_relaxed); }
  void note_merges(bool merges, std::uint64_t merged) {
    merges_.store(merges, std::memory_order_relaxed);
    merged_.store(merged, std::memory_order_relaxed);
  }
  void note_overflow() { overflows_.fetch_add(1, std::memory_order_relaxed); }
  void note_fell_behind() { fell_behind_.store(true, std::memory_order_relaxed); }
  void note_in_burst(std::size_t notifications) {
    in_burst_.store(notifications, std::memory_order_relaxed);
  }
  void note_delivered() { delivered_.fetch_add(1, std::memory_order_relaxed); }
  void note_failure() { failures_.fetch_add(1, std::memory_order_relaxed); }
  void note_synced();
  /// Ends all waits for sync.
  void note_end();

  bool has_synced() const { return synced_.load(std::memory_order_acquire); }
  bool wait_for_sync(std::stop_token stop) const;
  HandlerStatus status() const;

 private:
  const std::shared_ptr<Clock> clock_;
  const std::string name_;
  CallbackGate calls_;
  std::atomic<bool> synced_{false};
  std::atomic<std::size_t> queued_{0};
  std::atomic<std::size_t> in_burst_{0};  // taken from the queue, not delivered yet
  std::atomic<TimePoint> queued_since_{TimePoint()};
  std::atomic<TimePoint> burst_since_{TimePoint()};
  std::atomic<bool> merges_{false};
  std::atomic<std::uint64_t> merged_{0};
  std::atomic<std::uint64_t> overflows_{0};
  std::atomic<bool> fell_behind_{false};
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> failures_{0};

  mutable Mutex mutex_;
  mutable CondVar changed_;
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;  // will never sync
};

}  // namespace kube::cache
