// SPDX-License-Identifier: Apache-2.0
#include <kube/base/keyed_backoff.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class KeyedBackoffTest : public ::testing::Test {
 protected:
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
};

TEST_F(KeyedBackoffTest, BKO_01_DoublesUpToTheMaximumUntilReset) {
  KeyedBackoff backoff({.initial = 1s, .max = 50s}, clock);
  std::vector<Duration> seen;
  for (int i = 0; i < 10; ++i) {
    seen.push_back(backoff.get("id"));
    backoff.next("id", clock->now());
    clock->advance(backoff.get("id"));
  }
  EXPECT_THAT(seen, ElementsAre(0s, 1s, 2s, 4s, 8s, 16s, 32s, 50s, 50s, 50s));
  EXPECT_EQ(backoff.get("other"), 0s);
  backoff.reset("id");
  EXPECT_EQ(backoff.get("id"), 0s);
}

TEST_F(KeyedBackoffTest, BKO_02_BackoffEndsTwiceTheMaximumAfterTheLastUpdate) {
  KeyedBackoff backoff({.initial = 50s, .max = 50s}, clock);
  backoff.next("id", clock->now());
  const TimePoint last_update = clock->now();
  EXPECT_TRUE(backoff.is_in_backoff_since("id", clock->now()));
  clock->advance(2 * 50s + 1s);
  EXPECT_FALSE(backoff.is_in_backoff_since("id", last_update));
  EXPECT_FALSE(backoff.is_in_backoff_since("unknown", clock->now()));
}

TEST_F(KeyedBackoffTest, BKO_03_IdleForLessThanTwiceTheMaximumStaysAtTheMaximum) {
  KeyedBackoff backoff({.initial = 25s, .max = 50s}, clock);
  backoff.next("id", clock->now());
  backoff.next("id", clock->now());
  clock->advance(51s);
  backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 50s);
}

TEST_F(KeyedBackoffTest, BKO_04_GarbageIsWhatHasExpired) {
  KeyedBackoff backoff({.initial = 1s, .max = 50s}, clock);
  backoff.next("id", clock->now());
  clock->advance(2 * 50s);
  backoff.collect_garbage();
  EXPECT_EQ(backoff.get("id"), 1s);
  clock->advance(1ns);
  backoff.collect_garbage();
  EXPECT_EQ(backoff.get("id"), 0s);

  KeyedBackoff longer({.initial = 1s, .max = 50s, .expire_after = 300s}, clock);
  longer.next("id", clock->now());
  longer.next("id", clock->now());
  clock->advance(300s);
  longer.collect_garbage();
  EXPECT_EQ(longer.get("id"), 2s);
  longer.next("id", clock->now());
  EXPECT_EQ(longer.get("id"), 4s);
  clock->advance(301s);
  longer.next("id", clock->now());
  EXPECT_EQ(longer.get("id"), 1s) << "expired: it starts over";
  clock->advance(301s);
  longer.collect_garbage();
  EXPECT_EQ(longer.get("id"), 0s);
}

TEST_F(KeyedBackoffTest, BKO_05_WindowsSinceTheLastUpdateGrowAndStartOver) {
  KeyedBackoff backoff({.initial = 1s, .max = 10s}, clock);
  for (const Duration window : {1s, 2s, 4s, 8s, 10s, 10s}) {
    backoff.next("id", clock->now());
    EXPECT_TRUE(backoff.is_in_backoff_since_update("id", clock->now()));
    EXPECT_TRUE(backoff.is_in_backoff_since_update("id", clock->now() + window - 1ns));
    EXPECT_FALSE(backoff.is_in_backoff_since_update("id", clock->now() + window));
    clock->advance(window);
  }
  clock->advance(21s);
  EXPECT_FALSE(backoff.is_in_backoff_since_update("id", clock->now()));
  backoff.next("id", clock->now());
  EXPECT_EQ(backoff.get("id"), 1s);
}

TEST_F(KeyedBackoffTest, BKO_06_JitterAddsToEachDelayBelowTheMaximum) {
  KeyedBackoff backoff({.initial = 1s, .max = 50s, .jitter = 0.1}, clock);
  backoff.next("id", clock->now());
  Duration previous = backoff.get("id");
  EXPECT_GT(previous, 1s);
  EXPECT_LE(previous, 1100ms);
  for (int i = 0; i < 10; ++i) {
    backoff.next("id", clock->now());
    const Duration delay = backoff.get("id");
    if (delay != 50s) {
      EXPECT_GT(delay, 2 * previous);
      EXPECT_LE(delay, 2 * previous + previous / 10);
    }
    previous = delay;
  }
  EXPECT_EQ(previous, 50s);
}

}  // namespace
}  // namespace kube
