// SPDX-License-Identifier: Apache-2.0
#include <kube/config/transport_for.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using testing::ScriptedCall;
using testing::ScriptedTransport;

class Authentication : public ::testing::Test {
 protected:
  // The Authorization header that reached the wire for a request with these headers.
  std::string sent(const Config& config, transport::Headers headers = {}) {
    auto made = authenticated(config, runtime, base);
    if (!made) return "error: " + made.error().to_string();
    return sent_by(**made, std::move(headers));
  }
  std::string sent_by(transport::RoundTripper& transport, transport::Headers headers = {},
                      int status = 200) {
    base->once("", "/", [status](ScriptedCall call) { call.respond(status, "{}"); });
    (void)testing::round_trip(transport, {.url = "https://h/", .headers = std::move(headers)}, {});
    const auto requests = base->requests();
    return std::string(requests.back().headers.find("Authorization").value_or("none"));
  }

  TemporaryDirectory directory;
  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  Runtime runtime{.executor = executor};
  std::shared_ptr<ScriptedTransport> base = std::make_shared<ScriptedTransport>();
};

TEST_F(Authentication, TRN_25_BearerTokenIsAddedUnlessThereIsAHeaderAlready) {
  const Config config{.host = "https://h", .bearer_token = "abc"};
  EXPECT_EQ(sent(config), "Bearer abc");
  EXPECT_EQ(sent(config, {{"authorization", "Mine"}}), "Mine");
}

TEST_F(Authentication, TRN_27_BasicWithEmptyPasswordStillSendsTheColon) {
  EXPECT_EQ(sent({.username = "user"}), "Basic dXNlcjo=");
  EXPECT_EQ(sent({.username = "user", .password = "pw"}), "Basic dXNlcjpwdw==");
}

TEST_F(Authentication, NobodySendsNothing) {
  EXPECT_EQ(sent({}), "none");
  EXPECT_EQ(*authenticated({}, runtime, base), base);
}

TEST_F(Authentication, TRN_26_TokenFileIsReadAtRequestTimeAndRotates) {
  const std::string file = directory.write("token", "one");
  auto transport = authenticated({.bearer_token_file = file}, runtime, base);
  ASSERT_TRUE(transport);
  EXPECT_EQ(sent_by(**transport), "Bearer one");
  directory.write("token", "two");
  EXPECT_EQ(sent_by(**transport), "Bearer one");
  executor->run_for(1min);
  EXPECT_EQ(sent_by(**transport), "Bearer two");
  EXPECT_EQ(sent_by(**transport, {{"Authorization", "Mine"}}), "Mine");
}

TEST_F(Authentication, TRN_37_ARefusalMakesTheNextRequestReadTheFile) {
  const std::string file = directory.write("token", "one");
  auto transport = authenticated({.bearer_token_file = file}, runtime, base);
  ASSERT_TRUE(transport);
  executor->run_for(5s);
  directory.write("token", "two");
  EXPECT_EQ(sent_by(**transport, {{"Authorization", "Mine"}}, 401), "Mine");
  EXPECT_EQ(sent_by(**transport), "Bearer one") << "the refusal of another's token says nothing";
  EXPECT_EQ(sent_by(**transport, {}, 401), "Bearer one");
  EXPECT_EQ(sent_by(**transport), "Bearer two");
}

TEST_F(Authentication, TRN_26_AnUnreadableTokenFileIsAnErrorOnlyWithoutAToken) {
  EXPECT_THAT(sent({.bearer_token_file = directory / "none"}),
              ::testing::HasSubstr("failed to read token file"));
  EXPECT_EQ(sent({.bearer_token = "abc", .bearer_token_file = directory / "none"}), "Bearer abc");
}

TEST_F(Authentication, TransportForChecksTheConfigFirst) {
  const auto made = transport_for({.host = "ftp://h"}, runtime, base);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::Config);
  EXPECT_TRUE(transport_for({.host = "https://h", .bearer_token = "abc"}, runtime, base));
}

TEST_F(Authentication, TRN_45_MakingATransportChangesNothingOfTheConfig) {
  rest::Config config{.host = "https://h", .bearer_token = "t"};
  config.tls.insecure_skip_verify = true;
  const Config before = config;
  ASSERT_TRUE(transport_for(config, runtime));
  ASSERT_TRUE(transport_for(config, runtime, base));
  EXPECT_EQ(config, before);
}

TEST_F(Authentication, AWrapperSeesTheCredentials) {
  rest::Config config{.host = "https://h", .bearer_token = "t"};
  int wrapped = 0;
  config.wrap_transport = [&](std::shared_ptr<transport::RoundTripper> inner) {
    ++wrapped;
    EXPECT_EQ(inner, base);
    return inner;
  };
  const auto made = transport_for(config, runtime, base);
  EXPECT_EQ(wrapped, 1);
  EXPECT_EQ(sent_by(**made), "Bearer t");
}

}  // namespace
}  // namespace kube::rest
