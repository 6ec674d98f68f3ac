// SPDX-License-Identifier: Apache-2.0
#include <kube/base/token_bucket.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;

class TokenBucketTest : public ::testing::Test {
 protected:
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
};

TEST_F(TokenBucketTest, THR_01_ManyThreadsGetNoMoreThanTheRate) {
  TokenBucket bucket(100, 1, clock);
  std::atomic<int> wanted = 100;
  std::atomic<int> accepted = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      while (wanted.fetch_sub(1) > 0) {
        EXPECT_TRUE(bucket.wait({}));
        ++accepted;
        accepted.notify_one();
      }
    });
  }
  const TimePoint start = clock->now();
  for (int ticks = 0; ticks < 99; ++ticks) {
    // The threads that ended at the last ones don't wait again, so the count may still lag behind.
    for (int seen = accepted; seen < ticks + 1; seen = accepted) accepted.wait(seen);
    clock->await_waiters(static_cast<std::size_t>(std::min(10, 99 - ticks)));
    EXPECT_EQ(accepted.load(), ticks + 1) << "one at the start, one every 10 ms";
    clock->advance(10ms);
  }
  threads.clear();
  EXPECT_EQ(accepted.load(), 100);
  EXPECT_EQ(clock->now() - start, 990ms);
}

TEST_F(TokenBucketTest, THR_02_BurstIsAcceptedThenRefused) {
  TokenBucket bucket(1, 3, clock);
  EXPECT_EQ(bucket.qps(), 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.try_accept());
  EXPECT_FALSE(bucket.try_accept());
}

TEST_F(TokenBucketTest, THR_03_RefillsWithTime) {
  TokenBucket bucket(1, 1, clock);
  EXPECT_TRUE(bucket.try_accept());
  EXPECT_FALSE(bucket.try_accept());
  clock->advance(1s - 1ns);
  EXPECT_FALSE(bucket.try_accept());
  clock->advance(1ns + 1s);
  EXPECT_TRUE(bucket.try_accept());
  EXPECT_FALSE(bucket.try_accept()) << "never more than the burst";
}

TEST(TokenBucket, THR_04_SixteenAtTenASecondWithABurstOfFiveTakeASecond) {
  SeededExecutor executor(1);
  const TimePoint start = executor.clock()->now();
  TokenBucket bucket(10, 5, executor.clock());
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(bucket.wait({}));
  EXPECT_EQ(executor.clock()->now() - start, 1s);
  EXPECT_TRUE(bucket.wait({}));
  EXPECT_GE(executor.clock()->now() - start, 1s);
}

TEST_F(TokenBucketTest, THR_06_WaitFailsAtOnceWhenTheDeadlineComesFirst) {
  TokenBucket bucket(0.0001, 1, clock);
  EXPECT_TRUE(bucket.wait_until(clock->now() + 1s, {}));
  for (int i = 0; i < 2; ++i) {
    const Result<void> late = bucket.wait_until(clock->now() + 1s, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  }
  clock->advance(10'000s);
  EXPECT_TRUE(bucket.try_accept()) << "what failed took nothing";
}

TEST_F(TokenBucketTest, THR_07_RatesJustBelowTheStepsNeverRefuse) {
  for (const double qps : {0.5, 0.50001, 0.9999, 0.9999999}) {
    TokenBucket bucket(qps, 1, clock);
    for (int i = 0; i < 60; ++i) {
      EXPECT_TRUE(bucket.try_accept()) << qps << " step " << i;
      clock->advance(2s);
    }
  }
}

TEST_F(TokenBucketTest, ReservationsQueueUp) {
  TokenBucket bucket(10, 2, clock);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 0s);
  for (int i = 1; i <= 20; ++i) EXPECT_EQ(bucket.reserve(), 100ms * i);
  EXPECT_FALSE(bucket.try_accept());
  clock->advance(2s);
  EXPECT_EQ(bucket.reserve(), 100ms);
  clock->advance(1h);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 100ms);
}

TEST_F(TokenBucketTest, BucketThatNeverRefillsSaysSo) {
  TokenBucket bucket(0, 1, clock);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), Duration::max());
  const Result<void> never = bucket.wait({});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code(), ErrorCode::Timeout);
  TokenBucket without_burst(10, 0, clock);
  EXPECT_FALSE(without_burst.try_accept());
  EXPECT_EQ(without_burst.reserve(), Duration::max());
  EXPECT_FALSE(without_burst.wait({}));
}

TEST_F(TokenBucketTest, StopEndsAWaitAndGivesTheTokenBack) {
  TokenBucket bucket(1, 1, clock);
  EXPECT_TRUE(bucket.try_accept());
  std::optional<Result<void>> result;
  std::jthread waiter([&](const std::stop_token& stop) { result = bucket.wait(stop); });
  clock->await_waiters(1);
  EXPECT_EQ(bucket.reserve(), 2s) << "behind the waiter";
  waiter.request_stop();
  waiter.join();
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(bucket.reserve(), 2s) << "in the place that became free";
}

TEST_F(TokenBucketTest, StoppedBeforeTakesNothing) {
  TokenBucket bucket(1, 1, clock);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(bucket.wait(stop.get_token()).error().code(), ErrorCode::Cancelled);
  EXPECT_TRUE(bucket.try_accept());
}

TEST_F(TokenBucketTest, WhatIsGivenBackMayBeTakenAgain) {
  TokenBucket bucket(1, 2, clock);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 0s);
  bucket.give_back(0.5);
  EXPECT_EQ(bucket.reserve(), 500ms);
  bucket.give_back(100);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 0s);
  EXPECT_EQ(bucket.reserve(), 1s) << "never more than the burst";
}

}  // namespace
}  // namespace kube
