// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/round_trip.hpp>

#include <gtest/gtest.h>

#include <kube/testing/scripted_transport.hpp>

namespace kube::testing {
namespace {

TEST(RoundTrip, ReturnsStatusHeadersAndTheWholeBody) {
  ScriptedTransport transport;
  transport.on("GET", "/a", [](ScriptedCall call) {
    call.head(404, {{"X-Test", "1"}}).data("one ").data("two").end();
  });
  const auto response = round_trip(transport, {.url = "http://server/a"}, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->headers.find("x-test"), "1");
  EXPECT_EQ(response->body, "one two");
}

TEST(RoundTrip, ABodyAboveTheMaximumFailsAndEndsTheExchange) {
  ScriptedTransport transport;
  transport.on("GET", "/a", [](ScriptedCall call) { call.data("12345"); });
  const auto response = round_trip(transport, {.url = "http://server/a"}, {}, 4);
  EXPECT_EQ(response.error().to_string(),
            "GET http://server/a: the response is longer than the limit of 4 bytes");
  EXPECT_EQ(response.error().code(), ErrorCode::Decode);
  EXPECT_EQ(transport.open(), 0U);
}

TEST(RoundTrip, AnErrorOfTheTransportIsReturnedAsItIs) {
  ScriptedTransport transport;
  transport.on("GET", "/a", [](ScriptedCall call) {
    call.head(200).fail(Error(ErrorCode::Decode, "not a gzip").with_context("GET http://server/a"));
  });
  const auto response = round_trip(transport, {.url = "http://server/a"}, {});
  EXPECT_EQ(response.error().to_string(), "GET http://server/a: not a gzip");
}

}  // namespace
}  // namespace kube::testing
