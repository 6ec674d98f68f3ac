// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/work_queue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <kube/testing/fake_clock.hpp>

/// A key that tells how many copies of it there are.
struct SharedKey {
  std::shared_ptr<int> value;
  bool operator==(const SharedKey& other) const { return *value == *other.value; }
};
template <>
struct std::hash<SharedKey> {
  std::size_t operator()(const SharedKey& key) const { return std::hash<int>{}(*key.value); }
};

namespace kube {
namespace {

using ::kube::testing::FakeClock;
using ::testing::ElementsAre;

static_assert(!std::is_copy_constructible_v<WorkItem<int>>);
static_assert(std::is_nothrow_move_constructible_v<WorkItem<int>>);
static_assert(std::is_nothrow_move_assignable_v<WorkItem<int>>);
static_assert(!std::is_copy_constructible_v<WorkQueue<int>>);
static_assert(!std::is_move_constructible_v<WorkQueue<int>>);

/// Runs tasks inline: only the clock is of interest.
class ClockOnlyExecutor final : public Executor {
 public:
  explicit ClockOnlyExecutor(std::shared_ptr<Clock> clock) : clock_(std::move(clock)) {}
  void submit(Task) override {}
  Timer submit_at(TimePoint, Task) override { return Timer(); }
  const std::shared_ptr<Clock>& clock() const override { return clock_; }

 private:
  std::shared_ptr<Clock> clock_;
};

/// A queue on a fake clock, so that a test knows when a thread waits in it.
struct FakeTime {
  std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
  Runtime runtime{.executor = std::make_shared<ClockOnlyExecutor>(clock)};
};

/// Takes everything that can be taken now, one at a time.
template <class Key>
std::vector<Key> drain(WorkQueue<Key>& queue) {
  std::vector<Key> keys;
  while (auto item = queue.try_get()) keys.push_back(item->key());
  return keys;
}

enum class End { ShutDown, Drain };

void end_queue(WorkQueue<int>& queue, End how) {
  if (how == End::ShutDown) {
    queue.shut_down();
  } else {
    EXPECT_TRUE(queue.shut_down_with_drain({}));
  }
}

class WorkQueueThreads : public ::testing::TestWithParam<End> {};

TEST_P(WorkQueueThreads, WQ_01_NoItemIsInTwoWorkersAndNothingIsAddedAfterShutdown) {
  constexpr int kProducers = 50;
  constexpr int kAdds = 50;
  constexpr int kKeys = 50;
  WorkQueue<int> queue;
  std::vector<std::atomic<int>> in_work(kKeys + 1);
  std::atomic<int> taken = 0;
  std::atomic<bool> twice = false;
  std::atomic<bool> late = false;
  std::vector<std::jthread> consumers;
  for (int i = 0; i < 10; ++i) {
    consumers.emplace_back([&] {
      while (auto item = queue.get({})) {
        const auto key = static_cast<std::size_t>(item->key());
        if (in_work[key].fetch_add(1) != 0) twice = true;
        if (key == kKeys) late = true;
        ++taken;
        in_work[key].fetch_sub(1);
      }
    });
  }
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < kProducers; ++i) {
      producers.emplace_back([&, i] {
        for (int j = 0; j < kAdds; ++j) queue.add((i + j) % kKeys);
      });
    }
  }
  end_queue(queue, GetParam());
  queue.add(kKeys);
  consumers.clear();
  EXPECT_FALSE(twice.load());
  EXPECT_FALSE(late.load());
  EXPECT_GE(taken.load(), kKeys);
  EXPECT_EQ(queue.len(), 0U);
}

TEST_P(WorkQueueThreads, WQ_02_ItemsReaddedWhileInWorkAreDrainedAfterShutdown) {
  WorkQueue<int> queue;
  std::vector<std::jthread> consumers;
  for (int i = 0; i < 5; ++i) {
    consumers.emplace_back([&] {
      int again = 20;
      while (auto item = queue.get({})) {
        if (again-- > 0) queue.add(item->key());
      }
    });
  }
  for (int i = 0; i < 100; ++i) queue.add(i);
  end_queue(queue, GetParam());
  consumers.clear();
  EXPECT_EQ(queue.len(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Ends, WorkQueueThreads, ::testing::Values(End::ShutDown, End::Drain),
                         [](const auto& end) {
                           return end.param == End::ShutDown ? "ShutDown" : "Drain";
                         });

TEST(WorkQueue, WQ_03_LenCountsAWaitingKeyOnce) {
  WorkQueue<std::string> queue;
  queue.add("foo");
  EXPECT_EQ(queue.len(), 1U);
  queue.add("bar");
  EXPECT_EQ(queue.len(), 2U);
  queue.add("foo");
  EXPECT_EQ(queue.len(), 2U);
}

TEST(WorkQueue, LenCountsNeitherItemsInWorkNorTheirReadds) {
  WorkQueue<int> queue;
  queue.add(1);
  auto item = queue.try_get();
  queue.add(1);
  EXPECT_EQ(queue.len(), 0U);
  item->done();
  EXPECT_EQ(queue.len(), 1U);
}

TEST(WorkQueue, WQ_04_KeyAddedWhileInWorkIsAvailableAgainWhenDone) {
  WorkQueue<std::string> queue;
  queue.add("foo");
  auto item = queue.try_get();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->key(), "foo");
  queue.add("foo");
  EXPECT_FALSE(queue.try_get());
  item.reset();
  item = queue.try_get();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->key(), "foo");
  item.reset();
  EXPECT_EQ(queue.len(), 0U);
  EXPECT_FALSE(queue.try_get());
}

/// Last in, first out; counts touches.
class Stack final : public WorkQueueOrder<std::string> {
 public:
  void push(const std::string& key) override { keys_.push_back(key); }
  std::string pop() override {
    std::string key = std::move(keys_.back());
    keys_.pop_back();
    return key;
  }
  void touch(const std::string& key) override { touched.push_back(key); }

  std::vector<std::string> touched;

 private:
  std::vector<std::string> keys_;
};

TEST(WorkQueue, WQ_05_TwoAddsBeforeGetDeliverOnceAndTouchTheOrder) {
  const auto order = std::make_shared<Stack>();
  WorkQueue<std::string> queue({.order = order});
  queue.add("foo");
  EXPECT_THAT(order->touched, ElementsAre());
  queue.add("foo");
  EXPECT_THAT(order->touched, ElementsAre("foo"));
  EXPECT_THAT(drain(queue), ElementsAre("foo"));
}

TEST(WorkQueue, WQ_06_TwoAddsWhileInWorkDeliverOnceMoreAfterDoneWithoutTouch) {
  FakeTime time;
  const auto order = std::make_shared<Stack>();
  WorkQueue<std::string> queue({.runtime = time.runtime, .order = order});
  queue.add("foo");
  auto first = queue.try_get();
  ASSERT_TRUE(first);
  queue.add("foo");
  queue.add("foo");
  EXPECT_THAT(order->touched, ElementsAre());
  std::atomic<bool> first_done = false;
  std::jthread second_worker([&] {
    const auto item = queue.get({});
    ASSERT_TRUE(item);
    EXPECT_TRUE(first_done.load());
  });
  time.clock->await_blocked(1);
  first_done = true;
  first.reset();
  second_worker.join();
  EXPECT_FALSE(queue.try_get());
}

TEST(WorkQueue, OrderDecidesWhatIsTakenNext) {
  WorkQueue<std::string> queue({.order = std::make_shared<Stack>()});
  for (const char* key : {"a", "b", "c"}) queue.add(key);
  auto c = queue.try_get();
  EXPECT_EQ(c->key(), "c");
  queue.add("c");
  EXPECT_EQ(queue.try_get()->key(), "b");
  c.reset();
  EXPECT_THAT(drain(queue), ElementsAre("c", "a"));
}

// The order is user code: what it makes up costs no promise of the queue.
TEST(WorkQueue, AnOrderThatMakesUpKeysGivesNoKeyToTwoWorkers) {
  struct Liar final : WorkQueueOrder<std::string> {
    void push(const std::string&) override {}
    std::string pop() override { return says; }
    std::string says = "a";
  };
  const auto order = std::make_shared<Liar>();
  WorkQueue<std::string> queue({.order = order});
  queue.add("a");
  queue.add("b");
  const auto first = queue.try_get();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->key(), "a");
  EXPECT_FALSE(queue.try_get()) << "it is in work";
  order->says = "nosuch";
  EXPECT_FALSE(queue.try_get());
  order->says = "b";
  EXPECT_TRUE(queue.try_get());
}

TEST(WorkQueue, WQ_07_DrainBlocksUntilAllTakenItemsAreDone) {
  FakeTime time;
  WorkQueue<std::string> queue({.runtime = time.runtime});
  queue.add("foo");
  queue.add("bar");
  auto foo = queue.try_get();
  auto bar = queue.try_get();
  std::atomic<bool> drained = false;
  std::jthread drainer([&] { drained = queue.shut_down_with_drain({}); });
  time.clock->await_blocked(1);
  EXPECT_TRUE(queue.shutting_down());
  foo.reset();
  time.clock->await_blocked(1);
  EXPECT_FALSE(drained.load());
  bar.reset();
  drainer.join();
  EXPECT_TRUE(drained.load());
}

TEST(WorkQueue, WQ_08_ShutDownDoesNotWaitForItemsInWork) {
  WorkQueue<std::string> queue;
  queue.add("foo");
  const auto item = queue.try_get();
  queue.shut_down();
  EXPECT_TRUE(queue.shutting_down());
}

TEST(WorkQueue, WQ_09_ShutDownEndsADrain) {
  FakeTime time;
  WorkQueue<std::string> queue({.runtime = time.runtime});
  queue.add("foo");
  const auto item = queue.try_get();
  std::promise<bool> drained;
  std::jthread drainer([&] { drained.set_value(queue.shut_down_with_drain({})); });
  time.clock->await_blocked(1);
  queue.shut_down();
  EXPECT_FALSE(drained.get_future().get());
}

TEST(WorkQueue, StopEndsADrain) {
  FakeTime time;
  WorkQueue<int> queue({.runtime = time.runtime});
  queue.add(1);
  const auto item = queue.try_get();
  std::promise<bool> drained;
  std::jthread drainer(
      [&](const std::stop_token& stop) { drained.set_value(queue.shut_down_with_drain(stop)); });
  time.clock->await_blocked(1);
  drainer.request_stop();
  EXPECT_FALSE(drained.get_future().get());
}

TEST(WorkQueue, EveryDrainIsToldOfTheLastItem) {
  FakeTime time;
  WorkQueue<int> queue({.runtime = time.runtime});
  queue.add(1);
  auto item = queue.try_get();
  std::vector<std::jthread> drainers;
  for (int i = 0; i < 3; ++i) {
    drainers.emplace_back([&] { EXPECT_TRUE(queue.shut_down_with_drain({})); });
  }
  time.clock->await_blocked(3);
  item.reset();
}

TEST(WorkQueue, WQ_10_ItemReaddedBeforeADrainCanBeTakenAgain) {
  FakeTime time;
  WorkQueue<std::string> queue({.runtime = time.runtime});
  queue.add("foo");
  auto item = queue.try_get();
  queue.add("foo");
  std::jthread drainer([&] { queue.shut_down_with_drain({}); });
  time.clock->await_blocked(1);
  item.reset();
  item = queue.get({});
  ASSERT_TRUE(item);
  EXPECT_EQ(item->key(), "foo");
  item.reset();
  EXPECT_FALSE(queue.get({}));
}

TEST(WorkQueue, WQ_12_GetAfterShutdownReturnsWhatIsLeftThenNothing) {
  WorkQueue<int> queue;
  queue.add(1);
  queue.add(2);
  queue.shut_down();
  EXPECT_EQ(queue.get({})->key(), 1);
  EXPECT_EQ(queue.get({})->key(), 2);
  EXPECT_FALSE(queue.get({}));
}

TEST(WorkQueue, WQ_13_DrainDoesNotWaitForKeysThatNobodyTakes) {
  WorkQueue<int> queue;
  queue.add(1);
  EXPECT_TRUE(queue.shut_down_with_drain({}));
  EXPECT_EQ(queue.len(), 1U);
}

TEST(WorkQueue, WQ_14_AddAfterShutdownIsIgnoredAlsoForAnItemInWork) {
  WorkQueue<int> queue;
  queue.add(1);
  auto item = queue.try_get();
  queue.shut_down();
  queue.add(1);
  queue.add(2);
  item.reset();
  EXPECT_EQ(queue.len(), 0U);
  EXPECT_FALSE(queue.get({}));
}

TEST(WorkQueue, WQ_15_KeyReaddedWhileInWorkJoinsTheEndWhenDone) {
  WorkQueue<int> queue;
  queue.add(1);
  auto item = queue.try_get();
  queue.add(1);
  queue.add(2);
  item.reset();
  queue.add(3);
  EXPECT_THAT(drain(queue), ElementsAre(2, 1, 3));
}

TEST(WorkQueue, StopEndsAGetAndAReadyKeyWinsOverStop) {
  FakeTime time;
  WorkQueue<int> queue({.runtime = time.runtime});
  std::promise<bool> got;
  std::jthread worker(
      [&](const std::stop_token& stop) { got.set_value(queue.get(stop).has_value()); });
  time.clock->await_blocked(1);
  worker.request_stop();
  EXPECT_FALSE(got.get_future().get());
  std::stop_source stopped;
  stopped.request_stop();
  EXPECT_FALSE(queue.get(stopped.get_token()));
  queue.add(1);
  EXPECT_TRUE(queue.get(stopped.get_token()));
}

TEST(WorkQueue, EachAddWakesAnotherWorker) {
  FakeTime time;
  WorkQueue<int> queue({.runtime = time.runtime});
  std::mutex mutex;
  std::set<int> taken;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([&] {
      const auto item = queue.get({});
      const std::scoped_lock lock(mutex);
      taken.insert(item->key());
    });
  }
  time.clock->await_blocked(3);
  for (int i = 0; i < 3; ++i) queue.add(i);
  workers.clear();
  EXPECT_THAT(taken, ElementsAre(0, 1, 2));
}

TEST(WorkQueue, ItemMayEndEarlyMoveAndOutliveTheQueue) {
  auto queue = std::make_unique<WorkQueue<int>>();
  queue->add(1);
  queue->add(2);
  auto one = queue->try_get();
  auto two = queue->try_get();
  one->done();
  one->done();
  queue->add(1);
  EXPECT_EQ(queue->len(), 1U);
  WorkItem<int> moved = std::move(*two);
  two.reset();
  queue->add(2);
  EXPECT_EQ(queue->len(), 1U) << "the moved item still holds its key";
  one.reset();
  queue.reset();
  EXPECT_EQ(moved.key(), 2);
}

TEST(WorkQueue, AssigningAnItemEndsTheOneBefore) {
  WorkQueue<int> queue;
  queue.add(1);
  queue.add(2);
  WorkItem<int> item = std::move(*queue.try_get());
  queue.add(1);
  item = std::move(*queue.try_get());
  EXPECT_EQ(item.key(), 2);
  EXPECT_THAT(drain(queue), ElementsAre(1));
}

TEST(WorkQueue, OnReadyIsCalledForEachKeyThatBecomesReadyAndOnceAtShutdown) {
  WorkQueue<int> queue;
  queue.add(1);
  int calls = 0;
  queue.on_ready([&] { ++calls; });
  EXPECT_EQ(calls, 1) << "the key that was ready before";
  queue.add(2);
  EXPECT_EQ(calls, 2);
  queue.add(2);
  EXPECT_EQ(calls, 2) << "it was ready already";
  auto one = queue.try_get();
  queue.add(1);
  EXPECT_EQ(calls, 2) << "it is in work";
  one.reset();
  EXPECT_EQ(calls, 3);
  queue.shut_down();
  queue.shut_down();
  EXPECT_EQ(calls, 4);
  int late_calls = 0;
  queue.on_ready([&] { ++late_calls; });
  EXPECT_EQ(late_calls, 3) << "two keys and the shutdown";
}

TEST(WorkQueue, OnReadyMayUseTheQueueReplaceItselfAndThrow) {
  WorkQueue<int> queue;
  std::vector<int> seen;
  queue.on_ready([&] {
    while (auto item = queue.try_get()) seen.push_back(item->key());
    queue.on_ready([] { throw std::runtime_error("boom"); });
  });
  queue.add(1);
  queue.add(2);
  EXPECT_THAT(seen, ElementsAre(1));
  queue.on_ready(nullptr);
  queue.add(3);
  EXPECT_THAT(drain(queue), ElementsAre(2, 3));
}

TEST(WorkQueue, TasksOnAnExecutorServeTheQueueWithoutBlockedThreads) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    auto executor = std::make_shared<SeededExecutor>(seed);
    WorkQueue<int> queue({.runtime = {.executor = executor}});
    std::vector<int> worked;
    queue.on_ready([&] {
      executor->submit([&] {
        if (const auto item = queue.try_get()) {
          worked.push_back(item->key());
          if (worked.size() == 1) queue.add(item->key());
        }
      });
    });
    for (int i = 0; i < 5; ++i) executor->submit([&, i] { queue.add(i); });
    executor->run_ready();
    EXPECT_EQ(worked.size(), 6U);
    EXPECT_EQ(std::count(worked.begin(), worked.end(), worked.front()), 2);
  }
}

TEST(WorkQueue, WQ_11_QueueHoldsNoReferenceToAKeyThatIsDone) {
  WorkQueue<SharedKey> queue;
  const auto value = std::make_shared<int>(1);
  queue.add(SharedKey{value});
  EXPECT_EQ(value.use_count(), 2);
  queue.try_get()->done();
  EXPECT_EQ(value.use_count(), 1);
}

TEST(WorkQueue, KeysInTheQueueDieWithIt) {
  const auto value = std::make_shared<int>(1);
  {
    WorkQueue<SharedKey> queue;
    queue.add(SharedKey{value});
  }
  EXPECT_EQ(value.use_count(), 1);
}

TEST(WorkQueueCounts, AreOfOneMoment) {
  WorkQueue<std::string> queue;
  queue.add("a");
  queue.add("b");
  auto item = queue.try_get();
  EXPECT_EQ(queue.counts().queued, 1U);
  EXPECT_EQ(queue.counts().in_work, 1U);
  queue.add("a");
  EXPECT_EQ(queue.counts().queued, 1U) << "a is in work";
  item.reset();
  EXPECT_EQ(queue.counts().queued, 2U);
  EXPECT_EQ(queue.counts().in_work, 0U);
}

}  // namespace
}  // namespace kube
