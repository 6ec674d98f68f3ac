// SPDX-License-Identifier: Apache-2.0
//
// Requests with text as response: logs, and proxies of pods and services.
#include <kube/client/text_request.hpp>

#include <kube/client/clientset/core_v1.hpp>
#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using clientset::CoreV1;
using ::testing::HasSubstr;

class TextRequestTest : public ClientTest {
 protected:
  std::string sent_line() const { return request_line(last_request()); }

  RestClient client = make({.host = "https://h", .content_type = "application/json"});
  CoreV1 core{client};
};

TEST_F(TextRequestTest, CS_14_LogsComeAsOneString) {
  answer(200, "line 1\nline 2\n", {{"Content-Type", "text/plain"}});
  const TextRequest request = core.pods("web").get_logs(
      "a", {.container = "main", .previous = true, .timestamps = true, .tail_lines = 0});
  EXPECT_EQ(sent(), 0U) << "not sent yet";
  EXPECT_EQ(request.do_raw().value(), "line 1\nline 2\n");
  EXPECT_EQ(sent_line(),
            "GET /api/v1/namespaces/web/pods/a/log?container=main&previous=true&tailLines=0&"
            "timestamps=true");
  EXPECT_TRUE(core.pods("web")
                  .get_logs("a", {.follow = true,
                                  .since_seconds = 5,
                                  .limit_bytes = 9,
                                  .insecure_skip_tls_verify_backend = true,
                                  .stream = "Stdout"})
                  .do_raw());
  EXPECT_EQ(sent_line(),
            "GET /api/v1/namespaces/web/pods/a/log?follow=true&"
            "insecureSkipTLSVerifyBackend=true&limitBytes=9&sinceSeconds=5&stream=Stdout");
  EXPECT_TRUE(core.pods("web").get_logs("a", {.since_time = meta::Time(894344705, 0)}).do_raw());
  EXPECT_EQ(sent_line(),
            "GET /api/v1/namespaces/web/pods/a/log?sinceTime=1998-05-05T05%3A05%3A05Z");
  EXPECT_EQ(core.pods("web").get_logs("").do_raw().error().code(), ErrorCode::InvalidArgument);
}

TEST_F(TextRequestTest, CS_14_LogsComeAsAStream) {
  server->once("", "*", [](ScriptedCall call) {
    call.head(200, {{"Content-Type", "text/plain"}});
    call.data("line 1\nli").data("ne 2\n").end();
  });
  auto stream = core.pods("web").get_logs("a", {.follow = true}).stream();
  ASSERT_TRUE(stream) << stream.error().to_string();
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a/log?follow=true");
  std::string text;
  while (auto piece = stream->next()) {
    ASSERT_TRUE(*piece) << piece->error().to_string();
    text += **piece;
  }
  EXPECT_EQ(text, "line 1\nline 2\n");
}

TEST_F(TextRequestTest, RESP_14_AStreamThatIsRefusedSaysWhy) {
  answer(400, status_json(400, "BadRequest", "container main is waiting to start"));
  const auto stream = core.pods("web").get_logs("a").stream();
  ASSERT_FALSE(stream);
  EXPECT_TRUE(is_bad_request(stream.error()));
  EXPECT_THAT(stream.error().to_string(), HasSubstr("container main is waiting to start"));
}

TEST_F(TextRequestTest, ALogThatBreaksOffEndsWithAnError) {
  server->once("", "*", [](ScriptedCall call) {
    call.head(200, {{"Content-Type", "text/plain"}});
    call.data("half").reset();
  });
  auto stream = core.pods("web").get_logs("a").stream();
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->next().value().value(), "half");
  auto end = stream->next();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error().code(), ErrorCode::Unreachable);
  EXPECT_FALSE(stream->next());
}

TEST_F(TextRequestTest, ALogStreamHoldsTheServerBackAndStopsWhenAsked) {
  std::optional<ScriptedCall> held;
  server->once("", "*", [&](ScriptedCall call) {
    call.head(200, {{"Content-Type", "text/plain"}});
    call.data(std::string(2 << 20, 'x'));
    held = call;
  });
  auto stream = core.pods("web").get_logs("a").stream();
  ASSERT_TRUE(stream);
  executor->run_ready();
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->paused());
  EXPECT_EQ(stream->next().value().value().size(), std::size_t{2} << 20);
  EXPECT_FALSE(held->paused());
  const auto timer = stop_after(std::chrono::seconds(1));
  EXPECT_EQ(stream->next(stop.get_token()).value().error().code(), ErrorCode::Cancelled);
  stream->stop();
  EXPECT_FALSE(stream->next());
}

TEST_F(TextRequestTest, CS_14_CS_15_ProxiesNameSchemeAndPort) {
  answer(200, "ok", {{"Content-Type", "text/plain"}});
  EXPECT_EQ(core.services("web")
                .proxy_get("https", "front", "8443", "/health", {{"v", "1"}})
                .do_raw()
                .value(),
            "ok");
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/services/https:front:8443/proxy/health?v=1");
  EXPECT_TRUE(core.pods("web").proxy_get("", "a", "80", "/health").do_raw());
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a:80/proxy/health");
  EXPECT_EQ(proxy_name("", "a", "").value(), "a");
  EXPECT_EQ(proxy_name("", "a", "80").value(), "a:80");
  EXPECT_EQ(proxy_name("http", "a", "").value(), "http:a:");
  EXPECT_FALSE(proxy_name("http", "", ""));
}

TEST(ProxyName, NET_01_IsTakenApart) {
  const auto split = [](std::string_view text) { return split_proxy_name(text).value(); };
  EXPECT_EQ(split("aoeu"), (ProxyTarget{"", "aoeu", ""}));
  EXPECT_EQ(split("aoeu:asdf"), (ProxyTarget{"", "aoeu", "asdf"}));
  EXPECT_EQ(split("http:aoeu:asdf"), (ProxyTarget{"http", "aoeu", "asdf"}));
  EXPECT_EQ(split("https:aoeu:"), (ProxyTarget{"https", "aoeu", ""}));
  EXPECT_EQ(split("aoeu:"), (ProxyTarget{"", "aoeu", ""}));
  EXPECT_EQ(proxy_name("", "aoeu", "").value(), "aoeu") << "joined again without the colon";
  for (const std::string_view text : {"", ":asdf", "aoeu:asdf:htns", "http::asdf",
                                      "http::", "ftp:a:b", "a:b:c:d", "http:a:b:c", ":::"}) {
    EXPECT_FALSE(split_proxy_name(text)) << text;
  }
}

}  // namespace
}  // namespace kube
