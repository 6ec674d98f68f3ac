// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/no_waiting.hpp>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::HasSubstr;

TEST(NoWaiting, AThreadMayWaitExceptWhileItHasOne) {
  EXPECT_TRUE(may_wait());
  {
    const NoWaiting outer;
    EXPECT_EQ(may_wait().error().code(), ErrorCode::InvalidArgument);
    {
      const NoWaiting inner;
      EXPECT_FALSE(may_wait());
    }
    EXPECT_FALSE(may_wait()) << "the outer one is still there";
    std::jthread([] { EXPECT_TRUE(may_wait()) << "another thread"; }).join();
  }
  EXPECT_TRUE(may_wait());
}

TEST(NoWaiting, AHandlerOfCurlThatWaitsForAResponseGetsAnErrorAtOnce) {
  LoopbackServer server(always(answer("body")));
  const auto transport = make_transport();
  std::string error;
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    error = error_text(round_trip(*transport, get(server.url("/b")), {}));
    return Flow::Continue;
  });
  transport->start(get(server.url("/a")), handler, {});
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_THAT(error, HasSubstr("call it from another thread"));
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/c")), {})), "body");
}

}  // namespace
}  // namespace kube::transport
