// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/delaying_queue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <kube/testing/fake_clock.hpp>

/// Its hash throws when it is asked to.
struct Touchy {
  int value = 0;
  bool operator==(const Touchy& other) const = default;
  static inline int throws_for = 0;
};
template <>
struct std::hash<Touchy> {
  std::size_t operator()(const Touchy& key) const {
    if (key.value != 0 && key.value == Touchy::throws_for) throw std::runtime_error("no hash");
    return std::hash<int>{}(key.value);
  }
};

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

/// Counts the timers that are pending, to show that the queue keeps one.
class CountingExecutor final : public Executor {
 public:
  explicit CountingExecutor(std::shared_ptr<SeededExecutor> below) : below_(std::move(below)) {}
  void submit(Task task) override { below_->submit(std::move(task)); }
  Timer submit_at(TimePoint when, Task task) override {
    if (std::exchange(throws_once, false)) throw std::runtime_error("no timers left");
    auto guard = std::make_shared<Pending>(*this);
    return below_->submit_at(when, [guard = std::move(guard), task = std::move(task)] { task(); });
  }
  const std::shared_ptr<Clock>& clock() const override { return below_->clock(); }
  int pending() const { return pending_; }
  bool throws_once = false;

 private:
  struct Pending {
    explicit Pending(CountingExecutor& e) : executor(e) { ++executor.pending_; }
    ~Pending() { --executor.pending_; }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    CountingExecutor& executor;
  };
  std::shared_ptr<SeededExecutor> below_;
  int pending_ = 0;
};

class DelayingQueueTest : public ::testing::Test {
 protected:
  std::vector<std::string> take_all() {
    std::vector<std::string> keys;
    while (auto item = queue.try_get()) keys.push_back(item->key());
    return keys;
  }

  std::shared_ptr<SeededExecutor> seeded = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<CountingExecutor> executor = std::make_shared<CountingExecutor>(seeded);
  DelayingQueue<std::string> queue{{.runtime = {.executor = executor}}};
};

TEST_F(DelayingQueueTest, KeysComeAlthoughTheirTimerCouldNotBeHadAtFirst) {
  executor->throws_once = true;
  EXPECT_THROW(queue.add_after("foo", 50ms), std::runtime_error);
  queue.add_after("bar", 60ms);
  seeded->run_for(60ms);
  EXPECT_THAT(take_all(), ElementsAre("foo", "bar"));
}

TEST_F(DelayingQueueTest, DQ_01_KeyComesOnceWhenItsDelayHasPassed) {
  queue.add_after("foo", 50ms);
  EXPECT_EQ(queue.len(), 0U);
  seeded->run_for(50ms - 1ns);
  EXPECT_THAT(take_all(), ElementsAre());
  seeded->run_for(1ns);
  EXPECT_THAT(take_all(), ElementsAre("foo"));
  seeded->run_for(10s);
  EXPECT_THAT(take_all(), ElementsAre());
}

TEST_F(DelayingQueueTest, DQ_02_OnlyAnEarlierTimeReplacesTheOneBefore) {
  queue.add_after("foo", 50ms);
  queue.add_after("foo", 70ms);
  seeded->run_for(60ms);
  EXPECT_THAT(take_all(), ElementsAre("foo"));
  seeded->run_for(20ms);
  EXPECT_THAT(take_all(), ElementsAre());

  queue.add_after("foo", 50ms);
  queue.add_after("foo", 30ms);
  seeded->run_for(40ms);
  EXPECT_THAT(take_all(), ElementsAre("foo"));
  seeded->run_for(20ms);
  EXPECT_THAT(take_all(), ElementsAre());
}

TEST_F(DelayingQueueTest, DQ_03_EarlierTimesAreDeliveredFirst) {
  queue.add_after("foo", 1s);
  queue.add_after("bar", 50ms);
  seeded->run_for(60ms);
  EXPECT_THAT(take_all(), ElementsAre("bar"));
  queue.add_after("baz", 2s);
  seeded->run_for(1s);
  EXPECT_THAT(take_all(), ElementsAre("foo"));
  seeded->run_for(2s);
  EXPECT_THAT(take_all(), ElementsAre("baz"));
}

TEST(DelayingQueue, DQ_04_KeysThatAreDueTogetherComeInOrderOfTheirTimes) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  DelayingQueue<std::string> queue({.runtime = {.executor = pool}});
  queue.add_after("third", 1s);
  queue.add_after("second", 500ms);
  queue.add_after("first", 250ms);
  queue.add_after("also first", 250ms);
  clock->advance(2s);
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) keys.push_back(queue.get({})->key());
  EXPECT_THAT(keys, ElementsAre("first", "also first", "second", "third"));
}

TEST_F(DelayingQueueTest, DQ_05_WithoutADelayTheKeyComesAtOnce) {
  queue.add_after("foo", 0s);
  queue.add_after("bar", -1s);
  EXPECT_THAT(take_all(), ElementsAre("foo", "bar"));
}

TEST_F(DelayingQueueTest, DQ_06_NothingIsAddedAfterShutdown) {
  queue.add_after("waiting", 1s);
  queue.shut_down();
  queue.add_after("late", 1s);
  queue.add_after("late and at once", 0s);
  EXPECT_EQ(executor->pending(), 0);
  seeded->run_for(1h);
  EXPECT_THAT(take_all(), ElementsAre());
}

TEST_F(DelayingQueueTest, DrainDropsWaitingKeysToo) {
  queue.add_after("waiting", 1s);
  EXPECT_TRUE(queue.shut_down_with_drain({}));
  EXPECT_EQ(executor->pending(), 0);
  seeded->run_for(1h);
  EXPECT_THAT(take_all(), ElementsAre());
}

TEST_F(DelayingQueueTest, DQ_07_AddOfAWaitingKeyDeliversItNowAndAgainLater) {
  queue.add_after("foo", 1s);
  queue.add("foo");
  EXPECT_THAT(take_all(), ElementsAre("foo"));
  seeded->run_for(1s);
  EXPECT_THAT(take_all(), ElementsAre("foo"));
}

TEST_F(DelayingQueueTest, OneTimerWhateverTheNumberOfKeys) {
  for (int i = 0; i < 100; ++i) {
    queue.add_after("key" + std::to_string(i), std::chrono::milliseconds(1 + (i * 37) % 100));
    EXPECT_EQ(executor->pending(), 1);
  }
  for (int i = 1; i <= 100; ++i) {
    seeded->run_for(1ms);
    EXPECT_EQ(take_all().size(), 1U);
    EXPECT_EQ(executor->pending(), i < 100 ? 1 : 0);
  }
}

TEST_F(DelayingQueueTest, NeverIsNotNow) {
  queue.add_after("never", Duration::max());
  queue.add_after("soon", 1ms);
  seeded->run_for(24h * 365);
  EXPECT_THAT(take_all(), ElementsAre("soon"));
}

TEST_F(DelayingQueueTest, KeyInWorkThatBecomesDueComesWhenDone) {
  queue.add("foo");
  auto item = queue.try_get();
  queue.add_after("foo", 1s);
  seeded->run_for(1s);
  EXPECT_EQ(queue.len(), 0U);
  item.reset();
  EXPECT_THAT(take_all(), ElementsAre("foo"));
}

TEST_F(DelayingQueueTest, AJumpOfYearsBringsEachKeyOnceInOrderOfTheirTimes) {
  constexpr auto kYear = 24h * 365;
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock});
  DelayingQueue<std::string> jumping({.runtime = {.executor = pool}});
  jumping.add_after("later", 2 * kYear);
  jumping.add_after("second", 2s);
  jumping.add_after("first", 1s);
  clock->set_wall(WallTime(kYear * 200));
  clock->set_wall(WallTime(0s));
  clock->await_deadline(clock->now() + 1s);
  EXPECT_EQ(jumping.len(), 0U) << "the wall clock counts for nothing";
  clock->advance(kYear);
  EXPECT_EQ(jumping.get({})->key(), "first");
  EXPECT_EQ(jumping.get({})->key(), "second");
  EXPECT_EQ(jumping.len(), 0U);
  clock->advance(kYear);
  EXPECT_EQ(jumping.get({})->key(), "later");
}

TEST_F(DelayingQueueTest, DelaysBelowZeroAreNone) {
  for (const Duration delay : {Duration(-1), Duration(-24h), Duration::min()}) {
    queue.add_after("foo", delay);
    EXPECT_THAT(take_all(), ElementsAre("foo"));
  }
  EXPECT_EQ(executor->pending(), 0);
}

TEST(DelayingQueue, AKeyThatCanNotBeAddedKeepsNoOtherFromComing) {
  auto executor = std::make_shared<SeededExecutor>(1);
  DelayingQueue<Touchy> queue({.runtime = {.executor = executor}});
  for (int i = 1; i <= 4; ++i) queue.add_after({i}, 1s);
  Touchy::throws_for = 2;
  executor->run_for(1s);
  Touchy::throws_for = 0;
  queue.add_after({5}, 1s);
  executor->run_for(1s);
  std::vector<int> keys;
  while (auto item = queue.try_get()) keys.push_back(item->key().value);
  EXPECT_THAT(keys, ElementsAre(1, 3, 4, 5));
  EXPECT_EQ(executor->failed_tasks(), 1U) << "it is not passed over in silence";
}

TEST(DelayingQueue, MayBeDestroyedWhileKeysWait) {
  auto executor = std::make_shared<SeededExecutor>(1);
  {
    DelayingQueue<int> queue({.runtime = {.executor = executor}});
    queue.add_after(1, 1s);
  }
  executor->run_for(2s);
  EXPECT_FALSE(executor->step());
}

TEST(DelayingQueue, ManyThreadsAddWhileTimePasses) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2, .clock = clock});
  DelayingQueue<int> queue({.runtime = {.executor = pool}});
  constexpr int kKeys = 400;
  std::atomic<int> taken = 0;
  std::jthread worker([&] {
    while (auto item = queue.get({})) ++taken;
  });
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = t; i < kKeys; i += 4) {
          queue.add_after(i, std::chrono::milliseconds(1 + i % 13));
          if (i % 5 == 0) clock->advance(1ms);
        }
      });
    }
  }
  while (taken.load() < kKeys) clock->advance(1ms);
  queue.shut_down();
  worker.join();
  EXPECT_EQ(taken.load(), kKeys);
}

}  // namespace
}  // namespace kube
