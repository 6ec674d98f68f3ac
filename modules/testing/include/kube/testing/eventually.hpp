// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::eventually: waits for what other threads bring about.
//
//   ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
#pragma once

#include <chrono>
#include <thread>

namespace kube::testing {

/// Asks `holds()` again and again until it is true. False after 30 s of real time, so that a broken
/// test fails instead of hanging; the bound plays no part otherwise. Conditions of a fake clock or
/// an executor that the test runs itself need none of this: FakeClock::await_waiters(),
/// SeededExecutor::run_until().
/// @par Blocks   Until then; uses the processor meanwhile.
template <class Condition>
[[nodiscard]] bool eventually(const Condition& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace kube::testing
