// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::eventually: waits for what other threads bring about.
//
//   ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <kube/base/clock.hpp>

namespace kube::testing {

struct EventuallyOptions {
  /// So that a broken test fails instead of hanging; the bound plays no part otherwise.
  Duration timeout = std::chrono::seconds(30);
  Duration interval = std::chrono::milliseconds(1);  ///< Between two looks.
  std::shared_ptr<Clock> clock = real_clock();
};

/// Asks `holds()` again and again until it is true; the thread sleeps in between. Conditions of a
/// fake clock or of an executor that the test runs itself need none of this: see
/// FakeClock::await_waiters() and SeededExecutor::run_until().
/// @return   What it said last: false when it did not hold within the timeout. What it throws
///   reaches the caller.
/// @par Blocks   Until then.
[[nodiscard]] bool eventually(const std::function<bool()>& holds,
                              const EventuallyOptions& options = {});

}  // namespace kube::testing
