// SPDX-License-Identifier: Apache-2.0
#include "clock_alarm.hpp"

#include <utility>

namespace kube::transport {

ClockAlarm::ClockAlarm(std::shared_ptr<Clock> clock, std::shared_ptr<CommandQueue> queue)
    : clock_(std::move(clock)),
      queue_(std::move(queue)),
      thread_("kube-io-clock", [this] { run(); }) {}

ClockAlarm::~ClockAlarm() {
  stop_.request_stop();
}

void ClockAlarm::set(SteadyTime when) {
  const MutexLock lock(mutex_);
  if (when == when_) return;
  when_ = when;
  changed_.notify_all();
}

void ClockAlarm::run() {
  MutexLock lock(mutex_);
  while (!stop_.stop_requested()) {
    const SteadyTime when = when_;
    const WaitStatus ended =
        clock_->wait_until(lock, changed_, when, stop_.get_token(),
                           [this, when]() KUBE_REQUIRES(mutex_) { return when_ != when; });
    if (ended != WaitStatus::TimedOut) continue;
    when_ = SteadyTime::max();
    lock.unlock();
    queue_->interrupt();
    lock.lock();
  }
}

}  // namespace kube::transport
