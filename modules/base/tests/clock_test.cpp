// SPDX-License-Identifier: Apache-2.0
#include <kube/base/clock.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace kube {
namespace {

using namespace std::chrono_literals;

static_assert(deadline_after(TimePoint(1s), 2s) == TimePoint(3s));
static_assert(deadline_after(TimePoint(1s), -2s) == TimePoint(-1s));
static_assert(deadline_after(TimePoint(1s), Duration::max()) == TimePoint::max());
static_assert(deadline_after(TimePoint::max(), 1ns) == TimePoint::max());
static_assert(deadline_after(TimePoint::max(), -1ns) < TimePoint::max());
static_assert(deadline_after(TimePoint(-1s), Duration::max()) == TimePoint(Duration::max() - 1s));
static_assert(deadline_after(WallTime(1s), 2s) == WallTime(3s));
static_assert(deadline_after(WallTime(1s), Duration::max()) == WallTime::max());

static_assert(clamped(3s) == 3s);
static_assert(clamped(-3s) == -3s);
static_assert(clamped(std::chrono::seconds::max()) == Duration::max());
static_assert(clamped(std::chrono::seconds::min()) == Duration::min());

class RealClockTest : public ::testing::Test {
 protected:
  WaitStatus wait(TimePoint deadline, const std::stop_token& stop, bool ready) {
    MutexLock lock(mutex);
    return clock->wait_until(lock, cv, deadline, stop, [ready] { return ready; });
  }

  std::shared_ptr<Clock> clock = real_clock();
  Mutex mutex;
  CondVar cv;
};

TEST_F(RealClockTest, IsOneForTheProcess) {
  EXPECT_EQ(real_clock(), real_clock());
}

TEST_F(RealClockTest, TimeDoesNotGoBackwards) {
  const TimePoint before = clock->now();
  EXPECT_GE(clock->now(), before);
  EXPECT_GT(clock->wall_now().time_since_epoch(), 24h * 365 * 50);
}

TEST_F(RealClockTest, ReadyWinsOverStoppedWinsOverTimedOut) {
  std::stop_source stopped;
  stopped.request_stop();
  const TimePoint past = clock->now() - 1s;
  EXPECT_EQ(wait(past, stopped.get_token(), true), WaitStatus::Ready);
  EXPECT_EQ(wait(TimePoint::max(), stopped.get_token(), true), WaitStatus::Ready);
  EXPECT_EQ(wait(past, stopped.get_token(), false), WaitStatus::Stopped);
  EXPECT_EQ(wait(TimePoint::max(), stopped.get_token(), false), WaitStatus::Stopped);
  EXPECT_EQ(wait(past, {}, false), WaitStatus::TimedOut);
  EXPECT_EQ(wait(TimePoint::min(), {}, false), WaitStatus::TimedOut);
}

TEST_F(RealClockTest, WaitsUntilNotified) {
  for (const TimePoint deadline : {TimePoint::max(), clock->now() + 1h}) {
    bool flag = false;
    std::optional<WaitStatus> status;
    std::jthread waiter([&] {
      MutexLock lock(mutex);
      status = clock->wait_until(lock, cv, deadline, {}, [&] { return flag; });
    });
    {
      MutexLock lock(mutex);
      flag = true;
    }
    cv.notify_all();
    waiter.join();
    EXPECT_EQ(status, WaitStatus::Ready);
  }
}

TEST_F(RealClockTest, StopEndsASleep) {
  for (const Duration duration : {Duration(1h), Duration::max()}) {
    std::optional<WaitStatus> status;
    std::jthread sleeper(
        [&](const std::stop_token& stop) { status = clock->sleep_for(duration, stop); });
    sleeper.request_stop();
    sleeper.join();
    EXPECT_EQ(status, WaitStatus::Stopped);
  }
}

TEST_F(RealClockTest, SleepLastsAtLeastItsTime) {
  const TimePoint before = clock->now();
  EXPECT_EQ(clock->sleep_for(2ms, {}), WaitStatus::TimedOut);
  EXPECT_GE(clock->now() - before, 2ms);
}

}  // namespace
}  // namespace kube
