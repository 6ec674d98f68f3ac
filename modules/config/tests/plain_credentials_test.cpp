// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/transport_for.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::rest {
namespace {

using ::testing::HasSubstr;

// What appears on standard error, for a program without a logger.
std::string warned(const Config& config, const transport::Headers& headers = {}) {
  const Runtime runtime{.executor = std::make_shared<SeededExecutor>(1)};
  const auto base = std::make_shared<testing::ScriptedTransport>();
  base->on("", "*", [](testing::ScriptedCall call) { call.respond(200, "{}"); });
  ::testing::internal::CaptureStderr();
  const auto made = transport_for(config, runtime, base);
  for (int i = 0; made && i < 2; ++i) {
    (void)testing::round_trip(**made, {.url = *base_url(config) + "x", .headers = headers}, {});
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(PlainCredentials, AreWarnedOfOnceOnStandardErrorWithoutALogger) {
  const std::string text = warned({.host = "http://h:80", .bearer_token = "secret"});
  EXPECT_THAT(text, HasSubstr("credentials are sent without encryption"));
  EXPECT_THAT(text, HasSubstr("http://h:80/x"));
  EXPECT_EQ(text.find("secret"), text.npos);
  EXPECT_EQ(text.find("without encryption"), text.rfind("without encryption"));
}

TEST(PlainCredentials, AHeaderOfTheCallerIsACredential) {
  EXPECT_THAT(warned({.host = "http://h"}, {{"authorization", "Mine"}}), HasSubstr("encryption"));
  EXPECT_EQ(warned({.host = "http://h"}), "");
  EXPECT_EQ(warned({.host = "https://h", .bearer_token = "secret"}), "");
}

TEST(PlainCredentials, OnAUnixSocketTheyStayOnTheMachine) {
  EXPECT_EQ(warned({.host = "unix:///run/s", .bearer_token = "s", .proxy_url = "http://p:1"}), "");
}

}  // namespace
}  // namespace kube::rest
