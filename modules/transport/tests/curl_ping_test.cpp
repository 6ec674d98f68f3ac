// SPDX-License-Identifier: Apache-2.0
//
// PING frames on HTTP/2 connections, and peers that do not answer them.
#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/transport/curl_transport.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class CurlPings : public ::testing::Test {
 protected:
  CurlPings() : authority_("kube test CA") {}

  // Lets the server go on before it is destroyed: declared after it.
  struct Release {
    std::promise<void>& go_on;
    ~Release() { go_on.set_value(); }
  };

  // "/hang": the server stops answering anything, and the kernel goes on acknowledging. "/open": a
  // watch without events.
  Http2Answer answer(const Http2Request& request) {
    if (request.method == "PING") {
      if (++pings_ == 3 && !std::exchange(third_seen_, true)) third_ping_.set_value();
      return {};
    }
    if (request.path == "/hang") released_.wait();
    if (request.path == "/open") return {.body = "first", .open = true};
    if (request.path == "/flood") return {.filler = std::size_t{48} << 20};
    return {.body = "answer"};
  }
  LoopbackServer::Options h2() {
    return {.tls = ServerTls{.certificate = authority_.server({"127.0.0.1"}), .protocols = {"h2"}}};
  }
  std::shared_ptr<CurlTransport> make(std::chrono::milliseconds idle,
                                      std::chrono::milliseconds timeout) {
    return CurlTransport::create({.tls = {.ca = {.data = authority_.certificate()}},
                                  .http2_read_idle_timeout = idle,
                                  .http2_ping_timeout = timeout})
        .value();
  }
  static HttpRequest get(std::string url) {
    HttpRequest request;
    request.url = std::move(url);
    return request;
  }

  TestAuthority authority_;
  std::promise<void> go_on_;
  std::shared_future<void> released_ = go_on_.get_future().share();
  std::atomic<int> pings_{0};
  bool third_seen_ = false;
  std::promise<void> third_ping_;
};

TEST_F(CurlPings, TRN_41_APeerThatIsGoneBehindAProxyThatLivesIsLeft) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(100ms, 300ms);
  const auto watch = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  const auto hung = std::make_shared<Recording>();
  transport->start(get(server.url("/hang")), hung, {});
  EXPECT_EQ(watch->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(watch->await_error(),
              HasSubstr("the connection was silent for 100 ms, and its peer did not answer an "
                        "HTTP/2 ping within 300 ms"));
  EXPECT_EQ(hung->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "answer");
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(CurlPings, TRN_41_Http1ReliesOnTheTimeoutOfTheRequest) {
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.await_close();
  });
  const auto transport = make(10ms, 10ms);
  HttpRequest request = get(server.url("/"));
  request.timeout = 500ms;
  EXPECT_EQ(code_of(round_trip(*transport, request, {})), ErrorCode::Timeout);
}

TEST_F(CurlPings, ASilentPeerThatAnswersPingsIsKept) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(50ms, 10s);
  const auto watch = std::make_shared<Recording>();
  // Three pings, with an answer to each between them; the connection is used after that.
  transport->start(get(server.url("/open")), watch, {});
  third_ping_.get_future().wait();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "answer");
  EXPECT_FALSE(watch->ended());
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(CurlPings, ATimeoutOfZeroIsThePresetAndNoConnectionIsLeftBeforeAPing) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  for (const auto timeout : {0ms, -1ms}) {
    pings_ = 0;
    const auto transport = make(50ms, timeout);
    const auto watch = std::make_shared<Recording>();
    transport->start(get(server.url("/open")), watch, {});
    EXPECT_EQ(watch->await_body(5), "first");
    for (int i = 0; pings_.load() == 0 && i < 1000; ++i) (void)released_.wait_for(10ms);
    EXPECT_GE(pings_.load(), 1);
    (void)released_.wait_for(100ms);
    EXPECT_FALSE(watch->ended());
  }
}

TEST_F(CurlPings, NoneAreSentWhenTheyAreSwitchedOff) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(0ms, 10ms);
  HttpRequest request = get(server.url("/hang"));
  request.timeout = 300ms;
  EXPECT_EQ(code_of(round_trip(*transport, request, {})), ErrorCode::Timeout);
  EXPECT_EQ(pings_.load(), 0);
}

TEST_F(CurlPings, AHandlerThatHasPausedIsNoDeadPeer) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(20ms, 50ms);
  std::atomic<bool> pausing{true};
  const auto slow = std::make_shared<Recording>(
      [&](std::string_view) { return pausing.load() ? Flow::Pause : Flow::Continue; });
  const auto exchange = transport->start(get(server.url("/flood")), slow, {});
  slow->await_body(1);
  released_.wait_for(500ms);  // many times as long as a dead peer takes
  pausing = false;
  exchange->resume();
  EXPECT_EQ(slow->await_end(), std::nullopt);
  EXPECT_EQ(slow->body_size(), std::size_t{48} << 20);
  EXPECT_EQ(server.accepted(), 1);
}

}  // namespace
}  // namespace kube::transport
