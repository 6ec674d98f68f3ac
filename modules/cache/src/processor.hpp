// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Processor: the handlers of an informer, and which of them take part in a resync
// (docs/reference/informers-and-queues.md ch. 17).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "listener.hpp"

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

/// Listeners report to the program's metrics and submit to its executor, so none of their functions
/// is called under the lock except status(), which does neither.
///
/// @par Thread safety   expect(), status() and stop() may be called from any thread; the rest
///   runs on the informer's strand, which keeps the deltas of each handler in order.
class Processor {
 public:
  /// `resync_period`: the informer's; with 0 it never resyncs, whatever handlers request.
  Processor(Duration resync_period, std::shared_ptr<Clock> clock, std::shared_ptr<Logger> logger)
      : default_period_(resync_period),
        check_period_(resync_period),
        clock_(std::move(clock)),
        logger_(std::move(logger)) {}

  /// Announces a listener for add(). If stop() is called first, it closes the listener: the strand
  /// may never reach add() then. From any thread.
  void expect(const std::shared_ptr<Listener>& listener);
  /// From now on check_period() is fixed.
  void start() { started_ = true; }
  /// Adds a handler; `first` are its first deltas.
  void add(std::shared_ptr<Listener> listener, std::optional<Duration> resync_period,
           std::span<const Delta> first);
  void remove(const std::shared_ptr<Listener>& listener);

  /// Passes deltas to all handlers; those that change nothing only to those in the resync.
  void distribute(std::span<const Delta> deltas);

  /// How often the resync timer fires; 0: never.
  Duration check_period() const { return check_period_; }
  /// Call at each firing: selects the handlers of this resync; returns whether there is any.
  bool should_resync();

  /// Has every handler set the gauges that change while nothing happens.
  void report() const;

  /// Closes every handler and rejects new ones. With `wait`, waits for running calls.
  void stop(bool wait);
  std::vector<HandlerStatus> status() const;

 private:
  struct Entry {
    std::shared_ptr<Listener> listener;
    Duration requested;
    Duration period;  // 0: no resyncs
    TimePoint next;
    bool syncing = true;
  };
  Duration effective_period(Duration requested) const;
  /// Returns true when the handler requests resyncs that it will not get.
  bool add_entry(const std::shared_ptr<Listener>& listener, Duration requested)
      KUBE_REQUIRES(mutex_);

  const Duration default_period_;
  Duration check_period_;
  bool started_ = false;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Logger> logger_;

  // Changed by the strand only, read from any thread.
  mutable Mutex mutex_;
  std::vector<Entry> entries_ KUBE_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Listener>> expected_ KUBE_GUARDED_BY(mutex_);
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kube::cache
