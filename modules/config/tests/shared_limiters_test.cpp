// SPDX-License-Identifier: Apache-2.0
#include <kube/config/detail/shared_limiters.hpp>

#include <gtest/gtest.h>

#include <kube/config/config.hpp>
#include <kube/testing/fake_clock.hpp>

namespace kube::rest {
namespace {

TEST(SharedLimiters, CopiesShareThemAndOthersDoNot) {
  const auto clock = std::make_shared<testing::FakeClock>();
  Config config{.host = "https://h", .qps = 1, .burst = 1};
  const Config copy = config;
  Config moved = std::move(config);
  const auto one = copy.limiters.limiter(1, 1, clock);
  EXPECT_EQ(moved.limiters.limiter(1, 1, clock), one);
  EXPECT_EQ(config.limiters.limiter(1, 1, clock), one) << "moved from, and still a Config";
  EXPECT_NE(copy.limiters.limiter(2, 1, clock), one);
  EXPECT_NE(copy.limiters.limiter(1, 2, clock), one);
  EXPECT_NE(copy.limiters.limiter(1, 1, std::make_shared<testing::FakeClock>()), one);
  EXPECT_NE(Config{copy.host}.limiters.limiter(1, 1, clock), one);
  EXPECT_TRUE(one->try_accept());
  EXPECT_FALSE(moved.limiters.limiter(1, 1, clock)->try_accept());
}

}  // namespace
}  // namespace kube::rest
