// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/eventually.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>

namespace kube::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Time passes in sleeps alone.
class EventuallyTest : public ::testing::Test {
 protected:
  Duration passed() const { return executor_.clock()->now() - start_; }

  SeededExecutor executor_{1};
  const TimePoint start_ = executor_.clock()->now();
  const EventuallyOptions options_{.clock = executor_.clock()};
};

TEST_F(EventuallyTest, WhatHoldsAlreadyIsAskedOnce) {
  int looks = 0;
  EXPECT_TRUE(eventually([&] { return ++looks == 1; }, options_));
  EXPECT_EQ(passed(), Duration(0));
}

TEST_F(EventuallyTest, SleepsLongerAndLongerBetweenTwoLooks) {
  int looks = 0;
  EXPECT_TRUE(eventually([&] { return ++looks == 5; }, options_));
  EXPECT_EQ(passed(), milliseconds(1 + 2 + 4 + 8));
  EXPECT_TRUE(eventually([&] { return ++looks == 15; }, options_));
  EXPECT_EQ(passed(), milliseconds(15 + 63 + 3 * 50)) << "at most 50 ms";
}

TEST_F(EventuallyTest, AnIntervalAboveTheMaximumStays) {
  int looks = 0;
  EXPECT_TRUE(
      eventually([&] { return ++looks == 4; }, {.interval = seconds(2), .clock = options_.clock}));
  EXPECT_EQ(passed(), seconds(6));
}

TEST_F(EventuallyTest, WhatNeverHoldsIsFalseAfterTheTimeout) {
  int looks = 0;
  EXPECT_FALSE(eventually([&] { return ++looks < 0; }, options_));
  EXPECT_EQ(passed(), kPatience);
  EXPECT_NEAR(looks, 2406, 3) << "twenty times a second, not as often as the processor can";
  EXPECT_FALSE(
      eventually([] { return false; },
                 {.timeout = seconds(2), .interval = seconds(5), .clock = options_.clock}));
  EXPECT_EQ(passed(), kPatience + seconds(2));
}

TEST_F(EventuallyTest, LooksOnceMoreWhenTheTimeIsOver) {
  EXPECT_TRUE(eventually([&] { return passed() == kPatience; }, options_));
}

TEST_F(EventuallyTest, WhatTheConditionThrowsReachesTheCaller) {
  EXPECT_THROW(static_cast<void>(eventually(
                   []() -> bool { throw std::runtime_error("no such thing"); }, options_)),
               std::runtime_error);
}

TEST(Eventually, SeesWhatAnotherThreadDoes) {
  std::atomic<bool> done = false;
  std::jthread other([&] { done = true; });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

}  // namespace
}  // namespace kube::testing
