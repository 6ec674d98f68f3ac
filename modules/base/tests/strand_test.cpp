// SPDX-License-Identifier: Apache-2.0
#include <kube/base/executor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <kube/base/caught.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>

#include "thread_memory.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::kube::testing::FakeClock;
using ::testing::ElementsAre;
using ::testing::Lt;

static_assert(std::is_copy_constructible_v<Strand>);

TEST(Strand, RunsTasksOfManyThreadsOneAtATimeAndEachThreadsInOrder) {
  constexpr int kThreads = 4;
  constexpr int kTasks = 500;
  std::promise<void> done;
  std::vector<std::vector<int>> seen(kThreads);  // only touched on the strand
  std::atomic<int> inside = 0;
  std::atomic<bool> overlapped = false;
  auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 4});
  Strand strand(pool);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kTasks; ++i) {
          strand.submit([&, t, i] {
            if (inside.fetch_add(1) != 0) overlapped = true;
            seen[static_cast<std::size_t>(t)].push_back(i);
            inside.fetch_sub(1);
          });
        }
      });
    }
  }
  strand.submit([&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_FALSE(overlapped.load());
  for (const auto& one : seen) {
    ASSERT_EQ(one.size(), static_cast<std::size_t>(kTasks));
    EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
  }
}

TEST(Strand, NeverRunsATaskInsideSubmit) {
  auto executor = std::make_shared<SeededExecutor>(1);
  Strand strand(executor);
  std::vector<int> order;
  strand.submit([&] {
    strand.submit([&] { order.push_back(2); });
    order.push_back(1);
  });
  EXPECT_TRUE(order.empty());
  executor->run_ready();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(Strand, HandsTheThreadBackAfterSomeTasks) {
  std::promise<void> go;
  std::promise<int> seen;
  int runs = 0;
  auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1});
  Strand busy(pool);
  pool->submit([&] { go.get_future().wait(); });
  for (int i = 0; i < 100; ++i) busy.submit([&] { ++runs; });
  pool->submit([&] { seen.set_value(runs); });  // behind the strand's first turn
  go.set_value();
  EXPECT_THAT(seen.get_future().get(), Lt(100));
  pool->stop();
}

TEST(Strand, KnowsWhetherTheCallerRunsOnIt) {
  auto executor = std::make_shared<SeededExecutor>(1);
  Strand one(executor);
  Strand other(executor);
  const Strand copy = one;
  std::vector<bool> inside;
  one.submit([&] {
    inside = {one.running_in_this_thread(), copy.running_in_this_thread(),
              other.running_in_this_thread()};
  });
  executor->run_ready();
  EXPECT_THAT(inside, ElementsAre(true, true, false));
  EXPECT_FALSE(one.running_in_this_thread());
}

TEST(Strand, TasksQueuedWhenTheLastHandleGoesAreRun) {
  auto executor = std::make_shared<SeededExecutor>(1);
  int runs = 0;
  {
    Strand strand(executor);
    for (int i = 0; i < 40; ++i) strand.submit([&] { ++runs; });
  }
  executor->run_ready();
  EXPECT_EQ(runs, 40);
}

TEST(Strand, MayBeDroppedFromInsideItsOwnTask) {
  auto executor = std::make_shared<SeededExecutor>(1);
  std::optional<Strand> strand(std::in_place, executor);
  int runs = 0;
  strand->submit([&] {
    strand.reset();
    ++runs;
  });
  strand->submit([&] { ++runs; });
  executor->run_ready();
  EXPECT_EQ(runs, 2);
}

TEST(Strand, TaskThatThrowsDoesNotStopTheOthersAndIsCountedBelow) {
  auto executor = std::make_shared<SeededExecutor>(1);
  Strand strand(executor);
  int runs = 0;
  strand.submit([&] { ++runs; });
  strand.submit([] { throw std::runtime_error("boom"); });
  strand.submit([&] { ++runs; });
  strand.submit([] { throw std::runtime_error("boom"); });
  executor->run_ready();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(executor->failed_tasks(), 2U);
  strand.submit([&] { ++runs; });
  executor->run_ready();
  EXPECT_EQ(runs, 3) << "a strand whose last task threw still works";
}

TEST(Strand, TasksAreDestroyedBeforeTheNextOneStarts) {
  auto executor = std::make_shared<SeededExecutor>(1);
  Strand strand(executor);
  std::vector<int> order;
  auto guard = std::shared_ptr<void>(nullptr, [&](void*) { order.push_back(2); });
  strand.submit([&order, guard = std::move(guard)] { order.push_back(1); });
  strand.submit([&] { order.push_back(3); });
  executor->run_ready();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(Strand, QueueIsDroppedWithTheExecutorEvenIfTasksHoldTheStrand) {
  std::weak_ptr<int> weak;
  {
    std::promise<void> started;
    std::promise<void> release;
    auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1});
    pool->submit([&] {
      started.set_value();
      release.get_future().wait();
    });
    started.get_future().wait();
    auto payload = std::make_shared<int>(1);
    weak = payload;
    Strand strand(pool);
    strand.submit([strand, payload = std::move(payload)] {});
    std::jthread stopper([&] { pool->stop(); });
    EXPECT_TRUE(kube::testing::eventually([&] { return weak.expired(); }))
        << "what was queued is kept by a stopped pool";
    release.set_value();
    stopper.join();
    strand.submit([strand, payload = std::make_shared<int>(2)] {});
  }
  EXPECT_TRUE(weak.expired());
}

TEST(Strand, TimersRunOnTheStrandAtTheirTime) {
  auto executor = std::make_shared<SeededExecutor>(7);
  Strand strand(executor);
  std::vector<int> order;
  bool on_strand = false;
  const Timer second = strand.submit_after(2s, [&] { order.push_back(2); });
  const Timer first = strand.submit_after(1s, [&] {
    order.push_back(1);
    on_strand = strand.running_in_this_thread();
  });
  EXPECT_EQ(strand.clock(), executor->clock());
  executor->run_for(1s);
  EXPECT_THAT(order, ElementsAre(1));
  EXPECT_TRUE(on_strand);
  executor->run_for(1s);
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(Strand, TimerCancelledOnTheStrandNeverRunsAfterwards) {
  // The timer is due, and its task possibly in the strand's queue, when the strand cancels it.
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto executor = std::make_shared<SeededExecutor>(seed);
    Strand strand(executor);
    bool cancelled = false;
    bool ran_afterwards = false;
    Timer timer = strand.submit_after(1s, [&] { ran_afterwards = cancelled; });
    const Timer canceller = executor->submit_after(1s, [&] {
      strand.submit([&] {
        timer.cancel();
        cancelled = true;
      });
    });
    executor->run_for(2s);
    EXPECT_TRUE(cancelled);
    EXPECT_FALSE(ran_afterwards) << "seed " << seed;
  }
}

TEST(Strand, TimerCancelledOnTheStrandNeverRunsAfterwardsOnThreads) {
  const auto clock = std::make_shared<FakeClock>();
  auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 3, .clock = clock});
  for (int round = 0; round < 50; ++round) {
    Strand strand(pool);
    bool cancelled = false;
    bool ran_afterwards = false;
    Timer timer = strand.submit_after(1ms, [&] { ran_afterwards = cancelled; });
    const auto done = std::make_shared<std::promise<void>>();
    std::jthread advancer([&] { clock->advance(1ms); });
    strand.submit([&] {
      timer.cancel();
      cancelled = true;
    });
    advancer.join();
    strand.submit([done] { done->set_value(); });
    done->get_future().wait();
    EXPECT_FALSE(ran_afterwards);
  }
}

TEST(Strand, CancellingATimerDestroysItsTaskAtOnce) {
  auto executor = std::make_shared<SeededExecutor>(1);
  Strand strand(executor);
  auto payload = std::make_shared<int>(1);
  Timer timer = strand.submit_after(1s, [payload] {});
  EXPECT_EQ(payload.use_count(), 2);
  timer.cancel();
  EXPECT_EQ(payload.use_count(), 1);
}

TEST(Strand, TimerWhoseExecutorDiedHoldsNoTask) {
  auto executor = std::make_shared<SeededExecutor>(1);
  auto payload = std::make_shared<int>(1);
  Timer timer;
  {
    Strand strand(executor);
    timer = strand.submit_after(1s, [payload] {});
  }
  executor.reset();
  EXPECT_EQ(payload.use_count(), 2)
      << "the pending timer holds the strand, which holds the executor";
  timer.cancel();
  EXPECT_EQ(payload.use_count(), 1);
}

TEST(Strand, StrandOfAStrandKeepsBothOrders) {
  auto executor = std::make_shared<SeededExecutor>(3);
  auto outer = std::make_shared<Strand>(executor);
  Strand inner(outer);
  std::vector<int> order;
  inner.submit([&] { order.push_back(1); });
  inner.submit([&] {
    order.push_back(2);
    EXPECT_TRUE(inner.running_in_this_thread());
  });
  executor->run_ready();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

// ---- without memory

/// Has no memory for some tasks.
class ForgetfulExecutor final : public Executor {
 public:
  explicit ForgetfulExecutor(std::shared_ptr<Executor> real) : real_(std::move(real)) {}
  void submit(Task task) override {
    if (forgets == 0) return real_->submit(std::move(task));
    --forgets;
    if (on_forget) on_forget();
    throw std::bad_alloc();
  }
  Timer submit_at(TimePoint when, Task task) override {
    return real_->submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return real_->clock(); }

  int forgets = 0;
  std::function<void()> on_forget;

 private:
  const std::shared_ptr<Executor> real_;
};

class StrandWithoutMemory : public ::testing::Test {
 protected:
  /// Adds `number` to what ran.
  Task add(int number) {
    return [this, number] { ran.push_back(number); };
  }
  const std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  const std::shared_ptr<ForgetfulExecutor> forgetful =
      std::make_shared<ForgetfulExecutor>(executor);
  Strand strand{forgetful};
  std::vector<int> ran;
};

TEST_F(StrandWithoutMemory, ATaskThatIsRefusedIsNotRunAndTheNextOneIs) {
  forgetful->forgets = 1;
  const auto held = std::make_shared<int>();
  EXPECT_THROW(strand.submit([this, held] { ran.push_back(1); }), std::bad_alloc);
  EXPECT_EQ(held.use_count(), 1);
  strand.submit(add(2));
  executor->run_ready();
  EXPECT_THAT(ran, ElementsAre(2));
}

TEST_F(StrandWithoutMemory, ATaskWithoutMemoryForItsBatchIsRefusedAlone) {
  if (!testing::can_take_memory()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  Task task = add(1);
  testing::take_memory(true);
  const std::exception_ptr refused = caught([&] { strand.submit(std::move(task)); });
  testing::take_memory(false);
  EXPECT_TRUE(refused);
  strand.submit(add(2));
  executor->run_ready();
  EXPECT_THAT(ran, ElementsAre(2));
}

TEST_F(StrandWithoutMemory, WhatOthersHaveQueuedBehindARefusedTaskRuns) {
  forgetful->forgets = 5;
  forgetful->on_forget = [&] {
    forgetful->on_forget = nullptr;
    strand.submit(add(2));  // as another thread does
  };
  strand.submit(add(1));
  executor->run_ready();
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST_F(StrandWithoutMemory, ABatchThatCanNotBeFollowedByAnotherGoesOn) {
  constexpr int kTasks = 100;
  std::vector<int> all;
  for (int i = 0; i < kTasks; ++i) {
    strand.submit([this, i] {
      ran.push_back(i);
      if (i % 20 == 0) throw std::runtime_error("boom");
    });
    all.push_back(i);
  }
  forgetful->forgets = 3;
  executor->run_ready();
  EXPECT_EQ(ran, all);
  EXPECT_EQ(forgetful->forgets, 0);
  EXPECT_GT(executor->failed_tasks(), 0U);
  strand.submit(add(kTasks));
  executor->run_ready();
  EXPECT_EQ(ran.back(), kTasks);
}

TEST_F(StrandWithoutMemory, ATimerThatIsDueRuns) {
  const Timer first = strand.submit_after(1s, add(1));
  const Timer second = strand.submit_after(2s, [this] {
    ran.push_back(strand.running_in_this_thread() ? 2 : 0);
    strand.submit(add(3));
    throw std::runtime_error("boom");
  });
  forgetful->forgets = 2;
  executor->run_for(2s);
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
  EXPECT_EQ(forgetful->forgets, 0);
  EXPECT_EQ(executor->failed_tasks(), 1U);
}

TEST_F(StrandWithoutMemory, TimersThatAreDueWhileTheStrandIsBusyRunWhenItIsNot) {
  if (!testing::can_take_memory()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2});
  Strand busy(pool);
  // The task of the strand takes one thread; the timers fire on the other, without memory.
  std::promise<void> taken;
  std::promise<void> fired;
  std::promise<void> through;
  busy.submit([&] {
    fired.get_future().wait();
    ran.push_back(0);
  });
  pool->submit([&] {
    testing::take_memory(true);
    taken.set_value();
  });
  taken.get_future().wait();
  std::vector<Timer> timers;
  for (int i = 1; i <= 50; ++i) timers.push_back(busy.submit_at(TimePoint(), add(i)));
  timers[9].cancel();
  timers.push_back(busy.submit_at(TimePoint(), [&] { through.set_value(); }));
  const Timer last = pool->submit_at(TimePoint(), [&] {
    testing::take_memory(false);
    fired.set_value();
  });
  through.get_future().wait();
  std::vector<int> all;
  for (int i = 0; i <= 50; ++i) {
    if (i != 10) all.push_back(i);
  }
  EXPECT_EQ(ran, all);
}

}  // namespace
}  // namespace kube
