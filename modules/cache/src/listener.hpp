// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Listener: one handler of an informer, with its queue, its delivery and its sync.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backlog.hpp"
#include "callback_gate.hpp"
#include "handler_record.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/token_bucket.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// Delivers deltas one at a time and in order, as tasks of Runtime::handlers; never inside
/// push().
///
/// @par Thread safety   All functions may be called from any thread.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  /// `informer`: also closes this listener.
  Listener(Runtime runtime, std::shared_ptr<CallbackGate> informer, CellHandler handler,
           const HandlerOptions& options, metrics::Labels labels);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void push(std::span<const Delta> deltas);

  /// After this, no call starts, and the queue is dropped.
  void close();
  void close_and_wait();

  /// Sets the gauges that change while nothing happens.
  void report() const;

  const std::shared_ptr<HandlerRecord>& record() const { return record_; }
  HandlerStatus status() const { return record_->status(); }

 private:
  void run();
  /// Submits run(); returns false when the executor threw, and so has not accepted it.
  bool submit_run();
  /// After a failed submit_run(): runs what is queued by a timer, unless a notification does
  /// before.
  void retry_later();
  void retry();
  /// Delivers a part of the queue; returns false when it is empty or the listener is closed.
  bool deliver_burst();
  void take(std::vector<Backlog::Item>& burst);
  void put_back(std::span<Backlog::Item> burst);
  void deliver(const Delta& delta);
  void drop_queue();
  void note_backlog() KUBE_REQUIRES(mutex_);
  void report_overflow(std::size_t pending);
  /// After an overflow that ends the handler.
  void end(std::size_t pending);

  const Runtime runtime_;
  const std::shared_ptr<CallbackGate> informer_;
  const std::shared_ptr<HandlerRecord> record_;
  const metrics::Labels labels_;
  metrics::LatestGauge backlog_;
  const metrics::Gauge lag_;
  const metrics::Counter exceptions_;
  const metrics::Counter overflows_;
  const metrics::Counter merged_;
  const HandlerOverflow overflow_;
  const std::function<void()> on_fell_behind_;
  TokenBucket overflow_lines_;

  // Used by the delivering task; by the thread that has waited for its end; and, before the first
  // push(), by the thread that made the listener.
  CellHandler handler_;

  mutable Mutex mutex_;
  Backlog queue_ KUBE_GUARDED_BY(mutex_);
  bool running_ KUBE_GUARDED_BY(mutex_) = false;  // a task delivers notifications, or is queued to
  Timer retry_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cache
