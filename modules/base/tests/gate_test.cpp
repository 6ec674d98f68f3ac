// SPDX-License-Identifier: Apache-2.0
#include <kube/base/gate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace kube {
namespace {

static_assert(!std::is_copy_constructible_v<Gate> && !std::is_move_constructible_v<Gate>);
static_assert(!std::is_copy_constructible_v<Gate::Pass>);
static_assert(std::is_nothrow_move_constructible_v<Gate::Pass>);
static_assert(std::is_nothrow_move_assignable_v<Gate::Pass>);

TEST(Gate, CountsWhoIsInside) {
  Gate gate;
  EXPECT_EQ(gate.inside(), 0U);
  auto one = gate.enter();
  auto two = gate.enter();
  EXPECT_EQ(gate.inside(), 2U);
  one.reset();
  EXPECT_EQ(gate.inside(), 1U);
}

TEST(Gate, ClosedGateLetsNoOneInAndKeepsThoseInside) {
  Gate gate;
  const auto inside = gate.enter();
  EXPECT_FALSE(gate.closed());
  gate.close();
  gate.close();
  EXPECT_TRUE(gate.closed());
  EXPECT_FALSE(gate.enter());
  EXPECT_EQ(gate.inside(), 1U);
}

TEST(Gate, MovedPassesLeaveOnce) {
  Gate gate;
  auto one = gate.enter();
  auto two = gate.enter();
  Gate::Pass moved = std::move(*one);
  one.reset();
  EXPECT_EQ(gate.inside(), 2U);
  moved = std::move(*two);
  EXPECT_EQ(gate.inside(), 1U) << "assignment leaves for the pass it replaces";
  two.reset();
  EXPECT_EQ(gate.inside(), 1U);
}

TEST(Gate, CloseAndWaitReturnsWhenTheLastHasLeft) {
  for (int round = 0; round < 20; ++round) {
    Gate gate;
    std::atomic<int> inside = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (const auto pass = gate.enter()) {
          ++inside;
          --inside;
        }
      });
    }
    gate.close_and_wait();
    EXPECT_EQ(inside.load(), 0);
    EXPECT_EQ(gate.inside(), 0U);
  }
}

TEST(Gate, DestructorWaitsToo) {
  auto gate = std::make_unique<Gate>();
  std::atomic<bool> left = false;
  std::jthread guest([&left, pass = gate->enter()]() mutable {
    left = true;
    pass.reset();
  });
  gate.reset();
  EXPECT_TRUE(left.load());
}

}  // namespace
}  // namespace kube
