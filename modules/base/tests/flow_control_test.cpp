// SPDX-License-Identifier: Apache-2.0
#include <kube/base/flow_control.hpp>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/testing/fake_clock.hpp>

namespace kube::flowcontrol {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class FlowControl : public ::testing::Test {
 protected:
  std::shared_ptr<kube::testing::FakeClock> clock = std::make_shared<kube::testing::FakeClock>();
};

TEST_F(FlowControl, FLOW_01_ABurstIsAcceptedThenRefused) {
  const auto limiter = token_bucket_rate_limiter(1, 3, clock);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter->try_accept());
  EXPECT_FALSE(limiter->try_accept());
}

TEST_F(FlowControl, FLOW_02_TokensComeBackWithTime) {
  const auto limiter = token_bucket_rate_limiter(1, 1, clock);
  EXPECT_TRUE(limiter->try_accept());
  EXPECT_FALSE(limiter->try_accept());
  clock->advance(2s);
  EXPECT_TRUE(limiter->try_accept());
}

TEST_F(FlowControl, FLOW_03_SixteenAtTenASecondWithABurstOfFiveTakeASecond) {
  const SeededExecutor executor(1);
  const TimePoint start = executor.clock()->now();
  const auto limiter = token_bucket_rate_limiter(10, 5, executor.clock());
  for (int i = 0; i < 16; ++i) limiter->accept();
  EXPECT_GE(executor.clock()->now() - start, 1s);
}

TEST_F(FlowControl, FLOW_04_AWaitFailsAtOnceWhenItsDeadlineComesFirst) {
  const auto limiter = token_bucket_rate_limiter(0.0001F, 1, clock);
  EXPECT_TRUE(limiter->wait_until(clock->now() + 1s, {}));
  const auto late = limiter->wait_until(clock->now() + 1s, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
}

TEST_F(FlowControl, FLOW_05_ManyThreadsGetNoMoreThanTheRate) {
  const auto limiter = token_bucket_rate_limiter(100, 1, clock);
  std::atomic<int> accepted = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      limiter->accept();
      ++accepted;
      accepted.notify_one();
    });
  }
  for (int ticks = 0; ticks < 9; ++ticks) {
    for (int seen = accepted; seen < ticks + 1; seen = accepted) accepted.wait(seen);
    clock->await_waiters(static_cast<std::size_t>(9 - ticks));
    EXPECT_EQ(accepted.load(), ticks + 1) << "one at the start, one every 10 ms";
    clock->advance(10ms);
  }
  threads.clear();
  EXPECT_EQ(accepted.load(), 10);
}

TEST_F(FlowControl, FLOW_06_ARateJustBelowTheStepsNeverRefuses) {
  const auto limiter = token_bucket_rate_limiter(1 / 1.031425F, 1, clock);
  for (int i = 0; i < 60; ++i) {
    EXPECT_TRUE(limiter->try_accept()) << i;
    clock->advance(2s);
  }
}

TEST_F(FlowControl, FLOW_07_FakesAlwaysOrNeverAccept) {
  const auto always = always_rate_limiter();
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(always->try_accept());
    EXPECT_TRUE(always->wait({}));
    always->accept();
  }
  const auto never = never_rate_limiter();
  EXPECT_FALSE(never->try_accept());
  EXPECT_FALSE(never->wait({}));
  std::promise<void> begun;
  std::atomic<bool> stopped = false;
  auto accepted_before = std::async(std::launch::async, [&] {
    begun.set_value();
    never->accept();
    return !stopped;
  });
  begun.get_future().wait();
  std::this_thread::yield();  // to one that would return
  stopped = true;
  never->stop();
  EXPECT_FALSE(accepted_before.get());
}

TEST_F(FlowControl, FLOW_08_ReportsTheConfiguredRate) {
  for (const float qps : {5.0F, 0.1F, 1 / 3.0F}) {
    EXPECT_EQ(token_bucket_rate_limiter(qps, 1, clock)->qps(), qps);
  }
}

TEST_F(FlowControl, FLOW_09_DelaysDoubleUpToTheMaximum) {
  Backoff backoff({.initial = 1s, .max = 50s}, clock);
  std::vector<Duration> delays;
  for (int i = 0; i < 10; ++i) {
    delays.push_back(backoff.get("id"));
    backoff.next("id", clock->now());
    clock->advance(1s);
  }
  EXPECT_THAT(delays, ElementsAre(0s, 1s, 2s, 4s, 8s, 16s, 32s, 50s, 50s, 50s));
  backoff.reset("id");
  EXPECT_EQ(backoff.get("id"), 0s);
}

TEST_F(FlowControl, FLOW_10_FLOW_11_AnEntryRestartsWhenItIsOlderThanTwiceTheMaximum) {
  Backoff backoff({.initial = 1s, .max = 5s}, clock);
  for (int i = 0; i < 4; ++i) backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 5s);
  for (const Duration gap : {6s, 10s}) {
    clock->advance(gap);
    backoff.next("id", clock->now());
    EXPECT_EQ(backoff.get("id"), 5s) << "at most twice the maximum";
  }
  clock->advance(10s + 1ns);
  backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 1s);
}

TEST_F(FlowControl, FLOW_12_GcRemovesExpiredEntriesOnly) {
  Backoff backoff({.initial = 1s, .max = 5s}, clock);
  backoff.next("old", clock->now());
  clock->advance(8s);
  backoff.next("new", clock->now());
  clock->advance(3s);
  backoff.gc();
  EXPECT_EQ(backoff.get("old"), 0s);
  EXPECT_EQ(backoff.get("new"), 1s);
}

TEST_F(FlowControl, FLOW_12_AnotherPredicateDecidesEverywhere) {
  bool expired = false;
  Backoff backoff({.initial = 10s,
                   .max = 60s,
                   .has_expired =
                       [&](TimePoint, TimePoint, Duration max) {
                         EXPECT_EQ(max, 60s);
                         return expired;
                       }},
                  clock);
  backoff.next("id", clock->now());
  clock->advance(1h);
  backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 20s);
  EXPECT_TRUE(backoff.is_in_backoff_since("id", clock->now()));
  EXPECT_TRUE(backoff.is_in_backoff_since_update("id", clock->now()));
  backoff.gc();
  EXPECT_EQ(backoff.get("id"), 20s);
  expired = true;
  EXPECT_FALSE(backoff.is_in_backoff_since("id", clock->now()));
  EXPECT_FALSE(backoff.is_in_backoff_since_update("id", clock->now()));
  backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 10s);
  backoff.gc();
  EXPECT_EQ(backoff.get("id"), 0s);
}

TEST_F(FlowControl, FLOW_13_IsInBackoffSinceTheLastUpdate) {
  Backoff backoff({.initial = 1s, .max = 10s}, clock);
  const TimePoint start = clock->now();
  std::vector<int> free;
  std::vector<Duration> delays;
  for (int tick = 0; tick <= 57; ++tick, clock->advance(1s)) {
    // After 35 there are no events until 56, which is more than twice the maximum later.
    if (tick > 35 && tick < 56) continue;
    if (backoff.is_in_backoff_since_update("id", start + tick * 1s)) continue;
    free.push_back(tick);
    backoff.next("id", start + tick * 1s);
    delays.push_back(backoff.get("id"));
  }
  EXPECT_THAT(free, ElementsAre(0, 1, 3, 7, 15, 25, 35, 56, 57));
  EXPECT_THAT(delays, ElementsAre(1s, 2s, 4s, 8s, 10s, 10s, 10s, 1s, 2s));
}

TEST_F(FlowControl, FLOW_14_JitterIsAShareOfTheDelayBefore) {
  const RandomSource half = [] { return 0.5; };
  Backoff backoff({.initial = 1s, .max = 4s, .jitter = 0.2}, clock, half);
  std::vector<Duration> delays;
  for (int i = 0; i < 3; ++i) {
    backoff.next("id", clock->now());
    delays.push_back(backoff.get("id"));
  }
  EXPECT_THAT(delays, ElementsAre(1100ms, 2310ms, 4s));
  Backoff uncapped({.initial = 4s, .max = 4s, .jitter = 0.2}, clock, half);
  uncapped.next("id", clock->now());
  EXPECT_EQ(uncapped.get("id"), 4400ms);
  Backoff none({.initial = 1s, .max = 4s, .jitter = 0}, clock, half);
  none.next("id", clock->now());
  EXPECT_EQ(none.get("id"), 1s);
}

TEST_F(FlowControl, FLOW_15_TheClockStampsAnUpdateNotTheEvent) {
  Backoff backoff({.initial = 10s, .max = 60s}, clock);
  const TimePoint now = clock->now();
  backoff.next("id", now - 1h);
  EXPECT_TRUE(backoff.is_in_backoff_since_update("id", now + 9s));
  EXPECT_FALSE(backoff.is_in_backoff_since_update("id", now + 10s));
}

}  // namespace
}  // namespace kube::flowcontrol
