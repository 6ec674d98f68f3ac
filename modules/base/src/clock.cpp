// SPDX-License-Identifier: Apache-2.0
#include <kube/base/clock.hpp>

namespace kube {
namespace {

class RealClock final : public Clock {
 public:
  TimePoint now() const override { return std::chrono::steady_clock::now(); }

  WallTime wall_now() const override { return std::chrono::system_clock::now(); }

  WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline, std::stop_token stop,
                        const std::function<bool()>& ready) override {
    const bool is_ready = deadline == TimePoint::max()
                              ? cv.wait(lock, stop, std::cref(ready))
                              : cv.wait_until(lock, stop, deadline, std::cref(ready));
    if (is_ready) return WaitStatus::Ready;
    return stop.stop_requested() ? WaitStatus::Stopped : WaitStatus::TimedOut;
  }
};

}  // namespace

WaitStatus Clock::sleep_until(TimePoint deadline, std::stop_token stop) {
  Mutex mutex;
  CondVar never_notified;
  MutexLock lock(mutex);
  return wait_until(lock, never_notified, deadline, std::move(stop), [] { return false; });
}

std::shared_ptr<Clock> real_clock() {
  static const std::shared_ptr<Clock> clock = std::make_shared<RealClock>();
  return clock;
}

}  // namespace kube
