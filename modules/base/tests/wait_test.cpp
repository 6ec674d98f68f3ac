// SPDX-License-Identifier: Apache-2.0
#include <kube/base/wait.hpp>

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/testing/recording_logger.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;

std::vector<Duration> steps_of(Backoff::Options options, int count, double random = 0) {
  Backoff backoff(options, [random] { return random; });
  std::vector<Duration> steps;
  for (int i = 0; i < count; ++i) steps.push_back(backoff.next());
  return steps;
}

// Virtual time: waiting costs nothing and happens on the test's thread.
class Wait : public ::testing::Test {
 protected:
  // Holds at the call of this number; 0 for never.
  WaitCondition holds_at(std::size_t call) {
    return [this, call](const std::stop_token&) -> Result<bool> {
      calls.push_back(clock.now() - start);
      return calls.size() == call;
    };
  }
  WaitCondition fails() {
    return [this](const std::stop_token&) -> Result<bool> {
      calls.push_back(clock.now() - start);
      return Error(ErrorCode::Config, "broken");
    };
  }
  Timer stop_after(Duration delay) {
    return executor.submit_after(delay, [this] { stop.request_stop(); });
  }
  static std::string text(const Result<void>& result) {
    return result ? "success" : result.error().to_string();
  }

  SeededExecutor executor{1};
  Clock& clock = *executor.clock();
  const TimePoint start = clock.now();
  std::vector<Duration> calls;
  std::stop_source stop;
};

TEST(WaitBackoff, WAIT_06_WithoutStepsTheDelayStays) {
  for (const int steps : {0, -1}) {
    EXPECT_THAT(steps_of({.initial = 2s, .factor = 3, .jitter = 0, .steps = steps}, 3), Each(2s));
    EXPECT_THAT(steps_of({.initial = 2s, .factor = 3, .jitter = 0.5, .steps = steps}, 3, 0.5),
                Each(2500ms));
  }
  // What a null backoff is in Go.
  EXPECT_THAT(steps_of({.initial = 0s, .steps = 0}, 3, 0.5), Each(0s));
}

TEST(WaitBackoff, WAIT_07_GrowsUpToTheCapAndStaysThere) {
  EXPECT_THAT(steps_of({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0, .steps = 3}, 3),
              ElementsAre(1s, 2s, 4s));
  EXPECT_THAT(steps_of({.initial = 1s, .cap = 3s, .factor = 2, .jitter = 0, .steps = 3}, 5),
              ElementsAre(1s, 2s, 3s, 3s, 3s));
}

TEST(WaitBackoff, WAIT_08_WithoutAFactorTheDelayIsConstant) {
  for (const double factor : {0.0, 1.0}) {
    EXPECT_THAT(steps_of({.initial = 1s, .cap = 0s, .factor = factor, .jitter = 0}, 4), Each(1s));
  }
}

TEST(WaitBackoff, WAIT_09_JitterIsAddedToTheReturnedDelayOnly) {
  EXPECT_THAT(steps_of({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0.5}, 3, 0.5),
              ElementsAre(1250ms, 2500ms, 5s));
  for (const double factor : {0.5, 1.0, 3.0}) {
    for (int i = 0; i < 20; ++i) {
      const auto most = Duration(static_cast<Duration::rep>(1e9 * (1 + factor)));
      EXPECT_THAT(jittered(1s, factor, default_random()), AllOf(Ge(1s), Le(most)));
    }
  }
  for (const double factor : {0.0, -1.0})
    EXPECT_EQ(jittered(1s, factor, [] { return 0.5; }), 1500ms);
}

TEST_F(Wait, WAIT_10_TheConditionIsCalledOnceForEachStep) {
  const Backoff::Options backoff{.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0, .steps = 4};
  EXPECT_EQ(text(exponential_backoff(clock, backoff, holds_at(0), {})),
            "timed out waiting for the condition");
  EXPECT_THAT(calls, ElementsAre(0s, 1s, 3s, 7s));
  EXPECT_EQ(clock.now() - start, 7s) << "no pause after the last call";
  calls.clear();
  EXPECT_TRUE(exponential_backoff(clock, backoff, holds_at(2), {}));
  EXPECT_EQ(calls.size(), 2U);
  calls.clear();
  EXPECT_EQ(text(exponential_backoff(clock, backoff, fails(), {})), "broken");
  EXPECT_EQ(calls.size(), 1U);
  calls.clear();
  Backoff::Options none = backoff;
  none.steps = 0;
  EXPECT_EQ(text(exponential_backoff(clock, none, holds_at(1), {})),
            "timed out waiting for the condition");
  EXPECT_THAT(calls, IsEmpty());
}

TEST_F(Wait, WAIT_11_ATimeoutAndAStopAreInterruptions) {
  EXPECT_EQ(wait_timeout().message(), "timed out waiting for the condition");
  EXPECT_TRUE(is_wait_interrupted(wait_timeout()));
  EXPECT_TRUE(is_wait_interrupted(wait_timeout().with_context("waiting for x")));
  EXPECT_TRUE(is_wait_interrupted(Error(ErrorCode::Cancelled, "stopped")));
  EXPECT_TRUE(is_wait_interrupted(Error(ErrorCode::Timeout, "deadline")));
  EXPECT_FALSE(is_wait_interrupted(Error(ErrorCode::Config, "broken")));
}

TEST_F(Wait, WAIT_12_PollsUntilTheConditionHoldsOrFailsOrAStop) {
  EXPECT_TRUE(poll_until(clock, 1s, true, holds_at(3), {}));
  EXPECT_THAT(calls, ElementsAre(0s, 1s, 2s));
  EXPECT_EQ(text(poll_until(clock, 1s, true, fails(), {})), "broken");
  const Timer timer = stop_after(2500ms);
  const auto stopped = poll_until(clock, 1s, true, holds_at(0), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  calls.clear();
  // Requested before: one call all the same.
  EXPECT_FALSE(poll_until(clock, 1s, true, holds_at(0), stop.get_token()));
  EXPECT_EQ(calls.size(), 1U);
  calls.clear();
  EXPECT_TRUE(poll_until(clock, 1s, true, holds_at(1), stop.get_token()));
}

TEST_F(Wait, WAIT_13_ATimeoutEndsThePolling) {
  EXPECT_EQ(text(poll_until_timeout(clock, 1s, 2500ms, true, holds_at(0), {})),
            "timed out waiting for the condition");
  EXPECT_THAT(calls, ElementsAre(0s, 1s, 2s));
  EXPECT_EQ(clock.now() - start, 2500ms);
  calls.clear();
  EXPECT_TRUE(poll_until_timeout(clock, 1s, 10s, true, holds_at(2), {}));
}

TEST_F(Wait, WAIT_14_WaitsOneIntervalFirstUnlessImmediate) {
  EXPECT_TRUE(poll_until(clock, 1s, false, holds_at(2), {}));
  EXPECT_THAT(calls, ElementsAre(1s, 2s));
}

TEST_F(Wait, WAIT_15_RepeatsAtOnceAndThenEveryPeriod) {
  const auto run = [this] {
    calls.push_back(clock.now() - start);
    (void)clock.sleep_for(300ms, {});
    if (calls.size() == 3) stop.request_stop();
  };
  repeat_until(clock, {.period = 1s}, run, stop.get_token());
  EXPECT_THAT(calls, ElementsAre(0s, 1300ms, 2600ms));
  calls.clear();
  repeat_until(clock, {.period = 1s}, run, stop.get_token());
  EXPECT_THAT(calls, IsEmpty()) << "stopped before";
  stop = {};
  const TimePoint again = clock.now();
  repeat_until(clock, {.period = 1s, .sliding = false}, run, stop.get_token());
  EXPECT_THAT(calls, ElementsAre(again - start, again - start + 1s, again - start + 2s));

  const auto log = std::make_shared<testing::RecordingLogger>();
  const auto throws = [] { throw std::runtime_error("broken"); };
  EXPECT_THROW(repeat_until(clock, {.period = 1s}, throws, {}, log), std::runtime_error);
  EXPECT_THAT(log->take_lines(), ElementsAre("error wait: a repeated function threw error=broken"));
}

TEST_F(Wait, WAIT_16_WithoutJitterThePeriodIsFixed) {
  const auto run = [this] {
    calls.push_back(clock.now() - start);
    if (calls.size() == 3) stop.request_stop();
  };
  for (const double jitter : {0.0, -1.0}) {
    stop = {};
    calls.clear();
    const Duration begun = clock.now() - start;
    repeat_until(clock, {.period = 1s, .jitter = jitter}, run, stop.get_token(), nullptr,
                 [] { return 0.5; });
    EXPECT_THAT(calls, ElementsAre(begun, begun + 1s, begun + 2s));
  }
  stop = {};
  calls.clear();
  const Duration begun = clock.now() - start;
  repeat_until(clock, {.period = 1s, .jitter = 1}, run, stop.get_token(), nullptr,
               [] { return 0.5; });
  EXPECT_THAT(calls, ElementsAre(begun, begun + 1500ms, begun + 3s));
}

TEST_F(Wait, WAIT_17_ABackoffStartsAgainAfterAnIdleTime) {
  BackoffWithReset backoff({.initial = 1s, .cap = 10s, .factor = 2, .jitter = 0}, 10s,
                           executor.clock());
  std::vector<Duration> delays;
  for (int i = 0; i < 7; ++i) delays.push_back(backoff.next());
  EXPECT_THAT(delays, ElementsAre(1s, 2s, 4s, 8s, 10s, 10s, 10s));
  (void)clock.sleep_for(10s + 1ns, {});
  EXPECT_EQ(backoff.next(), 1s);
}

TEST_F(Wait, WAIT_18_AStopDuringAPauseEndsTheLoop) {
  const Timer timer = stop_after(2s);
  const auto stopped =
      exponential_backoff(clock, {.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0, .steps = 5},
                          holds_at(0), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(calls, ElementsAre(0s, 1s));
}

}  // namespace
}  // namespace kube
