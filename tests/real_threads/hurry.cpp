// SPDX-License-Identifier: Apache-2.0
#include "hurry.hpp"

#include <utility>

namespace real_threads {

using kube::Duration;
using kube::TimePoint;

TimePoint HurriedClock::now() const {
  return begin_ + (std::chrono::steady_clock::now() - begin_) * pace_;
}

kube::WallTime HurriedClock::wall_now() const {
  return wall_begin_ + (now() - begin_);
}

kube::WaitStatus HurriedClock::wait_until(kube::MutexLock& lock, kube::CondVar& cv,
                                          TimePoint deadline, std::stop_token stop,
                                          const std::function<bool()>& ready) {
  if (deadline != TimePoint::max()) {
    const Duration left = deadline - begin_;
    deadline = begin_ + (left + Duration(pace_ - 1)) / pace_;
  }
  return kube::real_clock()->wait_until(lock, cv, deadline, std::move(stop), ready);
}

}  // namespace real_threads
