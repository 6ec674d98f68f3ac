// SPDX-License-Identifier: Apache-2.0
//
// PING frames on HTTP/2 connections, and peers that do not answer them.
#include <atomic>
#include <functional>
#include <future>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/transport/curl_transport.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
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
      ++pings_;
      return {};
    }
    if (request.path == "/hang") {
      if (!has_hung_.exchange(true)) hanging_.set_value();
      released_.wait();
    }
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
                                  .http2_ping_timeout = timeout,
                                  .clock = clock_})
        .value();
  }
  // Lets time pass, whenever the transport waits for it, until something has happened.
  bool passes_until(const std::function<bool()>& has_happened, Duration step = 1s) {
    return eventually(
        [&] {
          if (has_happened()) return true;
          if (clock_->waiters() != 0) clock_->advance(step);
          return false;
        },
        {.max_interval = 1ms});
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
  std::atomic<bool> has_hung_{false};
  std::promise<void> hanging_;
  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
};

TEST_F(CurlPings, TRN_41_APeerThatIsGoneBehindAProxyThatLivesIsLeft) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(30s, 15s);
  const auto watch = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  const auto hung = std::make_shared<Recording>();
  transport->start(get(server.url("/hang")), hung, {});
  hanging_.get_future().wait();
  const TimePoint begin = clock_->now();
  EXPECT_TRUE(passes_until([&] { return watch->ended(); }));
  EXPECT_GE(clock_->now() - begin, 44s);
  EXPECT_EQ(watch->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(watch->await_error(),
              HasSubstr("the connection was silent for 30 s, and its peer did not answer an "
                        "HTTP/2 ping within 15 s"));
  EXPECT_EQ(hung->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "answer");
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(CurlPings, TRN_41_Http1ReliesOnTheTimeoutOfTheRequest) {
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.await_close();
  });
  const auto transport = make(1s, 1s);
  const auto late = std::make_shared<Recording>();
  HttpRequest request = get(server.url("/"));
  request.timeout = 50s;
  transport->start(request, late, {});
  EXPECT_TRUE(passes_until([&] { return late->ended(); }));
  EXPECT_EQ(late->await_end(), ErrorCode::Timeout);
}

TEST_F(CurlPings, ASilentPeerThatAnswersPingsIsKept) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  // Looked at each 10,000 s while a ping is under way.
  const auto transport = make(10s, 80'000s);
  const auto watch = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  const std::uint64_t before = server.sent();
  for (int ping = 1; ping <= 20; ++ping) {
    ASSERT_TRUE(passes_until([&] { return pings_.load() >= ping; })) << ping;
    constexpr std::uint64_t kFrame = 17;
    const auto answers = static_cast<std::uint64_t>(ping) * kFrame;
    ASSERT_TRUE(eventually([&] { return server.sent() >= before + answers; })) << ping;
    clock_->advance(10'000s);
  }
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "answer");
  EXPECT_FALSE(watch->ended());
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(CurlPings, ATimeoutOfZeroIsThePreset) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  for (const auto timeout : {0ms, -1ms}) {
    const auto transport = make(1s, timeout);
    const auto hung = std::make_shared<Recording>();
    transport->start(get(server.url("/hang")), hung, {});
    EXPECT_TRUE(passes_until([&] { return hung->ended(); }));
    EXPECT_THAT(hung->await_error(), HasSubstr("did not answer an HTTP/2 ping within 15 s"));
  }
}

TEST_F(CurlPings, NoneAreSentWhenTheyAreSwitchedOff) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(0ms, 1s);
  const auto late = std::make_shared<Recording>();
  HttpRequest request = get(server.url("/open"));
  request.timeout = 50s;
  transport->start(request, late, {});
  EXPECT_EQ(late->await_body(5), "first");
  EXPECT_TRUE(passes_until([&] { return late->ended(); }));
  EXPECT_EQ(late->await_end(), ErrorCode::Timeout);
  // What the peer has read before this is answered.
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "answer");
  EXPECT_EQ(pings_.load(), 0);
}

TEST_F(CurlPings, AHandlerThatHasPausedIsNoDeadPeer) {
  LoopbackServer server(http2([this](const Http2Request& r) { return answer(r); }), h2());
  const Release release{go_on_};
  const auto transport = make(1s, 1000s);
  std::atomic<bool> pausing{true};
  const auto slow = std::make_shared<Recording>(
      [&](std::string_view) { return pausing.load() ? Flow::Pause : Flow::Continue; });
  const auto exchange = transport->start(get(server.url("/flood")), slow, {});
  slow->await_body(1);
  // More than the transport takes over of what its handler does not.
  EXPECT_TRUE(eventually([&] { return server.sent() > std::size_t{5} << 20; }));
  const TimePoint begin = clock_->now();
  EXPECT_TRUE(passes_until([&] { return clock_->now() - begin > 10'000s; }, 100s));
  EXPECT_FALSE(slow->ended());
  pausing = false;
  exchange->resume();
  EXPECT_EQ(slow->await_end(), std::nullopt) << slow->await_error();
  EXPECT_EQ(slow->body_size(), std::size_t{48} << 20);
  EXPECT_EQ(server.accepted(), 1);
}

}  // namespace
}  // namespace kube::transport
