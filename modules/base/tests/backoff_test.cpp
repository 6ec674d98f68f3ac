// SPDX-License-Identifier: Apache-2.0
#include <kube/base/backoff.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Lt;

static_assert(std::is_copy_constructible_v<Backoff>);

template <class B>
std::vector<Duration> delays(B& backoff, int count) {
  std::vector<Duration> result;
  for (int i = 0; i < count; ++i) result.push_back(backoff.next());
  return result;
}

RandomSource always(double value) {
  return [value] { return value; };
}

TEST(Backoff, BWAIT_01_WithoutAFactorTheDelayIsConstant) {
  for (const int steps : {-1, 0, 1}) {
    Backoff backoff({.initial = 1s, .cap = 0s, .factor = 0, .jitter = 0, .steps = steps});
    EXPECT_THAT(delays(backoff, 3), Each(1s));
  }
}

TEST(Backoff, BWAIT_02_GrowsByTheFactorUpToTheCap) {
  Backoff free({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0, .steps = 3});
  EXPECT_THAT(delays(free, 3), ElementsAre(1s, 2s, 4s));
  Backoff capped({.initial = 1s, .cap = 3s, .factor = 2, .jitter = 0, .steps = 3});
  EXPECT_THAT(delays(capped, 5), ElementsAre(1s, 2s, 3s, 3s, 3s));
}

TEST(Backoff, StepsEndTheGrowthNotTheDelays) {
  Backoff backoff({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0, .steps = 2});
  EXPECT_THAT(delays(backoff, 5), ElementsAre(1s, 2s, 4s, 4s, 4s));
}

TEST(Backoff, BWAIT_03_JitterAddsUpToItsShareAndDoesNotAccumulate) {
  Backoff backoff({.initial = 1s, .cap = 0s, .factor = 2, .jitter = 0.5});
  Duration base = 1s;
  for (int i = 0; i < 20; ++i, base *= 2) {
    const Duration delay = backoff.next();
    EXPECT_GE(delay, base);
    EXPECT_LT(delay, base + base / 2);
    EXPECT_NE(delay, base);
  }
}

TEST(Backoff, BWAIT_06_FactorZeroWithJitterOneLiesBetweenOnceAndTwice) {
  Backoff jittered_one({.initial = 1s, .cap = 0s, .factor = 0, .jitter = 1});
  EXPECT_THAT(delays(jittered_one, 50), Each(AllOf(Ge(1s), Lt(2s))));
  Backoff negative({.initial = 1s, .cap = 0s, .factor = 0, .jitter = -1});
  EXPECT_THAT(delays(negative, 3), Each(1s));
}

TEST(Backoff, DefaultsAreTheReflectors) {
  Backoff backoff({}, always(0));
  EXPECT_THAT(delays(backoff, 8),
              ElementsAre(800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30s, 30s));
  Backoff high({}, always(0.5));
  EXPECT_EQ(high.next(), 1200ms);
}

TEST(Backoff, ResetStartsOverAndCopiesGoOnAlone) {
  Backoff backoff({.initial = 1s, .jitter = 0});
  EXPECT_THAT(delays(backoff, 2), ElementsAre(1s, 2s));
  Backoff copy = backoff;
  backoff.reset();
  EXPECT_THAT(delays(backoff, 2), ElementsAre(1s, 2s));
  EXPECT_THAT(delays(copy, 2), ElementsAre(4s, 8s));
}

TEST(Backoff, GrowsToTheEndOfTimeWithoutOverflow) {
  Backoff backoff({.initial = 1h, .cap = 0s, .factor = 10, .jitter = 1}, always(0.999));
  EXPECT_EQ(delays(backoff, 100).back(), Duration::max());
}

TEST(Jittered, FactorOfZeroOrLessCountsAsOne) {
  EXPECT_EQ(jittered(10s, 0, always(0.5)), 15s);
  EXPECT_EQ(jittered(10s, -3, always(0.5)), 15s);
  EXPECT_EQ(jittered(10s, 0.5, always(0.5)), 12500ms);
}

TEST(DefaultRandom, IsUniformInZeroToOne) {
  const RandomSource random = default_random();
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = random();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.05);
}

class BackoffWithResetTest : public ::testing::Test {
 protected:
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
};

TEST_F(BackoffWithResetTest, BWAIT_04_StartsOverAfterTheWindow) {
  BackoffWithReset backoff({.initial = 1s, .cap = 10s, .factor = 2, .jitter = 0}, 10s, clock);
  EXPECT_THAT(delays(backoff, 7), ElementsAre(1s, 2s, 4s, 8s, 10s, 10s, 10s));
  clock->advance(10s);
  EXPECT_EQ(backoff.next(), 10s) << "more than the window has to pass";
  clock->advance(1s);
  EXPECT_THAT(delays(backoff, 2), ElementsAre(1s, 2s));
}

TEST_F(BackoffWithResetTest, BWAIT_05_WithoutAWindowTheDelayStaysTheInitialOne) {
  BackoffWithReset backoff({.initial = 1s, .cap = 10s, .factor = 2, .jitter = 0}, 0s, clock);
  EXPECT_THAT(delays(backoff, 5), Each(1s));
}

TEST_F(BackoffWithResetTest, WithoutAFactorNothingIsReset) {
  BackoffWithReset backoff({.initial = 1s, .cap = 10s, .factor = 0, .jitter = 0}, 10s, clock);
  EXPECT_THAT(delays(backoff, 3), Each(1s));
}

TEST_F(BackoffWithResetTest, BWAIT_18_WindowCountsFromTheLastResetNotFromTheLastUse) {
  BackoffWithReset backoff({.initial = 1s, .cap = 8s, .factor = 2, .jitter = 0}, 10s, clock);
  std::vector<Duration> seen;
  for (int i = 0; i < 9; ++i) {  // in continuous use, every 3 s
    seen.push_back(backoff.next());
    clock->advance(3s);
  }
  EXPECT_THAT(seen, ElementsAre(1s, 2s, 4s, 8s, 1s, 2s, 4s, 8s, 1s));
}

}  // namespace
}  // namespace kube
