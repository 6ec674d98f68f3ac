// SPDX-License-Identifier: Apache-2.0
#include <kube/base/time_limit.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

using namespace std::chrono_literals;

TEST(TimeLimit, StopsItsTokenWhenItsTimeIsOver) {
  SeededExecutor executor(1);
  const TimeLimit limit(executor, 5s, {});
  executor.run_for(5s - 1ns);
  EXPECT_FALSE(limit.token().stop_requested());
  EXPECT_FALSE(limit.is_over());
  executor.run_for(1ns);
  EXPECT_TRUE(limit.token().stop_requested());
  EXPECT_TRUE(limit.is_over());
}

TEST(TimeLimit, AStopIsNotTheEndOfItsTime) {
  SeededExecutor executor(1);
  std::stop_source stop;
  const TimeLimit limit(executor, 5s, stop.get_token());
  stop.request_stop();
  EXPECT_TRUE(limit.token().stop_requested());
  executor.run_for(10s);
  EXPECT_FALSE(limit.is_over()) << "the stop came first";
}

TEST(TimeLimit, AStopAfterTheEndOfItsTimeChangesNothing) {
  SeededExecutor executor(1);
  std::stop_source stop;
  const TimeLimit limit(executor, 5s, stop.get_token());
  executor.run_for(5s);
  stop.request_stop();
  EXPECT_TRUE(limit.is_over()) << "the time came first";

  const TimeLimit stopped(executor, 5s, stop.get_token());
  executor.run_for(5s);
  EXPECT_TRUE(stopped.token().stop_requested());
  EXPECT_FALSE(stopped.is_over());
}

TEST(TimeLimit, TheGreatestDurationIsNoLimitAndANegativeOneIsOverSoon) {
  SeededExecutor executor(1);
  const TimeLimit none(executor, Duration::max(), {});
  EXPECT_FALSE(executor.step()) << "no timer runs";
  EXPECT_FALSE(none.token().stop_requested());

  const TimeLimit past(executor, -1s, {});
  executor.run_for(0s);
  EXPECT_TRUE(past.is_over());
}

TEST(TimeLimit, ItsTimerEndsWithIt) {
  SeededExecutor executor(1);
  { const TimeLimit limit(executor, 5s, {}); }
  const TimePoint start = executor.clock()->now();
  while (executor.step()) {
  }
  EXPECT_EQ(executor.clock()->now(), start) << "no time is left to wait for";
}

}  // namespace
}  // namespace kube
