// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/rate_limiting_queue.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class RateLimitingQueueTest : public ::testing::Test {
 protected:
  std::vector<std::string> take_all() {
    std::vector<std::string> keys;
    while (auto item = queue.try_get()) keys.push_back(item->key());
    return keys;
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  RateLimitingQueue<std::string> queue{
      {.runtime = {.executor = executor},
       .rate_limiter =
           std::make_shared<ItemExponentialFailureRateLimiter<std::string>>(1ms, 1000s)}};
};

TEST_F(RateLimitingQueueTest, RL_06_DelaysComeFromTheLimiterUntilForgotten) {
  queue.add_rate_limited("one");
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("one"));
  queue.add_rate_limited("one");
  queue.add_rate_limited("two");
  EXPECT_EQ(queue.num_requeues("one"), 2);
  EXPECT_EQ(queue.num_requeues("two"), 1);
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("two"));
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("one"));
  queue.forget("one");
  EXPECT_EQ(queue.num_requeues("one"), 0);
  queue.add_rate_limited("one");
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("one"));
}

TEST_F(RateLimitingQueueTest, ForgetDoesNotTouchTheQueue) {
  queue.add_rate_limited("one");
  queue.forget("one");
  executor->run_for(1ms);
  EXPECT_THAT(take_all(), ElementsAre("one"));
}

TEST_F(RateLimitingQueueTest, RetryWhileTheItemIsInWorkWaitsForItsEnd) {
  queue.add("one");
  auto item = queue.try_get();
  queue.add_rate_limited(item->key());
  executor->run_for(1s);
  EXPECT_EQ(queue.len(), 0U);
  item.reset();
  EXPECT_THAT(take_all(), ElementsAre("one"));
}

TEST(RateLimitingQueue, ALimiterThatThrowsLeavesTheQueueWhole) {
  struct ThrowsOnce final : RateLimiter<std::string> {
    Duration when(const std::string&) override {
      if (!std::exchange(thrown, true)) throw std::runtime_error("no quota");
      return 1ms;
    }
    void forget(const std::string&) override { throw std::runtime_error("no memory"); }
    int num_requeues(const std::string&) const override { throw std::runtime_error("no count"); }
    bool thrown = false;
  };
  auto executor = std::make_shared<SeededExecutor>(1);
  RateLimitingQueue<std::string> queue(
      {.runtime = {.executor = executor}, .rate_limiter = std::make_shared<ThrowsOnce>()});
  queue.add("one");
  auto item = queue.try_get();
  EXPECT_THROW(queue.add_rate_limited("one"), std::runtime_error);
  EXPECT_THROW(queue.forget("one"), std::runtime_error);
  EXPECT_THROW(static_cast<void>(queue.num_requeues("one")), std::runtime_error);
  item.reset();
  executor->run_for(1s);
  EXPECT_EQ(queue.len(), 0U) << "the key was not added";
  queue.add_rate_limited("one");
  executor->run_for(1ms);
  EXPECT_EQ(queue.len(), 1U);
}

TEST(RateLimitingQueue, UsesTheControllerDefaultsByTheExecutorsClock) {
  auto executor = std::make_shared<SeededExecutor>(1);
  RateLimitingQueue<int> queue({.runtime = {.executor = executor}});
  queue.add_rate_limited(1);
  executor->run_for(5ms - 1ns);
  EXPECT_EQ(queue.len(), 0U);
  executor->run_for(1ns);
  EXPECT_EQ(queue.len(), 1U);
  for (int i = 2; i <= 101; ++i) queue.add_rate_limited(i);  // the last finds no token
  executor->run_for(5ms);
  EXPECT_EQ(queue.len(), 100U);
  executor->run_for(95ms);
  EXPECT_EQ(queue.len(), 101U);
}

}  // namespace
}  // namespace kube
