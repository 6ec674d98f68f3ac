// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Listener: one handler of an informer: its queue, its delivery, its sync.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "user_calls.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/informer_core.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// One thing that a handler is told.
struct Notification {
  enum class Type : std::uint8_t {
    Add,
    InitialAdd,  ///< Of the first list, or of the store when the handler was added.
    Update,
    Delete,
    DeleteUnknown,  ///< Inferred: the object may be older than what was deleted.
    Synced,         ///< All before this was the initial state. Not for the handler.
  };
  Type type;
  CellRef object{};  ///< Update: the new one.
  CellRef old{};     ///< Update.
};

/// Delivers notifications one at a time and in order, as tasks of Runtime::handlers; never from
/// inside push(). Its backlog is not bounded: it holds references, and shows in status().
///
/// @par Thread safety   All functions may be called from any thread.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  /// `informer`: also closes this listener.
  Listener(Runtime runtime, std::shared_ptr<UserCalls> informer, CellHandler handler,
           std::string name, metrics::Labels labels);

  void push(std::span<const Notification> notifications);

  /// No call starts any more, and what is queued is dropped.
  void close();
  void close_and_wait();

  bool has_synced() const { return synced_.load(std::memory_order_acquire); }
  /// As HandlerRegistration::wait_for_sync().
  bool wait_for_sync(std::stop_token stop) const;
  /// The informer has stopped: whoever waits for sync gives up.
  void informer_stopped();

  HandlerStatus status() const;

 private:
  void run();
  /// Submits run(); false when the executor threw, and so has not taken it.
  bool submit_run();
  /// Delivers some of the queue; false when nothing is left, or nobody wants it.
  bool deliver_burst();
  void take(std::vector<Notification>& burst);
  void put_back(std::span<Notification> burst);
  void deliver(const Notification& notification);
  void drop_queue();
  void note_backlog() KUBE_REQUIRES(mutex_) { backlog_.note(static_cast<double>(queue_.size())); }

  const Runtime runtime_;
  const std::shared_ptr<UserCalls> informer_;
  const std::string name_;
  metrics::LatestGauge backlog_;
  const metrics::Counter exceptions_;

  // Only the delivering task; whoever has waited for its end; or, before the first push(), the
  // maker.
  CellHandler handler_;

  UserCalls calls_;
  std::atomic<bool> synced_{false};
  std::atomic<std::size_t> in_burst_{0};  // taken from the queue, not told yet
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> failures_{0};

  mutable Mutex mutex_;
  mutable CondVar changed_;
  std::deque<Notification> queue_ KUBE_GUARDED_BY(mutex_);
  bool running_ KUBE_GUARDED_BY(mutex_) = false;  // a task delivers or will
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;    // will never sync
};

}  // namespace kube::cache
