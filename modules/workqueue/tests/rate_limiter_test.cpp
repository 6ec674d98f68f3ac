// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/rate_limiter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;

std::vector<Duration> delays(RateLimiter<std::string>& limiter, const std::string& key, int count) {
  std::vector<Duration> result;
  for (int i = 0; i < count; ++i) result.push_back(limiter.when(key));
  return result;
}

TEST(ItemExponentialFailureRateLimiter, RL_01_DoublesPerKeyUntilForgotten) {
  ItemExponentialFailureRateLimiter<std::string> limiter(1ms, 1s);
  EXPECT_THAT(delays(limiter, "one", 5), ElementsAre(1ms, 2ms, 4ms, 8ms, 16ms));
  EXPECT_EQ(limiter.num_requeues("one"), 5);
  EXPECT_THAT(delays(limiter, "two", 2), ElementsAre(1ms, 2ms));
  EXPECT_EQ(limiter.num_requeues("two"), 2);
  limiter.forget("one");
  EXPECT_EQ(limiter.num_requeues("one"), 0);
  EXPECT_THAT(delays(limiter, "one", 1), ElementsAre(1ms));
}

TEST(ItemExponentialFailureRateLimiter, RL_02_StopsAtTheMaximumWithoutOverflow) {
  ItemExponentialFailureRateLimiter<std::string> limiter(1ms, 1000s);
  EXPECT_EQ(delays(limiter, "one", 6).back(), 32ms);
  EXPECT_EQ(delays(limiter, "one", 1000).back(), 1000s);
  ItemExponentialFailureRateLimiter<std::string> slow(1min, 1000h);
  EXPECT_EQ(delays(slow, "two", 3).back(), 4min);
  EXPECT_EQ(delays(slow, "two", 1000).back(), 1000h);
}

TEST(ItemFastSlowRateLimiter, RL_03_SlowAfterSomeFastAttempts) {
  ItemFastSlowRateLimiter<std::string> limiter(5ms, 10s, 3);
  EXPECT_THAT(delays(limiter, "one", 5), ElementsAre(5ms, 5ms, 5ms, 10s, 10s));
  EXPECT_EQ(limiter.num_requeues("one"), 5);
  EXPECT_THAT(delays(limiter, "two", 2), ElementsAre(5ms, 5ms));
  limiter.forget("one");
  EXPECT_EQ(limiter.num_requeues("one"), 0);
  EXPECT_THAT(delays(limiter, "one", 1), ElementsAre(5ms));
}

TEST(MaxOfRateLimiter, RL_04_TakesTheLongestAndAsksAndTellsAll) {
  MaxOfRateLimiter<std::string> limiter(
      {std::make_shared<ItemFastSlowRateLimiter<std::string>>(5ms, 3s, 3),
       std::make_shared<ItemExponentialFailureRateLimiter<std::string>>(1ms, 1s)});
  EXPECT_THAT(delays(limiter, "one", 5), ElementsAre(5ms, 5ms, 5ms, 3s, 3s));
  EXPECT_EQ(limiter.num_requeues("one"), 5);
  EXPECT_THAT(delays(limiter, "two", 2), ElementsAre(5ms, 5ms));
  limiter.forget("one");
  EXPECT_EQ(limiter.num_requeues("one"), 0);
  EXPECT_THAT(delays(limiter, "one", 1), ElementsAre(5ms));
}

TEST(ItemExponentialFailureRateLimiter, NoFailureMakesTheDelayNegativeHoweverLargeTheLimit) {
  ItemExponentialFailureRateLimiter<std::string> limiter(1ns, Duration::max());
  const std::vector<Duration> seen = delays(limiter, "one", 70);
  EXPECT_EQ(seen[62], Duration(Duration::rep{1} << 62));
  EXPECT_EQ(seen[63], Duration::max()) << "2^63 is more than a Duration holds";
  EXPECT_EQ(seen[69], Duration::max());
}

TEST(WithMaxWaitRateLimiter, RL_05_CapsTheDelayOfAnother) {
  const auto stepped = std::make_shared<ItemFastSlowRateLimiter<std::string>>(5ms, 1000s, 1);
  WithMaxWaitRateLimiter<std::string> limiter(stepped, 500s);
  EXPECT_THAT(delays(limiter, "one", 3), ElementsAre(5ms, 500s, 500s));
  EXPECT_EQ(limiter.num_requeues("one"), 3);
  limiter.forget("one");
  EXPECT_EQ(stepped->num_requeues("one"), 0);
}

TEST(BucketRateLimiter, RL_07_GivesTheBurstAtOnceThenOneTokenATime) {
  const auto clock = std::make_shared<testing::FakeClock>();
  BucketRateLimiter<std::string> limiter(std::make_shared<TokenBucket>(10, 100, clock));
  EXPECT_THAT(delays(limiter, "one", 100), Each(Duration::zero()));
  EXPECT_THAT(delays(limiter, "one", 3), ElementsAre(100ms, 200ms, 300ms));
  limiter.forget("one");
  EXPECT_EQ(limiter.num_requeues("one"), 0);
  EXPECT_THAT(delays(limiter, "two", 1), ElementsAre(400ms)) << "keys share the bucket";
  clock->advance(400ms);
  EXPECT_THAT(delays(limiter, "one", 1), ElementsAre(100ms));
}

TEST(DefaultControllerRateLimiter, IsTheLongerOfBackoffPerKeyAndTheBucket) {
  const auto limiter =
      default_controller_rate_limiter<std::string>(std::make_shared<testing::FakeClock>());
  EXPECT_THAT(delays(*limiter, "one", 4), ElementsAre(5ms, 10ms, 20ms, 40ms));
  for (int i = 0; i < 96; ++i) EXPECT_EQ(limiter->when(std::to_string(i)), 5ms);
  EXPECT_EQ(limiter->when("another"), 100ms) << "the bucket is empty";
  EXPECT_EQ(limiter->num_requeues("one"), 4);
}

TEST(DefaultItemBasedRateLimiter, DoublesFromAMillisecond) {
  const auto limiter = default_item_based_rate_limiter<std::string>();
  EXPECT_THAT(delays(*limiter, "one", 3), ElementsAre(1ms, 2ms, 4ms));
  EXPECT_EQ(delays(*limiter, "one", 50).back(), 1000s);
}

}  // namespace
}  // namespace kube
