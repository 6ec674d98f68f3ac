// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/fake_clock.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>

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
  clock.await_blocked(1);
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
    clock.await_blocked(1);
    EXPECT_EQ(left.load(), round == 1) << "the second wait is reached only after the first ended";
    MutexLock lock(mutex);
    flag = true;
    cv.notify_one();
  }
}

/// Requested already: what takes it looks once.
std::stop_token at_once() {
  std::stop_source stop;
  stop.request_stop();
  return stop.get_token();
}

TEST(FakeClock, IdlePoolThreadsAreNoWaiters) {
  const auto clock = std::make_shared<FakeClock>();
  ThreadPool pool({.threads = 2, .clock = clock});
  clock->await_blocked(2);
  EXPECT_EQ(clock->waiters(), 0U);
  EXPECT_FALSE(clock->await_waiters(1, at_once()));

  std::jthread sleeper([&](const std::stop_token& stop) { clock->sleep_for(1h, stop); });
  EXPECT_TRUE(clock->await_waiters(1));
  EXPECT_TRUE(clock->await_blocked(3));
  clock->advance(1h);
  EXPECT_EQ(clock->waiters(), 0U);
}

TEST(FakeClock, AThreadThatIsAboutToWakeIsNoWaiter) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  bool flag = false;
  std::jthread sleeper([&](const std::stop_token& stop) {
    MutexLock lock(mutex);
    clock.wait_until(lock, cv, clock.now() + 1h, stop, [&] { return flag; });
  });
  EXPECT_TRUE(clock.await_waiters(1));
  EXPECT_EQ(clock.waiters(), 1U);
  {
    const MutexLock lock(mutex);
    flag = true;  // and it has not been notified
  }
  EXPECT_EQ(clock.waiters(), 0U);
  cv.notify_one();
}

TEST(FakeClock, AThreadThatWaitsForAnotherIsNoWaiter) {
  FakeClock clock;
  Mutex mutex;
  CondVar cv;
  std::jthread blocked([&](const std::stop_token& stop) {
    MutexLock lock(mutex);
    clock.wait_until(lock, cv, TimePoint::max(), stop, [] { return false; });
  });
  clock.await_blocked(1);
  EXPECT_EQ(clock.waiters(), 0U);
  EXPECT_FALSE(clock.await_waiters(1, at_once()));
  EXPECT_FALSE(clock.await_deadline(TimePoint::max() - 1ns, at_once()));
}

TEST(FakeClock, ThePoolThreadThatWaitsForTheEarliestTimerIsAWaiter) {
  const auto clock = std::make_shared<FakeClock>();
  const TimePoint start = clock->now();
  std::atomic<int> fired = 0;
  ThreadPool pool({.threads = 1, .clock = clock});
  const Timer first = pool.submit_after(1s, [&] { ++fired; });
  const Timer second = pool.submit_after(2s, [&] { ++fired; });
  EXPECT_TRUE(clock->await_waiters(1));
  EXPECT_TRUE(clock->await_deadline(start + 1s));
  EXPECT_FALSE(clock->await_waiters(2, at_once())) << "however many timers there are";
  clock->advance(1s);
  EXPECT_TRUE(clock->await_deadline(start + 2s));
  EXPECT_EQ(fired, 1);
  clock->advance(1s);
  clock->await_blocked(1);
  EXPECT_EQ(fired, 2);
  EXPECT_FALSE(clock->await_waiters(1, at_once()));
}

// A pool's timer, a sleep and a blocked call: the test means one of them.
TEST(FakeClock, AwaitDeadlineWaitsForTheSleepThatIsMeant) {
  const auto clock = std::make_shared<FakeClock>();
  const TimePoint start = clock->now();
  ThreadPool pool({.threads = 1, .clock = clock});
  const Timer timer = pool.submit_after(5s, [] {});
  EXPECT_TRUE(clock->await_waiters(1));
  EXPECT_FALSE(clock->await_deadline(start + 30s, at_once()));
  std::optional<WaitStatus> slept;
  std::jthread retrying([&](const std::stop_token& stop) { slept = clock->sleep_for(30s, stop); });
  EXPECT_TRUE(clock->await_deadline(start + 30s));
  clock->advance(30s);
  retrying.join();
  EXPECT_EQ(slept, WaitStatus::TimedOut);
  EXPECT_FALSE(clock->await_deadline(start + 30s, at_once())) << "its time has come";
}

TEST(FakeClock, AwaitWaitersEndsWhenAskedToStop) {
  FakeClock clock;
  EXPECT_FALSE(clock.await_waiters(1, at_once()));
  EXPECT_TRUE(clock.await_waiters(0, at_once()));
  std::jthread waiting([&](const std::stop_token& stop) {
    EXPECT_FALSE(clock.await_deadline(clock.now() + 1h, stop));
    EXPECT_FALSE(clock.await_blocked(1, stop));
  });
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
