// SPDX-License-Identifier: Apache-2.0
//
// RequestPace by itself. What it does to reflectors: request_pace_test of the cache.
#include <kube/client/request_pace.hpp>

#include <gtest/gtest.h>

#include <kube/testing/fake_clock.hpp>

namespace kube {
namespace {

class RequestPaceTest : public ::testing::Test {
 protected:
  /// The number of requests in a row that need not wait.
  std::size_t requests_at_once() {
    std::size_t count = 0;
    while (pace.next() == Duration::zero()) ++count;
    return count;
  }

  std::shared_ptr<kube::testing::FakeClock> clock = std::make_shared<kube::testing::FakeClock>();
  RequestPace pace{clock};
};

TEST_F(RequestPaceTest, ABurstIsFreeAndThenOneRequestEachTwoSeconds) {
  EXPECT_EQ(requests_at_once(), RequestPace::kAtOnce);
  EXPECT_EQ(pace.next(), 2 * RequestPace::kInterval);
}

TEST_F(RequestPaceTest, APageThatIsHalfFullCostsNothing) {
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(pace.next(), Duration::zero());
    pace.page_came(250, 0);
  }
}

TEST_F(RequestPaceTest, APageThatIsLessThanHalfFullCostsARequest) {
  for (std::size_t i = 0; i < RequestPace::kAtOnce; ++i) {
    EXPECT_EQ(pace.next(), Duration::zero());
    pace.page_came(249, 500);
  }
  EXPECT_GT(pace.next(), Duration::zero());
}

TEST_F(RequestPaceTest, FullPagesOfFewObjectsAreFreeUpToABound) {
  const std::size_t free = static_cast<std::size_t>(RequestPace::kSmallPagesAtOnce);
  for (std::size_t i = 0; i < free + RequestPace::kAtOnce; ++i) {
    EXPECT_EQ(pace.next(), Duration::zero()) << i;
    pace.page_came(1, 1);
  }
  EXPECT_GT(pace.next(), Duration::zero());
}

}  // namespace
}  // namespace kube
