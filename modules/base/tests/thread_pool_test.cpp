// SPDX-License-Identifier: Apache-2.0
#include <kube/base/executor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <kube/base/log.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/recording_logger.hpp>

#include "thread_memory.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::kube::testing::FakeClock;
using ::testing::ElementsAre;

static_assert(!std::is_copy_constructible_v<Timer>);
static_assert(std::is_nothrow_move_constructible_v<Timer>);
static_assert(std::is_nothrow_move_assignable_v<Timer>);
static_assert(!std::is_copy_constructible_v<ThreadPool> &&
              !std::is_move_constructible_v<ThreadPool>);

/// Runs a function when destroyed: shows when, where and under which locks a task dies.
class OnDestroy {
 public:
  explicit OnDestroy(std::function<void()> f)
      : guard_(std::shared_ptr<void>(nullptr, [f = std::move(f)](void*) { f(); })) {}

 private:
  std::shared_ptr<void> guard_;
};

TEST(ThreadPool, RunsEveryTaskOnceOnOtherThreads) {
  constexpr int kTasks = 1000;
  std::atomic<int> runs = 0;
  std::atomic<bool> inline_run = false;
  std::latch done(kTasks);
  const auto caller = std::this_thread::get_id();
  ThreadPool pool({.threads = 3});
  for (int i = 0; i < kTasks; ++i) {
    pool.submit([&] {
      ++runs;
      if (std::this_thread::get_id() == caller) inline_run = true;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(runs.load(), kTasks);
  EXPECT_FALSE(inline_run.load());
}

TEST(ThreadPool, OneThreadRunsTasksInOrderOfSubmission) {
  std::vector<int> order;
  std::promise<void> done;
  ThreadPool pool({.threads = 1});
  for (int i = 0; i < 5; ++i) pool.submit([&order, i] { order.push_back(i); });
  pool.submit([&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
}

TEST(ThreadPool, IdleThreadTakesATaskWhileTheOthersBlock) {
  // A task that waits for a later one: every idle thread has to be woken, the one that waits for
  // timers included.
  std::latch all(4);
  ThreadPool pool({.threads = 3, .clock = std::make_shared<FakeClock>()});
  const Timer far_away = pool.submit_after(1h, [] {});
  for (int i = 0; i < 3; ++i) pool.submit([&] { all.arrive_and_wait(); });
  all.arrive_and_wait();
}

TEST(ThreadPool, ThreadsAreNamedAfterThePool) {
  std::promise<std::string> name;
  ThreadPool pool({.threads = 1, .name = "a-rather-long-pool-name"});
  pool.submit([&] {
    std::array<char, 32> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    name.set_value(text.data());
  });
  EXPECT_EQ(name.get_future().get(), "a-rather-long-0");
}

TEST(ThreadPool, ZeroThreadsMeansOne) {
  std::promise<void> ran;
  ThreadPool pool({.threads = 0});
  pool.submit([&] { ran.set_value(); });
  ran.get_future().wait();
}

TEST(ThreadPool, TimersFireInOrderOfTimeByTheInjectedClock) {
  const auto clock = std::make_shared<FakeClock>();
  std::vector<int> order;
  ThreadPool pool({.threads = 1, .clock = clock});
  const Timer second = pool.submit_after(2s, [&] { order.push_back(2); });
  const Timer first = pool.submit_after(1s, [&] { order.push_back(1); });
  const Timer third = pool.submit_after(3s, [&] { order.push_back(3); });
  clock->await_blocked(1);
  clock->advance(1s - 1ns);
  clock->await_blocked(1);
  EXPECT_THAT(order, ElementsAre());
  clock->advance(1ns);
  clock->await_blocked(1);
  EXPECT_THAT(order, ElementsAre(1));
  clock->advance(10s);
  clock->await_blocked(1);
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(ThreadPool, EarlierTimerShortensAWaitThatHasBegun) {
  const auto clock = std::make_shared<FakeClock>();
  std::promise<void> fired;
  ThreadPool pool({.threads = 2, .clock = clock});
  const Timer late = pool.submit_after(1h, [] {});
  clock->await_blocked(2);
  const Timer early = pool.submit_after(1s, [&] { fired.set_value(); });
  clock->advance(1s);
  fired.get_future().wait();
}

TEST(ThreadPool, TimerInThePastRunsSoonAndNotInline) {
  const auto clock = std::make_shared<FakeClock>();
  std::promise<std::thread::id> ran;
  ThreadPool pool({.threads = 1, .clock = clock});
  const Timer timer =
      pool.submit_at(clock->now() - 1h, [&] { ran.set_value(std::this_thread::get_id()); });
  EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
}

TEST(ThreadPool, TimersDueTogetherRunInParallel) {
  const auto clock = std::make_shared<FakeClock>();
  std::latch all(4);
  std::vector<Timer> timers;
  ThreadPool pool({.threads = 3, .clock = clock});
  for (int i = 0; i < 3; ++i) {
    timers.push_back(pool.submit_after(1s, [&] { all.arrive_and_wait(); }));
  }
  clock->await_blocked(3);
  clock->advance(1s);
  all.arrive_and_wait();
}

TEST(ThreadPool, TimersKeepFiringWhileATaskBlocks) {
  const auto clock = std::make_shared<FakeClock>();
  std::promise<void> release;
  std::promise<void> blocked;
  std::promise<void> fired;
  ThreadPool pool({.threads = 2, .clock = clock});
  const Timer first = pool.submit_after(1s, [&] {
    blocked.set_value();
    release.get_future().wait();
  });
  const Timer second = pool.submit_after(2s, [&] { fired.set_value(); });
  clock->await_blocked(2);
  clock->advance(1s);
  blocked.get_future().wait();
  clock->advance(1s);
  fired.get_future().wait();
  release.set_value();
}

TEST(ThreadPool, NeverIsNoDeadline) {
  const auto clock = std::make_shared<FakeClock>();
  std::atomic<bool> fired = false;
  ThreadPool pool({.threads = 1, .clock = clock});
  const Timer never = pool.submit_after(Duration::max(), [&] { fired = true; });
  clock->await_blocked(1);
  clock->advance(24h * 365);
  clock->await_blocked(1);
  EXPECT_FALSE(fired.load());
}

TEST(ThreadPool, CancelledTimerNeverRunsAndItsTaskIsDestroyedAtOnce) {
  const auto clock = std::make_shared<FakeClock>();
  bool destroyed = false;
  std::atomic<bool> ran = false;
  ThreadPool pool({.threads = 1, .clock = clock});
  // The destructor uses the pool: it must not run under the pool's lock.
  Timer timer = pool.submit_after(1s, [guard = OnDestroy([&] {
                                         destroyed = true;
                                         pool.submit([] {});
                                       }),
                                       &ran] { ran = true; });
  timer.cancel();
  EXPECT_TRUE(destroyed);
  timer.cancel();
  clock->advance(2s);
  clock->await_blocked(1);
  EXPECT_FALSE(ran.load());
}

TEST(ThreadPool, DestroyingAndOverwritingATimerCancelIt) {
  const auto clock = std::make_shared<FakeClock>();
  std::atomic<int> runs = 0;
  ThreadPool pool({.threads = 1, .clock = clock});
  {
    const Timer dropped = pool.submit_after(1s, [&] { runs += 1; });
  }
  Timer timer = pool.submit_after(1s, [&] { runs += 10; });
  timer = pool.submit_after(1s, [&] { runs += 100; });
  Timer moved = std::move(timer);
  clock->advance(2s);
  clock->await_blocked(1);
  EXPECT_EQ(runs.load(), 100);
}

TEST(ThreadPool, DueTimerThatWaitsForAThreadCanBeCancelled) {
  const auto clock = std::make_shared<FakeClock>();
  std::atomic<bool> ran = false;
  std::promise<void> done;
  ThreadPool pool({.threads = 1, .clock = clock});
  Timer victim;
  // Both are due at once; the first one, which runs first, cancels the second.
  const Timer first = pool.submit_after(1s, [&] { victim.cancel(); });
  victim = pool.submit_after(1s, [&] { ran = true; });
  const Timer last = pool.submit_after(1s, [&] { done.set_value(); });
  clock->await_blocked(1);
  clock->advance(1s);
  done.get_future().wait();
  EXPECT_FALSE(ran.load());
}

TEST(ThreadPool, TimerMayOutliveThePool) {
  Timer timer;
  std::atomic<bool> ran = false;
  bool destroyed = false;
  {
    ThreadPool pool({.threads = 1, .clock = std::make_shared<FakeClock>()});
    timer =
        pool.submit_after(1s, [guard = OnDestroy([&] { destroyed = true; }), &ran] { ran = true; });
  }
  EXPECT_TRUE(destroyed) << "a stopped pool keeps no task";
  timer.cancel();
  EXPECT_FALSE(ran.load());
}

TEST(ThreadPool, ExceptionsAreCountedAndLoggedAndTheThreadGoesOn) {
  const auto logger = std::make_shared<testing::RecordingLogger>(LogLevel::Error);
  {
    std::promise<void> done;
    ThreadPool pool({.threads = 1, .logger = logger});
    pool.submit([] { throw std::runtime_error("boom"); });
    pool.submit([] { throw 1; });
    pool.submit([&] { done.set_value(); });
    done.get_future().wait();
    EXPECT_EQ(pool.failed_tasks(), 2U);
  }
  EXPECT_THAT(logger->lines(),
              ElementsAre("error executor: task failed error=boom",
                          "error executor: task failed error=not a std::exception"));
}

TEST(ThreadPool, StopDropsQueuedTasksLetsRunningOnesFinishAndRefusesNewOnes) {
  std::promise<void> started;
  std::promise<void> release;
  std::atomic<bool> finished = false;
  std::atomic<int> dropped = 0;
  std::atomic<bool> ran = false;
  ThreadPool pool({.threads = 1});
  pool.submit([&] {
    started.set_value();
    release.get_future().wait();
    finished = true;
  });
  started.get_future().wait();
  pool.submit([guard = OnDestroy([&] { ++dropped; }), &ran] { ran = true; });
  std::jthread stopper([&] {
    pool.stop();
    EXPECT_TRUE(finished.load()) << "stop() returned before the running task ended";
  });
  EXPECT_TRUE(kube::testing::eventually([&] { return dropped.load() > 0; }))
      << "what was queued is not dropped while a task runs";
  release.set_value();
  stopper.join();
  pool.submit([guard = OnDestroy([&] { ++dropped; }), &ran] { ran = true; });
  const Timer timer =
      pool.submit_after(0s, [guard = OnDestroy([&] { ++dropped; }), &ran] { ran = true; });
  EXPECT_EQ(dropped.load(), 3);
  EXPECT_FALSE(ran.load());
  pool.stop();
}

TEST(ThreadPool, StopFromSeveralThreadsReturnsWhenAllTasksEnded) {
  std::promise<void> started;
  std::atomic<bool> finished = false;
  std::latch stoppers(3);
  ThreadPool pool({.threads = 2});
  pool.submit([&] {
    started.set_value();
    stoppers.arrive_and_wait();
    finished = true;
  });
  started.get_future().wait();
  const auto stop = [&] {
    stoppers.count_down();
    pool.stop();
    EXPECT_TRUE(finished.load());
  };
  std::jthread first(stop);
  std::jthread second(stop);
}

TEST(ThreadPool, StopFromAllOfItsOwnThreadsAtOnceDoesNotDeadlock) {
  std::latch together(3);
  std::latch returned(3);
  ThreadPool pool({.threads = 3});
  for (int i = 0; i < 3; ++i) {
    pool.submit([&] {
      together.arrive_and_wait();
      pool.stop();
      returned.count_down();
    });
  }
  returned.wait();
}

TEST(ThreadPool, DestroyedByOneOfItsOwnTasksIsJoinedByTheNextPool) {
  for (int i = 0; i < 20; ++i) {
    std::promise<void> handed_over;
    std::promise<void> destroyed;
    auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
    const std::shared_ptr<Clock> clock = pool->clock();
    ThreadPool& submit_to = *pool;
    submit_to.submit([&destroyed, go = handed_over.get_future().share(), last = pool]() mutable {
      go.wait();
      last.reset();
      destroyed.set_value();
    });
    pool.reset();
    handed_over.set_value();
    destroyed.get_future().wait();
  }
  const ThreadPool next({.threads = 1});
  EXPECT_EQ(next.failed_tasks(), 0U);
}

TEST(ThreadPool, StopFromATaskWaitsForTheOtherTasks) {
  std::latch together(2);
  std::atomic<bool> stop_called = false;
  std::atomic<bool> other_finished = false;
  std::promise<bool> seen;
  ThreadPool pool({.threads = 2});
  pool.submit([&] {
    together.arrive_and_wait();
    EXPECT_TRUE(kube::testing::eventually([&] { return stop_called.load(); }));
    other_finished = true;
  });
  pool.submit([&] {
    together.arrive_and_wait();
    stop_called = true;
    pool.stop();
    seen.set_value(other_finished.load());
  });
  EXPECT_TRUE(seen.get_future().get());
}

TEST(ThreadPool, MayBeDestroyedByOneOfItsOwnTasks) {
  // Shared: the thread outlives the pool, and may outlive the test.
  const auto go = std::make_shared<std::latch>(1);
  const auto destroyed = std::make_shared<std::latch>(1);
  auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  pool->submit([go, destroyed, pool]() mutable {
    go->wait();
    pool.reset();
    destroyed->count_down();
  });
  pool.reset();
  go->count_down();
  destroyed->wait();
}

TEST(ThreadPool, TaskThatHoldsThePoolDoesNotOutliveStop) {
  // A cycle pool -> task -> pool must be broken by stop().
  std::weak_ptr<ThreadPool> weak;
  {
    auto pool = std::make_shared<ThreadPool>(
        ThreadPool::Options{.threads = 1, .clock = std::make_shared<FakeClock>()});
    weak = pool;
    Timer timer = pool->submit_after(1h, [pool] {});
    auto leaked = std::make_shared<Timer>(std::move(timer));
    pool->submit([pool, leaked] {});
    pool->stop();
  }
  EXPECT_TRUE(weak.expired());
}

TEST(ThreadPool, ManyThreadsSubmitCancelAndFire) {
  const auto clock = std::make_shared<FakeClock>();
  std::atomic<int> fired = 0;
  ThreadPool pool({.threads = 2, .clock = clock});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          Timer kept = pool.submit_after(std::chrono::milliseconds(i % 7), [&] { ++fired; });
          const Timer cancelled = pool.submit_after(1ms, [] {});
          pool.submit([] {});
          if (i % 3 == 0) clock->advance(1ms);
        }
      });
    }
  }
  EXPECT_LE(fired.load(), 800);
}

// The deque of ready tasks has room for some; how many depends on those before.
TEST(ThreadPool, TimersThatAreDueRunWithoutMemoryForTheirPlaces) {
  if (!testing::can_take_memory()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  for (int before = 0; before < 40; ++before) {
    ThreadPool pool({.threads = 1});
    for (int i = 0; i < before; ++i) pool.submit([] {});
    std::vector<int> ran;
    std::vector<int> all;
    std::vector<Timer> timers;
    std::promise<void> through;
    std::promise<void> started;
    std::promise<void> armed;
    pool.submit([&] {
      started.set_value();
      armed.get_future().wait();
      testing::take_memory(true);  // of the pool's thread
    });
    started.get_future().wait();
    ran.reserve(50);
    for (int i = 0; i < 50; ++i) {
      all.push_back(i);
      timers.push_back(pool.submit_at(TimePoint(), [&ran, i] { ran.push_back(i); }));
    }
    timers.push_back(pool.submit_at(TimePoint(), [&] {
      testing::take_memory(false);
      through.set_value();
    }));
    armed.set_value();
    through.get_future().wait();
    EXPECT_EQ(ran, all) << before;
  }
}

}  // namespace
}  // namespace kube
