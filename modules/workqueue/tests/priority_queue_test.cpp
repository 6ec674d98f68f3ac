// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/priority_queue.hpp>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class PriorityQueueTest : public ::testing::Test {
 protected:
  /// "b@5", in the order in which they are taken.
  std::vector<std::string> take_all() {
    std::vector<std::string> keys;
    while (auto item = queue.try_get()) {
      keys.push_back(item->key() + "@" + std::to_string(item->priority()));
    }
    return keys;
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  PriorityQueue<std::string> queue{
      {.runtime = {.executor = executor},
       .rate_limiter =
           std::make_shared<ItemExponentialFailureRateLimiter<std::string>>(1ms, 1000s)}};
};

TEST_F(PriorityQueueTest, TakesTheHighestPriorityFirstAndEqualOnesInOrder) {
  queue.add("list-1", {.priority = kLowPriority});
  queue.add("list-2", {.priority = kLowPriority});
  queue.add("event-1");
  queue.add("urgent", {.priority = 10});
  queue.add("event-2");
  EXPECT_THAT(take_all(),
              ElementsAre("urgent@10", "event-1@0", "event-2@0", "list-1@-100", "list-2@-100"));
}

TEST_F(PriorityQueueTest, AHigherPriorityMovesAWaitingKeyForwardAndALowerOneDoesNothing) {
  queue.add("a", {.priority = kLowPriority});
  queue.add("b");
  queue.add("c");
  queue.add("a");
  queue.add("b", {.priority = kLowPriority});
  EXPECT_EQ(queue.len(), 3U);
  EXPECT_THAT(take_all(), ElementsAre("a@0", "b@0", "c@0")) << "a has waited longest";
  queue.add("d", {.priority = 1});
  queue.add("e", {.priority = 2});
  queue.add("d", {.priority = 3});
  EXPECT_THAT(take_all(), ElementsAre("d@3", "e@2"));
}

TEST_F(PriorityQueueTest, AKeyThatIsAddedDuringItsWorkComesBackWithTheHighestPriority) {
  queue.add("a", {.priority = 3});
  auto item = queue.try_get();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->priority(), 3);
  queue.add("a", {.priority = kLowPriority});
  queue.add("a", {.priority = 7});
  queue.add("b", {.priority = 5});
  queue.add("a");
  EXPECT_EQ(queue.len(), 1U) << "a is in work";
  item->done();
  EXPECT_THAT(take_all(), ElementsAre("a@7", "b@5"));
  queue.add("a");
  EXPECT_THAT(take_all(), ElementsAre("a@0")) << "its priority is forgotten with its work";
}

TEST_F(PriorityQueueTest, ADelayedKeyHasItsPriorityWhenItIsDue) {
  queue.add("later", {.priority = 5, .after = 10s});
  queue.add("now");
  EXPECT_THAT(take_all(), ElementsAre("now@0"));
  queue.add("other", {.priority = 1});
  executor->run_for(10s);
  EXPECT_THAT(take_all(), ElementsAre("later@5", "other@1"));

  queue.add("a", {.priority = 5, .after = 10s});
  queue.add("a");
  EXPECT_THAT(take_all(), ElementsAre("a@5")) << "the highest since it was last taken";
}

TEST_F(PriorityQueueTest, ADelayedAddKeepsItsPriorityWhenTheKeyIsTakenBefore) {
  for (const int priority : {100, kLowPriority}) {
    queue.add("a", {.priority = priority, .after = 10s});
    queue.add("a", {.priority = 3 * priority, .after = 20s});
    queue.add("a", {.priority = priority});
    static_cast<void>(take_all());
    queue.add("b", {.priority = 1});
    queue.add("c", {.priority = -1});
    executor->run_for(10s);
    if (priority > 0) {
      EXPECT_THAT(take_all(), ElementsAre("a@300", "b@1", "c@-1"));
    } else {
      EXPECT_THAT(take_all(), ElementsAre("b@1", "c@-1", "a@-100"));
    }
    queue.add("a");
    EXPECT_THAT(take_all(), ElementsAre("a@0")) << "nothing is left of the delayed adds";
    executor->run_for(10s);
    EXPECT_EQ(queue.len(), 0U);
  }
}

TEST_F(PriorityQueueTest, AnAddWhoseDelayIsNotOverMovesAWaitingKeyForward) {
  queue.add("first");
  queue.add("a");
  queue.add("a", {.priority = 10, .after = 1h});
  EXPECT_THAT(take_all(), ElementsAre("a@10", "first@0"));
  queue.add("a");
  EXPECT_THAT(take_all(), ElementsAre("a@0")) << "it was taken since the delayed add";
  executor->run_for(1h);
  EXPECT_THAT(take_all(), ElementsAre("a@10"));
}

TEST_F(PriorityQueueTest, ADelayedAddDuringTheWorkLiftsTheNextRun) {
  queue.add("a");
  auto item = queue.try_get();
  ASSERT_TRUE(item);
  queue.add("a", {.priority = 5, .after = 10s});
  queue.add("a");
  item->done();
  EXPECT_THAT(take_all(), ElementsAre("a@5"));
  executor->run_for(10s);
  EXPECT_THAT(take_all(), ElementsAre("a@5"));
}

TEST_F(PriorityQueueTest, ADelayedAddOfTheSamePriorityDoesNotLiftAWaitingKey) {
  queue.add("a", {.priority = kLowPriority});
  queue.add("a", {.priority = kLowPriority, .after = 1s});
  queue.add("a", {.priority = kLowPriority});
  executor->run_for(1s);
  EXPECT_THAT(take_all(), ElementsAre("a@-100"));
}

TEST_F(PriorityQueueTest, RateLimitedAddsCountFailuresUntilTheyAreForgotten) {
  for (const Duration delay : {1ms, 2ms, 4ms}) {
    queue.add("a", {.priority = 2, .rate_limited = true});
    executor->run_for(delay - 1us);
    EXPECT_EQ(queue.len(), 0U);
    executor->run_for(1us);
    EXPECT_THAT(take_all(), ElementsAre("a@2"));
  }
  EXPECT_EQ(queue.num_requeues("a"), 3);
  queue.forget("a");
  EXPECT_EQ(queue.num_requeues("a"), 0);
  queue.add("a", {.after = 1s, .rate_limited = true});
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("a@0")) << "the sooner one of the two delays";
  queue.add("a", {.after = 1ms, .rate_limited = true});
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("a@0"));
  EXPECT_EQ(queue.num_requeues("a"), 2) << "both are counted";
}

TEST_F(PriorityQueueTest, AShutdownLeavesWhatIsQueuedAndADrainWaitsForWork) {
  queue.add("low", {.priority = kLowPriority});
  queue.add("high", {.priority = 1});
  auto item = queue.try_get();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->key(), "high");
  std::stop_source at_once;
  at_once.request_stop();
  EXPECT_FALSE(queue.shut_down_with_drain(at_once.get_token())) << "an item is in work";
  queue.add("late");
  EXPECT_TRUE(queue.shutting_down());
  item.reset();
  EXPECT_TRUE(queue.shut_down_with_drain({}));
  EXPECT_THAT(take_all(), ElementsAre("low@-100"));
  EXPECT_FALSE(queue.get({}));
}

// Each worker takes keys of many threads; each key is in one worker's hands, and none is lost.
TEST(PriorityQueue, ManyThreadsAddAndTake) {
  const auto pool = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1});
  PriorityQueue<int> queue({.runtime = {.executor = pool}});
  constexpr int kKeys = 20;
  std::vector<std::atomic<int>> in_work(kKeys);
  std::vector<std::atomic<int>> taken(kKeys);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 3; ++i) {
      workers.emplace_back([&] {
        while (auto item = queue.get({})) {
          const auto key = static_cast<std::size_t>(item->key());
          EXPECT_EQ(in_work[key].fetch_add(1), 0);
          ++taken[key];
          in_work[key].fetch_sub(1);
        }
      });
    }
    {
      std::vector<std::jthread> adders;
      for (int i = 0; i < 3; ++i) {
        adders.emplace_back([&queue, i] {
          for (int k = 0; k < 500; ++k) queue.add(k % kKeys, {.priority = (k + i) % 3});
        });
      }
    }
    queue.shut_down();
  }
  EXPECT_EQ(queue.len(), 0U);
  for (const auto& count : taken) EXPECT_GE(count.load(), 1);
}

}  // namespace
}  // namespace kube
