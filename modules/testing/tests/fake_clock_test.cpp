// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/fake_clock.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace kube::testing {
namespace {

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<FakeClock>);

TEST(FakeClock, StandsStillUntilAdvanced) {
  FakeClock clock;
  const TimePoint start = clock.now();
  const WallTime wall = clock.wall_now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(90s);
  EXPECT_EQ(clock.now() - start, 90s);
  EXPECT_EQ(clock.wall_now() - wall, 90s);
}

TEST(FakeClock, WallTimeJumpsWithoutTheMonotonicTime) {
  FakeClock clock;
  const TimePoint start = clock.now();
  clock.set_wall(WallTime(5s));
  EXPECT_EQ(clock.wall_now(), WallTime(5s));
  EXPECT_EQ(clock.now(), start);
  clock.advance(1s);
  EXPECT_EQ(clock.wall_now(), WallTime(6s));
}

TEST(FakeClock, SleeperWakesAtItsDeadlineAndNotBefore) {
  FakeClock clock;
  std::optional<WaitStatus> result;
  std::jthread sleeper([&](const std::stop_token& stop) { result = clock.sleep_for(1h, stop); });
  clock.await_waiters(1);
  clock.advance(1h - 1ns);
  EXPECT_EQ(clock.waiters(), 1U);
  clock.advance(1ns);
  EXPECT_EQ(clock.waiters(), 0U) << "advance() returns after the waiter has left";
  sleeper.join();
  EXPECT_EQ(result, WaitStatus::TimedOut);
}

TEST(FakeClock, StopEndsAWait) {
  FakeClock clock;
  std::optional<WaitStatus> result;
  std::jthread sleeper([&](const std::stop_token& stop) { result = clock.sleep_for(1h, stop); });
  clock.await_waiters(1);
  sleeper.request_stop();
  sleeper.join();
  EXPECT_EQ(result, WaitStatus::Stopped);
}

TEST(FakeClock, ReadyWinsOverStoppedWinsOverTimedOut) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  std::stop_source stopped;
  stopped.request_stop();
  MutexLock lock(mutex);
  const auto wait = [&](bool ready, const std::stop_token& stop) {
    return clock.wait_until(lock, cv, clock.now(), stop, [ready] { return ready; });
  };
  EXPECT_EQ(wait(true, stopped.get_token()), WaitStatus::Ready);
  EXPECT_EQ(wait(false, stopped.get_token()), WaitStatus::Stopped);
  EXPECT_EQ(wait(false, {}), WaitStatus::TimedOut);
}

TEST(FakeClock, NotifyEndsAWaitWithoutTimeMoving) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  bool flag = false;
  std::optional<WaitStatus> result;
  std::jthread waiter([&] {
    MutexLock lock(mutex);
    result = clock.wait_until(lock, cv, TimePoint::max(), {}, [&] { return flag; });
  });
  clock.await_waiters(1);
  {
    MutexLock lock(mutex);
    flag = true;
  }
  cv.notify_one();
  waiter.join();
  EXPECT_EQ(result, WaitStatus::Ready);
}

TEST(FakeClock, ThreadsThatAreAboutToWakeDoNotCountAsWaiters) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  bool flag = false;
  std::atomic<bool> left = false;
  std::jthread waiter([&] {
    MutexLock lock(mutex);
    clock.wait_until(lock, cv, TimePoint::max(), {}, [&] { return flag; });
    left = true;
    flag = false;
    clock.wait_until(lock, cv, TimePoint::max(), {}, [&] { return flag; });
  });
  for (int round = 0; round < 2; ++round) {
    clock.await_waiters(1);
    EXPECT_EQ(left.load(), round == 1) << "the second wait is reached only after the first ended";
    MutexLock lock(mutex);
    flag = true;
    cv.notify_one();
  }
}

TEST(FakeClock, AwaitWaitersEndsWhenAskedToStop) {
  FakeClock clock;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(clock.await_waiters(1, stop.get_token()));
  EXPECT_TRUE(clock.await_waiters(0, stop.get_token()));
}

// Many threads sleep one tick after the other while time moves tick by tick: a single lost wake-up
// leaves a thread behind, and the count below off or the test hanging.
TEST(FakeClock, LosesNoWakeUp) {
  constexpr int kThreads = 4;
  constexpr int kTicks = 300;
  FakeClock clock;
  std::atomic<int> slept = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int tick = 0; tick < kTicks; ++tick) {
        EXPECT_EQ(clock.sleep_for(1s, {}), WaitStatus::TimedOut);
        ++slept;
      }
    });
  }
  for (int tick = 0; tick < kTicks; ++tick) {
    clock.await_waiters(kThreads);
    EXPECT_EQ(slept.load(), tick * kThreads);
    clock.advance(1s);
  }
  threads.clear();
  EXPECT_EQ(slept.load(), kTicks * kThreads);
}

// advance() at any moment of the waiters' life, without waiting for them to sleep first.
TEST(FakeClock, AdvanceRacesWithArrivingAndLeavingWaiters) {
  FakeClock clock;
  std::atomic<int> running = 4;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int tick = 0; tick < 200; ++tick) clock.sleep_for(3s, {});
      --running;
    });
  }
  std::jthread second_hand([&] {
    while (running.load() != 0) clock.advance(1s);
  });
  while (running.load() != 0) clock.advance(1s);
}

}  // namespace
}  // namespace kube::testing
