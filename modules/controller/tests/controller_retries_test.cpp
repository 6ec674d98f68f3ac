// SPDX-License-Identifier: Apache-2.0
//
// When a key comes back: failures, delays and rate limiters.
#include <kube/controller/controller.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controller_fixture.hpp"

namespace kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::broken;
using testing::done;

class ControllerRetries : public testing::ControllerTest {};

TEST_F(ControllerRetries, AFailedKeyComesBackWithGrowingDelayUntilItSucceeds) {
  std::vector<std::pair<Duration, int>> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) -> Result<ReconcileResult> {
        calls.emplace_back(since_start(), request.retries);
        if (calls.size() < 4) return broken();
        return done();
      },
      options());
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(seconds(10));
  const std::vector<std::pair<Duration, int>> expected{
      {milliseconds(0), 0}, {milliseconds(5), 1}, {milliseconds(15), 2}, {milliseconds(35), 3}};
  EXPECT_EQ(calls, expected);
  EXPECT_EQ(controller.status().failed, 3u);

  controller.enqueue({"", "a"});
  executor_->run_for(seconds(1));
  EXPECT_EQ(calls.back().second, 0) << "success forgets the failures";
}

TEST_F(ControllerRetries, GivesAKeyUpAfterMaxRetriesUntilItsNextEvent) {
  int calls = 0;
  ControllerOptions limited = options();
  limited.max_retries = 2;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        ++calls;
        return broken();
      },
      limited);
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(seconds(60));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(controller.status().dropped, 1u);
  controller.enqueue({"", "a"});
  executor_->run_for(seconds(60));
  EXPECT_EQ(calls, 6);
}

TEST_F(ControllerRetries, LooksAgainAfterTheDelayThatTheReconcilerAskedFor) {
  std::vector<Duration> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        calls.push_back(since_start());
        return calls.size() < 3 ? ReconcileResult::requeue_after(seconds(30))
                                : ReconcileResult::done();
      },
      options());
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(seconds(600));
  EXPECT_EQ(calls, (std::vector<Duration>{seconds(0), seconds(30), seconds(60)}));
}

TEST_F(ControllerRetries, AnExceptionIsAFailureThatIsRetried) {
  int calls = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        if (++calls == 1) throw std::runtime_error("surprise");
        if (calls == 2) throw 7;
        if (calls == 3) throw ApiException(broken());
        return done();
      },
      options());
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(seconds(10));
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(controller.status().failed, 3u);
  EXPECT_EQ(controller.status().reconciled, 1u);
}

class ThrowingLimiter final : public RateLimiter<ObjectKey> {
 public:
  Duration when(const ObjectKey&) override { return value("when"), milliseconds(5); }
  void forget(const ObjectKey&) override { value("forget"); }
  int num_requeues(const ObjectKey&) const override { return value("num_requeues"), 0; }
  std::string throws;

 private:
  void value(const std::string& function) const {
    if (function == throws) throw std::runtime_error("no quota");
  }
};

TEST_F(ControllerRetries, ARateLimiterThatThrowsCostsNeitherTheKeyNorAWorker) {
  const auto limiter = std::make_shared<ThrowingLimiter>();
  limiter->throws = "when";
  ControllerOptions limited = options();
  limited.rate_limiter = limiter;
  std::vector<std::pair<std::string, Duration>> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) -> Result<ReconcileResult> {
        calls.emplace_back(request.key.name, since_start());
        if (calls.size() == 1) return broken();
        return done();
      },
      limited);
  ASSERT_TRUE(controller.start());
  controller.enqueue({"", "a"});
  executor_->run_ready();
  controller.enqueue({"", "b"});
  executor_->run_ready();
  EXPECT_EQ(calls.size(), 2u) << "the worker is still there";
  executor_->run_for(seconds(10));
  const std::vector<std::pair<std::string, Duration>> expected{
      {"a", seconds(0)}, {"b", seconds(0)}, {"a", seconds(1)}};
  EXPECT_EQ(calls, expected);
  EXPECT_EQ(controller.status().failed, 1u);
  EXPECT_EQ(controller.status().limiter_failures, 1u);

  for (const char* function : {"forget", "num_requeues"}) {
    limiter->throws = function;
    controller.enqueue({"", "a"});
    executor_->run_for(seconds(10));
  }
  EXPECT_EQ(calls.size(), 5u) << "once for each event";
  EXPECT_EQ(controller.status().reconciled, 4u);
  EXPECT_EQ(controller.status().limiter_failures, 3u);
}

TEST_F(ControllerRetries, RequeueAfterNothingMeansDone) {
  for (const Duration delay : {Duration(0), Duration(-1), Duration::min()}) {
    int calls = 0;
    Controller controller(
        runtime(),
        [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
          ++calls;
          return ReconcileResult::requeue_after(delay);
        },
        options());
    controller.enqueue({"", "a"});
    ASSERT_TRUE(controller.start());
    EXPECT_FALSE(executor_->run_until([&] { return calls > 1000; }, 10'000)) << delay.count();
    EXPECT_EQ(calls, 1) << delay.count();
    EXPECT_EQ(controller.status().reconciled, 1u);
  }
}

TEST_F(ControllerRetries, AskingForTheShortestDelayForEverRunsOnceAMillisecond) {
  int calls = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        ++calls;
        return ReconcileResult::requeue_after(Duration(1));
      },
      options());
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(milliseconds(100));
  EXPECT_EQ(calls, 101);
}

TEST_F(ControllerRetries, ADelayOfYearsIsWaitedForAndTheLongestIsNever) {
  constexpr auto kYear = std::chrono::hours(24 * 365);
  std::map<std::string, int> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) -> Result<ReconcileResult> {
        ++calls[request.key.name];
        return ReconcileResult::requeue_after(request.key.name == "never" ? Duration::max()
                                                                          : Duration(kYear));
      },
      options());
  controller.enqueue({"", "never"});
  controller.enqueue({"", "yearly"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(kYear * 3);
  EXPECT_EQ(calls, (std::map<std::string, int>{{"never", 1}, {"yearly", 4}}));
}

class SteadyLimiter final : public RateLimiter<ObjectKey> {
 public:
  explicit SteadyLimiter(Duration delay) : delay_(delay) {}
  Duration when(const ObjectKey&) override { return ++failures_, delay_; }
  void forget(const ObjectKey&) override { failures_ = 0; }
  int num_requeues(const ObjectKey&) const override { return failures_; }

 private:
  const Duration delay_;
  int failures_ = 0;
};

TEST_F(ControllerRetries, ALimiterThatGivesNoDelayHasAFailedKeyBackOnceAMillisecond) {
  for (const Duration delay : {Duration(0), Duration(-1), Duration(1), Duration::min()}) {
    int calls = 0;
    ControllerOptions limited = options();
    limited.rate_limiter = std::make_shared<SteadyLimiter>(delay);
    Controller controller(
        runtime(),
        [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
          ++calls;
          return broken();
        },
        limited);
    controller.enqueue({"", "a"});
    ASSERT_TRUE(controller.start());
    executor_->run_until([&, end = since_start() + milliseconds(100)] {
      return since_start() >= end || calls > 10'000;
    });
    EXPECT_NEAR(calls, 101, 1) << delay.count();
  }
}

TEST_F(ControllerRetries, ALimitersDelayOfAYearIsKeptAndAnEventIsFaster) {
  constexpr auto kYear = std::chrono::hours(24 * 365);
  std::vector<Duration> calls;
  ControllerOptions limited = options();
  limited.rate_limiter = std::make_shared<SteadyLimiter>(kYear);
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        calls.push_back(since_start());
        return broken();
      },
      limited);
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_for(seconds(60));
  controller.enqueue({"", "a"});
  executor_->run_for(kYear);
  EXPECT_EQ(calls, (std::vector<Duration>{seconds(0), seconds(60), kYear}));
}

TEST_F(ControllerRetries, MaxRetriesOfZeroTriesAKeyOnceAnEvent) {
  int calls = 0;
  ControllerOptions limited = options();
  limited.max_retries = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        ++calls;
        return broken();
      },
      limited);
  ASSERT_TRUE(controller.start());
  for (int events = 1; events <= 2; ++events) {
    controller.enqueue({"", "a"});
    executor_->run_for(seconds(600));
    EXPECT_EQ(calls, events);
    EXPECT_EQ(controller.status().dropped, static_cast<std::uint64_t>(events));
  }
}

}  // namespace
}  // namespace kube
