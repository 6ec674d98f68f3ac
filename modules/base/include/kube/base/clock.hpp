// SPDX-License-Identifier: Apache-2.0
//
// kube::Clock: time as a dependency. It tells the time and it can wait, so that a test with
// kube::testing::FakeClock never sleeps.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include <kube/base/mutex.hpp>

namespace kube {

using Duration = std::chrono::nanoseconds;
using TimePoint = std::chrono::time_point<std::chrono::steady_clock, Duration>;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// start + delay; max(), which means never, where the sum does not fit.
template <class Source>
constexpr std::chrono::time_point<Source, Duration> deadline_after(
    std::chrono::time_point<Source, Duration> start, Duration delay) {
  using Time = std::chrono::time_point<Source, Duration>;
  if (delay > Duration::zero() && start > Time::max() - delay) return Time::max();
  return start + delay;
}

/// Seconds as others write them: Duration::max() where there are more than it can hold, min() where
/// there are fewer.
constexpr Duration saturated(std::chrono::seconds time) {
  constexpr auto kMax = std::chrono::duration_cast<std::chrono::seconds>(Duration::max());
  if (time > kMax) return Duration::max();
  return time < -kMax ? Duration::min() : Duration(time);
}

/// Why a wait ended. When several hold at the moment of waking, the first in this order wins.
enum class WaitStatus { Ready, Stopped, TimedOut };

/// @par Thread safety   All functions may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Monotonic; for intervals and deadlines.
  virtual TimePoint now() const = 0;

  /// What goes on the wire; may jump.
  virtual WallTime wall_now() const = 0;

  /// Waits until ready() holds, stop is requested or the deadline passes.
  ///
  /// `lock` is held on entry, whenever ready() runs, and on return. Whoever makes ready() true
  /// notifies `cv`. TimePoint::max() waits without a deadline.
  /// @par Blocks   The calling thread, until one of the three.
  virtual WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline,
                                std::stop_token stop, const std::function<bool()>& ready) = 0;

  /// Sleeps; Stopped when asked to stop before the deadline, else TimedOut.
  WaitStatus sleep_until(TimePoint deadline, std::stop_token stop);
  WaitStatus sleep_for(Duration duration, std::stop_token stop) {
    return sleep_until(deadline_after(now(), duration), std::move(stop));
  }
};

/// The machine's clock; one object for the process.
std::shared_ptr<Clock> real_clock();

}  // namespace kube
