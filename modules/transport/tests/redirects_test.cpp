// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/redirects.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/scripted_transport.hpp>

#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScriptedCall;
using testing::ScriptedTransport;

class Redirects : public ::testing::Test {
 protected:
  // Answers every request for "/from" by a redirect, and others by their path.
  void redirect(int status, const std::string& location) {
    server = std::make_shared<ScriptedTransport>();
    server->on("", "*", [=](ScriptedCall call) {
      if (call.request().url.find("/from") != std::string::npos) {
        call.respond(status, "moved", {{"Location", location}});
      } else {
        call.respond(200, "arrived", {});
      }
    });
  }
  Result<HttpResponse> send(const std::string& method = "GET",
                            const std::string& url = "https://h/a/from?x=1") {
    const auto transport = following_redirects(server);
    HttpRequest request{.method = method, .url = url};
    request.headers.add("Authorization", "Bearer secret");
    return round_trip(*transport, request, {});
  }
  std::vector<std::string> urls() const {
    std::vector<std::string> urls;
    for (const HttpRequest& request : server->requests()) urls.push_back(request.url);
    return urls;
  }
  std::shared_ptr<ScriptedTransport> server;
};

TEST_F(Redirects, AGetIsFollowedOnItsServerWithItsHeaders) {
  for (const auto& [location, url] :
       {std::pair("/to?y=2", "https://h/to?y=2"), std::pair("to", "https://h/a/to"),
        std::pair("https://H:443/to", "https://H:443/to"), std::pair("//h/to", "https://h/to")}) {
    for (const int status : {301, 302, 303, 307, 308}) {
      redirect(status, location);
      EXPECT_EQ(body_or_error(send()), "arrived") << location;
      EXPECT_THAT(urls(), ElementsAre("https://h/a/from?x=1", url));
      const auto requests = server->requests();
      EXPECT_EQ(requests.back().headers.find("Authorization"), "Bearer secret");
    }
  }
}

TEST_F(Redirects, AQueryAloneKeepsThePath) {
  redirect(302, "?y=2");
  EXPECT_EQ(body_or_error(send("GET", "https://h/a/b?x=/from")), "arrived");
  EXPECT_THAT(urls(), ElementsAre("https://h/a/b?x=/from", "https://h/a/b?y=2"));
}

TEST_F(Redirects, AnotherServerNeverGetsTheRequest) {
  for (const char* location : {"https://other/to", "http://h/to", "https://h:8443/to", "//other/to",
                               "https://me:pw@h/to", "https://", "", "#x"}) {
    redirect(302, location);
    const auto response = send();
    ASSERT_TRUE(response) << location;
    EXPECT_EQ(response->status, 302) << location;
    EXPECT_EQ(server->requests().size(), 1U) << location;
  }
}

TEST_F(Redirects, AWriteIsNotFollowed) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    redirect(307, "/to");
    EXPECT_EQ(send(method).value().status, 307);
    EXPECT_EQ(server->requests().size(), 1U);
  }
}

TEST_F(Redirects, ACircleEnds) {
  redirect(302, "/from");
  const auto response = send();
  ASSERT_TRUE(response) << error_text(response);
  EXPECT_EQ(response->status, 302) << "the redirect that closes the circle is the response";
  EXPECT_EQ(server->requests().size(), 2U);
}

TEST_F(Redirects, ALineOfThemEnds) {
  int next = 0;
  server = std::make_shared<ScriptedTransport>();
  server->on("", "*", [&](ScriptedCall call) {
    call.respond(302, "", {{"Location", "/" + std::to_string(++next)}});
  });
  const auto response = send();
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
  EXPECT_THAT(error_text(response), HasSubstr("stopped after 10 redirects"));
  EXPECT_EQ(server->requests().size(), 11U);
}

/// Keeps the handler for as long as the exchange lives, as the cache's exchanges do.
class KeepingTransport final : public RoundTripper {
 public:
  std::shared_ptr<Exchange> start(HttpRequest /*request*/, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token /*stop*/) override {
    struct Keeping final : Exchange {
      void resume() override {}
      void cancel() override {}
      std::shared_ptr<ResponseHandler> handler;
    };
    auto exchange = std::make_shared<Keeping>();
    exchange->handler = handler;
    if (at_once) handler->on_end({});
    last = handler;
    return exchange;
  }
  bool at_once = false;
  std::weak_ptr<ResponseHandler> last;
};

TEST_F(Redirects, AnExchangeThatKeepsItsHandlerIsLeftAtTheEnd) {
  for (const bool at_once : {true, false}) {
    const auto keeping = std::make_shared<KeepingTransport>();
    keeping->at_once = at_once;
    auto exchange = following_redirects(keeping)->start({.url = "https://h/"},
                                                        std::make_shared<Recording>(), {});
    if (!at_once) keeping->last.lock()->on_end({});
    exchange.reset();
    EXPECT_TRUE(keeping->last.expired()) << at_once;
  }
}

TEST_F(Redirects, ACancelReachesTheExchangeThatIsUnderWay) {
  redirect(302, "/to");
  std::optional<ScriptedCall> running;
  server->once("", "*", [](ScriptedCall call) { call.respond(302, "", {{"Location", "/to"}}); });
  server->once("", "*", [&](ScriptedCall call) { running = std::move(call); });
  const auto handler = std::make_shared<Recording>();
  const auto exchange = following_redirects(server)->start({.url = "https://h/from"}, handler, {});
  EXPECT_EQ(server->requests().size(), 2U);
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube::transport
