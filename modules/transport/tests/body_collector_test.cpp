// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/body_collector.hpp>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

TEST(BodyCollector, ReturnsStatusHeadersAndTheWholeBody) {
  BodyCollector collector(7, "GET /a");
  collector.on_head({.status = 404, .headers = {{"X-Test", "1"}}});
  EXPECT_EQ(collector.on_data("one "), Flow::Continue);
  EXPECT_EQ(collector.on_data("two"), Flow::Continue);
  collector.on_end({});
  const auto response = collector.wait(*real_clock(), {});
  ASSERT_TRUE(response && *response);
  EXPECT_EQ((*response)->status, 404);
  EXPECT_EQ((*response)->headers.find("x-test"), "1");
  EXPECT_EQ((*response)->body, "one two");
}

TEST(BodyCollector, ABodyAboveTheMaximumIsAnErrorAtOnceAndHoldsTheServerBack) {
  BodyCollector collector(4, "GET /a");
  collector.on_head({.status = 200});
  EXPECT_EQ(collector.on_data("1234"), Flow::Continue);
  EXPECT_EQ(collector.on_data("5"), Flow::Pause);
  EXPECT_EQ(collector.on_data("6"), Flow::Pause);
  const auto response = collector.wait(*real_clock(), {});
  ASSERT_TRUE(response && !*response);
  EXPECT_EQ(response->error().code(), ErrorCode::Decode);
  EXPECT_EQ(response->error().to_string(),
            "GET /a: the response is longer than the limit of 4 bytes");
}

TEST(BodyCollector, TheFirstEndCounts) {
  BodyCollector collector(4, "GET /a");
  collector.on_end(Error(ErrorCode::Unreachable, "reset"));
  collector.on_end({});
  const auto response = collector.wait(*real_clock(), {});
  ASSERT_TRUE(response && !*response);
  EXPECT_EQ(response->error().code(), ErrorCode::Unreachable);
}

TEST(BodyCollector, AStopEndsTheWaitUnlessTheResponseIsThere) {
  BodyCollector collector(4, "GET /a");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(collector.wait(*real_clock(), stop.get_token()));
  collector.on_end({});
  EXPECT_TRUE(collector.wait(*real_clock(), stop.get_token()));
}

}  // namespace
}  // namespace kube::transport
