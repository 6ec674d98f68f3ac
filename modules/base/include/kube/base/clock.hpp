// SPDX-License-Identifier: Apache-2.0
//
// kube::Clock: time as a dependency. It reads the time and waits, so that a test with
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

/// Returns start + delay; max(), which means never, when the sum does not fit.
template <class Source>
constexpr std::chrono::time_point<Source, Duration> deadline_after(
    std::chrono::time_point<Source, Duration> start, Duration delay) {
  using Time = std::chrono::time_point<Source, Duration>;
  if (delay > Duration::zero() && start > Time::max() - delay) return Time::max();
  return start + delay;
}

/// Converts seconds that a peer or a user has chosen: Duration::max() for more than a Duration can
/// hold, Duration::min() for less.
constexpr Duration clamped(std::chrono::seconds time) {
  constexpr auto kMax = std::chrono::duration_cast<std::chrono::seconds>(Duration::max());
  if (time > kMax) return Duration::max();
  return time < -kMax ? Duration::min() : Duration(time);
}

/// Why a wait ended. When several reasons hold, the first in this order is returned.
enum class WaitStatus { Ready, Stopped, TimedOut };

/// The time, and waiting for it.
/// @par Thread safety   All functions may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Monotonic; for intervals and deadlines.
  virtual TimePoint now() const = 0;

  /// The date and time of day, for data that leaves the process; may jump.
  virtual WallTime wall_now() const = 0;

  /// Waits until ready() holds, stop is requested or the deadline passes.
  ///
  /// `lock` is held on entry, whenever ready() runs, and on return. The thread that makes ready()
  /// true notifies `cv`. TimePoint::max() waits without a deadline.
  /// @par Blocks   The calling thread, until one of the three happens.
  virtual WaitStatus wait_until(MutexLock& lock, CondVar& cv, TimePoint deadline,
                                std::stop_token stop, const std::function<bool()>& ready) = 0;

  /// Sleeps. Returns Stopped when `stop` is requested before the deadline, else TimedOut.
  /// @par Blocks   The calling thread, until then.
  WaitStatus sleep_until(TimePoint deadline, std::stop_token stop);
  WaitStatus sleep_for(Duration duration, std::stop_token stop) {
    return sleep_until(deadline_after(now(), duration), std::move(stop));
  }
};

/// The system's clock; one object for the process.
std::shared_ptr<Clock> real_clock();

}  // namespace kube
