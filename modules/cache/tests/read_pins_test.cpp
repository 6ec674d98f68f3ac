// SPDX-License-Identifier: Apache-2.0
#include "read_pins.hpp"

#include <latch>
#include <limits>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace kube::cache {
namespace {

constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

TEST(ReadPin, HoldsTheEpochInWhichItBegan) {
  EXPECT_EQ(epochs::oldest_pinned(), kNobody);
  {
    const ReadPin pin;
    const std::uint64_t began = epochs::current;
    EXPECT_EQ(epochs::advance(), began);
    epochs::advance();
    EXPECT_EQ(epochs::oldest_pinned(), began);
  }
  EXPECT_EQ(epochs::oldest_pinned(), kNobody);
}

TEST(ReadPin, AnInnerOneNeitherMovesNorEndsTheOuterOne) {
  const std::uint64_t began = epochs::current;
  const ReadPin outer;
  epochs::advance();
  {
    const ReadPin inner;
    EXPECT_EQ(epochs::oldest_pinned(), began);
  }
  EXPECT_EQ(epochs::oldest_pinned(), began);
}

TEST(ReadPin, TheOldestOfAllThreadsCounts) {
  std::optional<ReadPin> mine(std::in_place);
  const std::uint64_t began = epochs::advance();
  std::latch pinned(1);
  std::latch enough(1);
  std::jthread other([&] {
    const ReadPin pin;
    pinned.count_down();
    enough.wait();
  });
  pinned.wait();
  EXPECT_EQ(epochs::oldest_pinned(), began);
  mine.reset();
  EXPECT_EQ(epochs::oldest_pinned(), began + 1);
  enough.count_down();
  other.join();
  EXPECT_EQ(epochs::oldest_pinned(), kNobody);
}

/// Reads when its thread ends.
struct LateReader {
  bool* was_pinned = nullptr;
  ~LateReader() {
    if (was_pinned == nullptr) return;
    const ReadPin pin;
    *was_pinned = epochs::oldest_pinned() != kNobody;
  }
};

// Variables of a thread end in the reverse order of their making: this one after the thread's slot.
TEST(ReadPin, WorksWhileTheVariablesOfAThreadAreDestroyed) {
  bool was_pinned = false;
  std::thread([&] {
    static thread_local LateReader late;
    late.was_pinned = &was_pinned;
    const ReadPin pin;
  }).join();
  EXPECT_TRUE(was_pinned);
  EXPECT_EQ(epochs::oldest_pinned(), kNobody);
}

}  // namespace
}  // namespace kube::cache
