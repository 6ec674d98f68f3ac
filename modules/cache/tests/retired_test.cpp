// SPDX-License-Identifier: Apache-2.0
#include "retired.hpp"

#include <latch>
#include <memory>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

namespace kube::cache {
namespace {

struct Witness {
  explicit Witness(int& destroyed_in) : destroyed(&destroyed_in) {}
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { ++*destroyed; }
  int* destroyed;
};

class RetiredTest : public ::testing::Test {
 protected:
  void retire() { retired.add(std::make_unique<Witness>(destroyed)); }
  int destroyed = 0;
  Retired retired;
};

TEST_F(RetiredTest, WhatIsNotMarkedCanBeSeenByAnyReader) {
  retire();
  retired.free_before(1'000'000);
  EXPECT_EQ(destroyed, 0);
  retired.mark(7);
  retire();
  retired.free_before(7);
  EXPECT_EQ(destroyed, 0) << "a reader of epoch 7 is pinned";
  retired.free_before(8);
  EXPECT_EQ(destroyed, 1);
  EXPECT_FALSE(retired.empty());
}

TEST_F(RetiredTest, NothingIsAddedForNull) {
  retired.add(std::unique_ptr<Witness>());
  EXPECT_TRUE(retired.empty());
}

TEST_F(RetiredTest, WhatIsLeftToReadersIsFreedAtOnceWhenThereAreNone) {
  retire();
  retired.mark(epochs::advance());
  retired.leave_to_readers();
  EXPECT_TRUE(retired.empty());
  EXPECT_EQ(destroyed, 1);
}

TEST_F(RetiredTest, TheLastReaderFreesWhatIsLeftToReaders) {
  std::optional<QueryPin> mine(std::in_place);
  std::latch pinned(1);
  std::latch enough(1);
  std::jthread other([&] {
    const QueryPin pin;
    pinned.count_down();
    enough.wait();
  });
  pinned.wait();
  retire();
  retired.mark(epochs::advance());
  retired.leave_to_readers();
  { const QueryPin inner; }
  EXPECT_EQ(destroyed, 0);
  mine.reset();
  EXPECT_EQ(destroyed, 0) << "the other one may see it";
  enough.count_down();
  other.join();
  EXPECT_EQ(destroyed, 1);
}

TEST_F(RetiredTest, AReaderThatBeganLaterHoldsUpNothing) {
  retire();
  retired.mark(epochs::advance());
  const QueryPin later;
  retired.leave_to_readers();
  EXPECT_EQ(destroyed, 1);
}

TEST_F(RetiredTest, WhatALookUpHasHeldUpIsFreedByTheNextQuery) {
  {
    const ReadPin look_up;
    retire();
    retired.mark(epochs::advance());
    retired.leave_to_readers();
  }
  EXPECT_EQ(destroyed, 0);
  EXPECT_TRUE(is_left_to_readers());
  { const QueryPin query; }
  EXPECT_EQ(destroyed, 1);
  EXPECT_FALSE(is_left_to_readers());
}

TEST(RetiredStress, ReadersThatComeAndGoFreeEverything) {
  constexpr int kItems = 2'000;
  std::atomic<int> alive{0};
  struct Counted {
    explicit Counted(std::atomic<int>& in) : alive(&in) { ++*alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
      value = 0;
      --*alive;
    }
    std::atomic<int>* alive;
    int value = 1;
  };
  std::atomic<const Counted*> shown{new Counted(alive)};
  std::atomic<bool> done{false};
  const auto read = [&] {
    while (!done) {
      const QueryPin pin;
      EXPECT_EQ(shown.load(std::memory_order_acquire)->value, 1);
    }
  };
  {
    std::jthread one(read);
    std::jthread two(read);
    Retired retired;
    for (int i = 0; i < kItems; ++i) {
      auto next = std::make_unique<Counted>(alive);
      retired.add(std::unique_ptr<const Counted>(shown.exchange(next.release())));
      retired.mark(epochs::advance());
      retired.leave_to_readers();
    }
    done = true;
  }
  EXPECT_EQ(alive, 1) << "without another query";
  delete shown.load();
}

}  // namespace
}  // namespace kube::cache
