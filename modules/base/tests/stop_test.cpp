// SPDX-License-Identifier: Apache-2.0
#include <kube/base/stop.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

static_assert(!std::is_copy_constructible_v<StopGroup> && !std::is_move_constructible_v<StopGroup>);

TEST(StopGroup, StopsWithAnyOfItsParentsAndNotTheOtherWayRound) {
  for (int which = 0; which < 2; ++which) {
    std::stop_source one;
    std::stop_source two;
    StopGroup group{one.get_token(), two.get_token()};
    EXPECT_FALSE(group.stop_requested());
    (which == 0 ? one : two).request_stop();
    EXPECT_TRUE(group.stop_requested());
    EXPECT_TRUE(group.token().stop_requested());
    EXPECT_FALSE((which == 0 ? two : one).stop_requested());
  }
}

TEST(StopGroup, StopsOnItsOwn) {
  std::stop_source parent;
  StopGroup group{parent.get_token()};
  EXPECT_TRUE(group.request_stop());
  EXPECT_FALSE(group.request_stop());
  EXPECT_TRUE(group.token().stop_requested());
  EXPECT_FALSE(parent.stop_requested());
}

TEST(StopGroup, ParentThatHasStoppedStopsItAtOnce) {
  std::stop_source parent;
  parent.request_stop();
  StopGroup group;
  group.add({});
  EXPECT_FALSE(group.stop_requested());
  group.add(parent.get_token());
  EXPECT_TRUE(group.stop_requested());
}

TEST(StopGroup, MayBeGoneBeforeItsParentsStop) {
  std::stop_source parent;
  std::stop_token token;
  {
    StopGroup group{parent.get_token()};
    token = group.token();
  }
  parent.request_stop();
  EXPECT_FALSE(token.stop_requested());
}

TEST(StopGroup, MayBeDestroyedByACallbackOfItsOwnToken) {
  std::stop_source parent;
  auto group = std::make_unique<StopGroup>();
  group->add(parent.get_token());
  const std::stop_token token = group->token();
  const std::stop_callback callback(token, [&] { group.reset(); });
  parent.request_stop();
  EXPECT_EQ(group, nullptr);
  EXPECT_TRUE(token.stop_requested());
}

TEST(StopGroup, ParentsMayBeAddedAndStoppedByManyThreads) {
  for (int round = 0; round < 20; ++round) {
    StopGroup group;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&](const std::stop_token& own) { group.add(own); });
    }
    threads[0].request_stop();
    threads.clear();
    EXPECT_TRUE(group.stop_requested());
  }
}

TEST(IsInterrupted, TrueForTimeoutAndCancelledWithAnyContext) {
  EXPECT_TRUE(is_interrupted(Error(ErrorCode::Timeout, "t")));
  EXPECT_TRUE(is_interrupted(Error(ErrorCode::Cancelled, "c")));
  EXPECT_TRUE(
      is_interrupted(Error(ErrorCode::Timeout, "t").with_context("waiting").with_context("doing")));
  EXPECT_FALSE(is_interrupted(Error(ErrorCode::Server, "timed out")));
  EXPECT_FALSE(is_interrupted(Error(ErrorCode::Internal, "Cancelled")));
}

/// Loops run on the virtual clock of a seeded executor: waiting moves time.
class LoopTest : public ::testing::Test {
 protected:
  Duration passed() const { return clock->now() - start; }
  void spend(Duration duration) { clock->sleep_for(duration, {}); }

  SeededExecutor executor{1};
  std::shared_ptr<Clock> clock = executor.clock();
  TimePoint start = clock->now();
  std::stop_source stop;
  std::vector<Duration> runs;
};

TEST_F(LoopTest, BWAIT_07_RunEveryNeverRunsWhenStoppedBefore) {
  stop.request_stop();
  run_every(
      clock, {.period = 1s}, [&] { runs.push_back(passed()); }, stop.get_token());
  EXPECT_THAT(runs, ElementsAre());
}

TEST_F(LoopTest, BWAIT_07_RunEveryDoesNotWaitThePeriodInWhichItIsStopped) {
  run_every(
      clock, {.period = 1h},
      [&] {
        runs.push_back(passed());
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_THAT(runs, ElementsAre(0s));
  EXPECT_EQ(passed(), 0s);
}

TEST_F(LoopTest, RunEverySlidingCountsThePeriodFromTheEndOfTheRun) {
  run_every(
      clock, {.period = 10s},
      [&] {
        runs.push_back(passed());
        spend(3s);
        if (runs.size() == 3) stop.request_stop();
      },
      stop.get_token());
  EXPECT_THAT(runs, ElementsAre(0s, 13s, 26s));
}

TEST_F(LoopTest, RunEveryNotSlidingCountsItFromTheStartAndFollowsLongRunsAtOnce) {
  run_every(
      clock, {.period = 10s, .sliding = false},
      [&] {
        runs.push_back(passed());
        spend(runs.size() == 2 ? 12s : 3s);
        if (runs.size() == 4) stop.request_stop();
      },
      stop.get_token());
  EXPECT_THAT(runs, ElementsAre(0s, 10s, 22s, 32s));
}

TEST_F(LoopTest, RunEveryMayBeginWithAPeriodAndJitterIt) {
  run_every(
      clock, {.period = 10s, .jitter = 0.5, .immediate = false, .random = [] { return 0.4; }},
      [&] {
        runs.push_back(passed());
        if (runs.size() == 2) stop.request_stop();
      },
      stop.get_token());
  EXPECT_THAT(runs, ElementsAre(12s, 24s));
}

TEST_F(LoopTest, BWAIT_17_RunEveryGoesOnAfterAnExceptionIfSomebodyTakesIt) {
  std::vector<std::string> caught;
  run_every(
      clock,
      {.period = 1s,
       .on_exception =
           [&](const std::exception_ptr& exception) {
             try {
               std::rethrow_exception(exception);
             } catch (const std::runtime_error& e) {
               caught.emplace_back(e.what());
             }
           }},
      [&] {
        runs.push_back(passed());
        if (runs.size() == 3) stop.request_stop();
        throw std::runtime_error("boom");
      },
      stop.get_token());
  EXPECT_EQ(runs.size(), 3U);
  EXPECT_THAT(caught, ElementsAre("boom", "boom", "boom"));
  EXPECT_THROW(run_every(clock, {.period = 1s}, [] { throw std::runtime_error("boom"); }, {}),
               std::runtime_error);
}

TEST_F(LoopTest, BWAIT_08_PollStoppedBeforeLooksOnceIfImmediateElseNever) {
  stop.request_stop();
  for (const bool immediate : {false, true}) {
    int looks = 0;
    const Result<void> result = poll_until(
        clock, {.interval = 1s, .immediate = immediate},
        [&]() -> Result<bool> {
          ++looks;
          return false;
        },
        stop.get_token());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::Cancelled);
    EXPECT_EQ(looks, immediate ? 1 : 0);
  }
}

TEST_F(LoopTest, BWAIT_09_PollEndsWhenTheConditionHoldsOrFails) {
  EXPECT_TRUE(poll_until(clock, {.interval = 1s},
                         [&]() -> Result<bool> {
                           runs.push_back(passed());
                           return runs.size() == 3;
                         },
                         {}));
  EXPECT_THAT(runs, ElementsAre(0s, 1s, 2s));
  const Result<void> failed =
      poll_until(clock, {.interval = 1s},
                 [&]() -> Result<bool> { return Error(ErrorCode::Server, "no"); }, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::Server);
}

TEST_F(LoopTest, BWAIT_10_PollStoppedInARunEndsAfterIt) {
  int looks = 0;
  const Result<void> result = poll_until(
      clock, {.interval = 1s},
      [&]() -> Result<bool> {
        if (++looks == 5) stop.request_stop();
        return false;
      },
      stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(looks, 5);
}

TEST_F(LoopTest, BWAIT_11_LongConditionsAreAskedAgainAtOnceUnlessSliding) {
  for (const bool sliding : {false, true}) {
    const TimePoint begin = clock->now();
    int looks = 0;
    EXPECT_TRUE(poll_until(clock, {.interval = 1s, .sliding = sliding},
                           [&]() -> Result<bool> {
                             spend(1s);
                             return ++looks == 4;
                           },
                           {}));
    EXPECT_EQ(clock->now() - begin, sliding ? 7s : 4s);
  }
}

TEST_F(LoopTest, PollTimesOutWithoutAnotherLook) {
  const Result<void> result =
      poll_until(clock, {.interval = 1s, .timeout = 2500ms, .immediate = false},
                 [&]() -> Result<bool> {
                   runs.push_back(passed());
                   return false;
                 },
                 {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(runs, ElementsAre(1s, 2s));
  EXPECT_EQ(passed(), 2500ms);
}

TEST(PollUntil, StopEndsAWaitThatHasBegun) {
  const auto fake = std::make_shared<testing::FakeClock>();
  std::optional<Result<void>> result;
  std::jthread poller([&](const std::stop_token& stop) {
    result = poll_until(
        fake, {.interval = 1h}, []() -> Result<bool> { return false; }, stop);
  });
  fake->await_waiters(1);
  poller.request_stop();
  poller.join();
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().code(), ErrorCode::Cancelled);
}

TEST_F(LoopTest, BWAIT_12_RetryAsksAtMostStepsTimesWithDelaysInBetween) {
  const Backoff backoff({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0});
  const auto try_until = [&](int steps, int succeed_at) {
    runs.clear();
    start = clock->now();
    return retry_with_backoff(clock, backoff, steps,
                              [&]() -> Result<bool> {
                                runs.push_back(passed());
                                return static_cast<int>(runs.size()) == succeed_at;
                              },
                              {});
  };
  EXPECT_EQ(try_until(0, 1).error().code(), ErrorCode::Timeout);
  EXPECT_THAT(runs, ElementsAre());
  EXPECT_EQ(try_until(3, 0).error().code(), ErrorCode::Timeout);
  EXPECT_THAT(runs, ElementsAre(0s, 1s, 3s));
  EXPECT_EQ(passed(), 3s) << "no delay after the last";
  EXPECT_TRUE(try_until(3, 2));
  EXPECT_THAT(runs, ElementsAre(0s, 1s));
}

TEST_F(LoopTest, BWAIT_13_RetryStoppedBeforeNeverAsks) {
  stop.request_stop();
  int asked = 0;
  const Result<void> result = retry_with_backoff(
      clock, Backoff({}), 3,
      [&]() -> Result<bool> {
        ++asked;
        return true;
      },
      stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(asked, 0);
}

TEST_F(LoopTest, RetryStopsBetweenAttemptsAndAtAnError) {
  const auto stopped = retry_with_backoff(
      clock, Backoff({}), 3,
      [&]() -> Result<bool> {
        stop.request_stop();
        return false;
      },
      stop.get_token());
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  const auto failed = retry_with_backoff(
      clock, Backoff({}), 3, []() -> Result<bool> { return Error(ErrorCode::Server, "no"); }, {});
  EXPECT_EQ(failed.error().code(), ErrorCode::Server);
}

}  // namespace
}  // namespace kube
