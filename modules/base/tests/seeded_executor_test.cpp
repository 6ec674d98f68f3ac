// SPDX-License-Identifier: Apache-2.0
#include <kube/base/executor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

static_assert(!std::is_copy_constructible_v<SeededExecutor>);

/// A program with tasks that spawn tasks, timers and strands, as a record of what ran when.
std::string record_run(std::uint64_t seed) {
  auto executor = std::make_shared<SeededExecutor>(seed);
  const TimePoint start = executor->clock()->now();
  std::string log;
  std::vector<Timer> timers;
  const auto note = [&](const std::string& what) {
    log += what + "@" + std::to_string((executor->clock()->now() - start) / 1ms) + " ";
  };
  Strand left(executor);
  Strand right(executor);
  for (int i = 0; i < 4; ++i) {
    left.submit([&, i] { note("l" + std::to_string(i)); });
    right.submit([&, i] { note("r" + std::to_string(i)); });
    executor->submit([&, i] {
      note("t" + std::to_string(i));
      timers.push_back(executor->submit_after(1ms * (i % 2 + 1), [&, i] {
        note("w" + std::to_string(i));
        if (executor->random() % 2 == 0) executor->submit([&] { note("x"); });
      }));
    });
  }
  while (executor->step()) {
  }
  return log;
}

TEST(SeededExecutor, SameSeedGivesTheSameRun) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(record_run(seed), record_run(seed));
}

TEST(SeededExecutor, DifferentSeedsGiveDifferentInterleavings) {
  std::set<std::string> runs;
  for (std::uint64_t seed = 0; seed < 50; ++seed) runs.insert(record_run(seed));
  EXPECT_GT(runs.size(), 45U);
}

TEST(SeededExecutor, EveryOrderOfReadyTasksHappens) {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SeededExecutor executor(seed);
    std::vector<int> order;
    for (int i = 0; i < 3; ++i) executor.submit([&order, i] { order.push_back(i); });
    executor.run_ready();
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(SeededExecutor, ReadyTasksRunBeforeTimeMoves) {
  SeededExecutor executor(1);
  const TimePoint start = executor.clock()->now();
  std::vector<int> order;
  const Timer timer = executor.submit_after(1ns, [&] { order.push_back(2); });
  executor.submit([&] { order.push_back(1); });
  EXPECT_TRUE(executor.step());
  EXPECT_EQ(executor.clock()->now(), start);
  EXPECT_TRUE(executor.step());
  EXPECT_EQ(executor.clock()->now(), start + 1ns);
  EXPECT_TRUE(executor.step());
  EXPECT_FALSE(executor.step());
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(SeededExecutor, RunReadyDoesNotMoveTime) {
  SeededExecutor executor(1);
  int runs = 0;
  const Timer timer = executor.submit_after(1s, [&] { ++runs; });
  executor.submit([&] { executor.submit([&] { ++runs; }); });
  EXPECT_EQ(executor.run_ready(), 2U);
  EXPECT_EQ(runs, 1);
}

TEST(SeededExecutor, RunForStopsExactlyAtTheEnd) {
  SeededExecutor executor(1);
  const TimePoint start = executor.clock()->now();
  std::vector<int> order;
  const Timer inside = executor.submit_after(1s, [&] { order.push_back(1); });
  const Timer outside = executor.submit_after(1s + 1ns, [&] { order.push_back(2); });
  executor.run_for(1s);
  EXPECT_THAT(order, ElementsAre(1));
  EXPECT_EQ(executor.clock()->now() - start, 1s);
  executor.run_for(10s);
  EXPECT_EQ(executor.clock()->now() - start, 11s);
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(SeededExecutor, RunUntilStopsAtTheConditionOrTheLimit) {
  SeededExecutor executor(1);
  int runs = 0;
  std::function<void()> again = [&] {
    ++runs;
    executor.submit(again);
  };
  executor.submit(again);
  EXPECT_TRUE(executor.run_until([&] { return runs == 10; }));
  EXPECT_EQ(runs, 10);
  EXPECT_FALSE(executor.run_until([] { return false; }, 100));
  EXPECT_EQ(runs, 110);
}

TEST(SeededExecutor, RunUntilEndsWhenNothingIsLeft) {
  SeededExecutor executor(1);
  EXPECT_FALSE(executor.run_until([] { return false; }));
}

TEST(SeededExecutor, TimerThatNeverComesDoesNotMoveTime) {
  SeededExecutor executor(1);
  const Timer never = executor.submit_after(Duration::max(), [] { FAIL(); });
  EXPECT_FALSE(executor.step());
}

TEST(SeededExecutor, CancelledAndDroppedTimersDoNotRun) {
  SeededExecutor executor(1);
  Timer victim;
  bool ran = false;
  // Due together: whichever the seed picks first, a cancelled one stays silent.
  victim = executor.submit_after(1s, [&] { ran = true; });
  victim.cancel();
  {
    const Timer dropped = executor.submit_after(1s, [&] { ran = true; });
  }
  executor.run_for(2s);
  EXPECT_FALSE(ran);
}

TEST(SeededExecutor, WallTimeFollowsVirtualTime) {
  SeededExecutor executor(1);
  const WallTime start = executor.clock()->wall_now();
  executor.run_for(5s);
  EXPECT_EQ(executor.clock()->wall_now() - start, 5s);
}

TEST(SeededExecutor, ExceptionsAreCounted) {
  SeededExecutor executor(1);
  executor.submit([] { throw std::runtime_error("boom"); });
  executor.submit([] {});
  EXPECT_EQ(executor.run_ready(), 2U);
  EXPECT_EQ(executor.failed_tasks(), 1U);
}

TEST(SeededExecutor, TaskThatWaitsLetsTheOthersRun) {
  SeededExecutor executor(1);
  Mutex mutex;
  CondVar cv;
  bool flag = false;
  WaitStatus status{};
  const Timer timer = executor.submit_after(1s, [&] {
    MutexLock lock(mutex);
    flag = true;
    cv.notify_all();
  });
  executor.submit([&] {
    MutexLock lock(mutex);
    status = executor.clock()->wait_until(lock, cv, TimePoint::max(), {}, [&] { return flag; });
  });
  EXPECT_EQ(executor.run_ready(), 1U);
  EXPECT_EQ(status, WaitStatus::Ready);
}

TEST(SeededExecutor, WaitsEndByStopAndByDeadline) {
  SeededExecutor executor(1);
  const std::shared_ptr<Clock> clock = executor.clock();
  const TimePoint start = clock->now();
  EXPECT_EQ(clock->sleep_for(3s, {}), WaitStatus::TimedOut);
  EXPECT_EQ(clock->now() - start, 3s);
  std::stop_source stop;
  const Timer stopper = executor.submit_after(1s, [&] { stop.request_stop(); });
  EXPECT_EQ(clock->sleep_for(1h, stop.get_token()), WaitStatus::Stopped);
  EXPECT_EQ(clock->now() - start, 4s);
}

TEST(SeededExecutor, WaitThatNothingCanEndIsAnErrorNotAHang) {
  SeededExecutor executor(1);
  EXPECT_THROW((void)executor.clock()->sleep_until(TimePoint::max(), {}), std::logic_error);
}

TEST(SeededExecutor, ClockAndTimersMayOutliveIt) {
  Timer timer;
  std::shared_ptr<Clock> clock;
  auto payload = std::make_shared<int>(1);
  {
    SeededExecutor executor(1);
    timer = executor.submit_after(1s, [payload] {});
    executor.submit([payload] {});
    clock = executor.clock();
  }
  EXPECT_EQ(payload.use_count(), 1);
  timer.cancel();
  EXPECT_EQ(clock->sleep_for(1s, {}), WaitStatus::TimedOut);
}

TEST(SeededExecutor, TasksDestroyedWithItMaySubmitAndCancel) {
  std::vector<Timer> timers(1);
  {
    auto executor = std::make_unique<SeededExecutor>(1);
    SeededExecutor* raw = executor.get();
    timers[0] = executor->submit_after(1s, [] {});
    auto guard = std::shared_ptr<void>(nullptr, [&timers, raw](void*) {
      timers.clear();
      raw->submit([] {});
    });
    executor->submit([guard = std::move(guard)] {});
    executor.reset();
  }
  EXPECT_TRUE(timers.empty());
}

TEST(SeededExecutor, StopDestroysWhatIsQueuedAndRefusesTheRest) {
  auto executor = std::make_shared<SeededExecutor>(1);
  const std::weak_ptr<SeededExecutor> alive = executor;
  bool ran = false;
  executor->submit([executor, &ran] { ran = true; });
  const Timer timer = executor->submit_after(1s, [executor, &ran] { ran = true; });
  executor->stop();
  executor->submit([executor, &ran] { ran = true; });
  EXPECT_FALSE(executor->step());
  EXPECT_FALSE(ran);
  executor.reset();
  EXPECT_TRUE(alive.expired()) << "a dropped task still holds its executor";
}

}  // namespace
}  // namespace kube
