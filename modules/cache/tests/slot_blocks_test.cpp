// SPDX-License-Identifier: Apache-2.0
#include "slot_blocks.hpp"

#include <atomic>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace kube::cache {
namespace {

struct Slot {
  SlotPlace place{};
  std::atomic<int> users{0};
};

class SlotBlocksTest : public ::testing::Test {
 protected:
  ~SlotBlocksTest() override { slots.free_all(); }
  std::size_t taken() const {
    std::size_t count = 0;
    slots.for_each_taken([&](const Slot&) { ++count; });
    return count;
  }
  SlotBlocks<Slot> slots;
};

TEST_F(SlotBlocksTest, AWalkVisitsTheTakenSlotsAlone) {
  EXPECT_TRUE(slots.empty());
  EXPECT_EQ(taken(), 0U);
  std::vector<Slot*> mine;
  for (int i = 0; i < 1000; ++i) mine.push_back(&slots.take());
  EXPECT_FALSE(slots.empty());
  EXPECT_EQ(std::set<Slot*>(mine.begin(), mine.end()).size(), 1000U);
  EXPECT_EQ(taken(), 1000U);
  for (std::size_t i = 1; i < mine.size(); ++i) mine[i]->place.give_back();
  std::vector<const Slot*> visited;
  slots.for_each_taken([&](const Slot& slot) { visited.push_back(&slot); });
  EXPECT_EQ(visited, std::vector<const Slot*>{mine[0]}) << "999 idle ones are not looked at";
}

TEST_F(SlotBlocksTest, ASlotThatWasGivenBackIsTakenAgain) {
  constexpr int kFull = 8 + 16 + 32;  // blocks without a slot that was never taken
  std::set<Slot*> first;
  for (int i = 0; i < kFull; ++i) first.insert(&slots.take());
  for (Slot* slot : first) slot->place.give_back();
  for (int i = 0; i < kFull; ++i) EXPECT_TRUE(first.contains(&slots.take()));
  EXPECT_EQ(taken(), first.size());
}

TEST_F(SlotBlocksTest, NoTwoThreadsHaveOneSlot) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        std::vector<Slot*> mine;
        for (int round = 0; round < 200; ++round) {
          for (int i = 0; i < 20; ++i) mine.push_back(&slots.take());
          for (Slot* slot : mine) EXPECT_EQ(slot->users.fetch_add(1), 0);
          for (Slot* slot : mine) {
            slot->users.fetch_sub(1);
            slot->place.give_back();
          }
          mine.clear();
        }
      });
    }
  }
  EXPECT_EQ(taken(), 0U);
}

}  // namespace
}  // namespace kube::cache
