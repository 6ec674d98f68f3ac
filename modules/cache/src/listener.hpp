// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Listener: one handler of an informer, with its queue, its delivery and its sync.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "callback_gate.hpp"
#include "handler_record.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// One notification of a handler.
struct Notification {
  enum class Type : std::uint8_t {
    Add,
    InitialAdd,  ///< From the first list, or from the store when the handler was added.
    Update,
    Delete,
    DeleteUnknown,  ///< Inferred: the object may be older than the deleted one.
    Synced,         ///< Marks the end of the initial state. Not for the handler.
  };
  Type type;
  CellRef object{};  ///< Update: the new one.
  CellRef old{};     ///< Update.
};

/// Delivers notifications one at a time and in order, as tasks of Runtime::handlers; never inside
/// push(). Its backlog is not bounded: it holds references, and is shown in status().
///
/// @par Thread safety   All functions may be called from any thread.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  /// `informer`: also closes this listener.
  Listener(Runtime runtime, std::shared_ptr<CallbackGate> informer, CellHandler handler,
           std::string name, metrics::Labels labels);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void push(std::span<const Notification> notifications);

  /// After this, no call starts, and the queue is dropped.
  void close();
  void close_and_wait();

  const std::shared_ptr<HandlerRecord>& record() const { return record_; }
  HandlerStatus status() const { return record_->status(); }

 private:
  void run();
  /// Submits run(); returns false when the executor threw, and so has not accepted it.
  bool submit_run();
  /// Delivers a part of the queue; returns false when it is empty or the listener is closed.
  bool deliver_burst();
  void take(std::vector<Notification>& burst);
  void put_back(std::span<Notification> burst);
  void deliver(const Notification& notification);
  void drop_queue();
  void note_backlog() KUBE_REQUIRES(mutex_) {
    record_->note_queued(queue_.size());
    backlog_.note(static_cast<double>(queue_.size()));
  }

  const Runtime runtime_;
  const std::shared_ptr<CallbackGate> informer_;
  const std::shared_ptr<HandlerRecord> record_;
  metrics::LatestGauge backlog_;
  const metrics::Counter exceptions_;

  // Used by the delivering task; by the thread that has waited for its end; and, before the first
  // push(), by the thread that made the listener.
  CellHandler handler_;

  mutable Mutex mutex_;
  std::deque<Notification> queue_ KUBE_GUARDED_BY(mutex_);
  bool running_ KUBE_GUARDED_BY(mutex_) = false;  // a task delivers notifications, or is queued to
};

}  // namespace kube::cache
