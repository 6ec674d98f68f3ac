// SPDX-License-Identifier: Apache-2.0
//
// Wakes the I/O thread, which waits in poll(), at a time of a clock that poll() does not know.
#pragma once

#include <memory>
#include <stop_token>

#include <kube/base/clock.hpp>
#include <kube/base/worker_thread.hpp>

#include "command_queue.hpp"
#include "deadlines.hpp"

namespace kube::transport {

/// A thread that waits in the clock.
/// @par Thread safety   Used only on the I/O thread.
class ClockAlarm {
 public:
  /// Wakes the thread of `queue`.
  ClockAlarm(std::shared_ptr<Clock> clock, std::shared_ptr<CommandQueue> queue);
  ~ClockAlarm();
  ClockAlarm(const ClockAlarm&) = delete;
  ClockAlarm& operator=(const ClockAlarm&) = delete;

  /// Replaces the time; time_point::max() for never. One that has passed wakes at once.
  void set(SteadyTime when) KUBE_EXCLUDES(mutex_);

 private:
  void run() KUBE_EXCLUDES(mutex_);

  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<CommandQueue> queue_;
  std::stop_source stop_;
  Mutex mutex_;
  CondVar changed_;
  SteadyTime when_ KUBE_GUARDED_BY(mutex_) = SteadyTime::max();
  WorkerThread thread_;
};

}  // namespace kube::transport
