// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::eventually: waits for a condition that other threads make true.
//
//   ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <kube/base/clock.hpp>

namespace kube::testing {

/// The real time after which a wait of a test gives up, so that a broken program fails its test
/// instead of hanging it. No program that works reaches it, on a slow and busy machine either.
inline constexpr std::chrono::seconds kPatience = std::chrono::minutes(2);

struct EventuallyOptions {
  Duration timeout = kPatience;
  /// The time between the first two calls; it doubles with each call, up to max_interval, so that a
  /// long wait takes no time from the code that it waits for.
  Duration interval = std::chrono::milliseconds(1);
  Duration max_interval = std::chrono::milliseconds(50);
  std::shared_ptr<Clock> clock = real_clock();
};

/// Calls `holds()` until it returns true; the thread sleeps in between. For a fake clock, and for
/// an executor that the test itself runs, use FakeClock::await_waiters() and
/// SeededExecutor::run_until().
/// @return   The last result: false when `holds()` was not true within the timeout. Its exceptions
///   reach the caller.
/// @par Blocks   Until then.
/// @par Thread safety   Any thread may call it; `holds` runs on the caller's.
[[nodiscard]] bool eventually(const std::function<bool()>& holds,
                              const EventuallyOptions& options = {});

}  // namespace kube::testing
