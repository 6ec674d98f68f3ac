// SPDX-License-Identifier: Apache-2.0
//
// Ends that the user brings about: cancel, stop requests, destruction, handlers that call back.
#include <future>
#include <latch>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::HasSubstr;

TEST(CurlTransportStop, CancelEndsAnExchangeAtAnyPoint) {
  std::latch requested(1);
  LoopbackServer server([&](Peer& peer) {
    const auto request = peer.read_request();
    if (!request) return;  // cancelled before it was sent
    if (request->target == "/head") requested.count_down();
    if (request->target == "/body") {
      peer.write(kChunkedHead);
      peer.write(chunk("x"));
    }
    peer.await_close();
  });
  const auto transport = make_transport();

  const auto before = std::make_shared<Recording>();
  transport->start(get(server.url("/before")), before, {})->cancel();
  EXPECT_EQ(before->await_end(), ErrorCode::Cancelled);

  const auto head = std::make_shared<Recording>();
  const auto waiting = transport->start(get(server.url("/head")), head, {});
  requested.wait();
  waiting->cancel();
  EXPECT_EQ(head->await_end(), ErrorCode::Cancelled);

  const auto body = std::make_shared<Recording>();
  const auto streaming = transport->start(get(server.url("/body")), body, {});
  EXPECT_EQ(body->await_body(1), "x");
  streaming->cancel();
  streaming->cancel();
  EXPECT_EQ(body->await_end(), ErrorCode::Cancelled);
  streaming->resume();
  EXPECT_EQ(body->violations(), 0);
}

TEST(CurlTransportStop, CancelEndsAConnectThatNobodyAnswers) {
  // The handshake of TLS is never answered: for curl the connection is still being made.
  std::latch connected(1);
  LoopbackServer server([&](Peer& peer) {
    peer.read_some();
    connected.count_down();
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  const auto exchange =
      transport->start(get("https://127.0.0.1:" + std::to_string(server.port())), handler, {});
  connected.wait();
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, CancelOfAPausedExchangeEndsItAtOnce) {
  LoopbackServer server(always(answer("abc")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_body(3), "abc");
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, AStopRequestEndsTheExchange) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.await_close();
  });
  const auto transport = make_transport();
  std::stop_source stop;
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, stop.get_token());
  ASSERT_TRUE(handler->await_head());
  stop.request_stop();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, AStopBeforeTheStartSendsNothing) {
  LoopbackServer server(always(answer("")));
  const auto transport = make_transport();
  std::stop_source stop;
  stop.request_stop();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, stop.get_token());
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
  EXPECT_EQ(handler->violations(), 0);
  EXPECT_EQ(server.accepted(), 0);
}

TEST(CurlTransportStop, AStopRequestInsideAHandlerIsHarmless) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.write(chunk("x"));
    peer.await_close();
  });
  const auto transport = make_transport();
  std::stop_source stop;
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    stop.request_stop();
    return Flow::Continue;
  });
  transport->start(get(server.url()), handler, stop.get_token());
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, StopRequestsAndEndsMayRace) {
  LoopbackServer server(always(answer("x")));
  const auto transport = make_transport();
  for (int i = 0; i < 200; ++i) {
    std::stop_source stop;
    const auto handler = std::make_shared<Recording>();
    auto exchange = transport->start(get(server.url()), handler, stop.get_token());
    if (i % 2 == 0) exchange.reset();
    if (i % 3 == 0) handler->await_head();
    stop.request_stop();
    const std::optional<ErrorCode> end = handler->await_end();
    EXPECT_TRUE(!end || *end == ErrorCode::Cancelled);
    EXPECT_EQ(handler->violations(), 0);
  }
}

TEST(CurlTransportStop, DestructionEndsEveryExchangeOnce) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.await_close();
  });
  std::vector<std::shared_ptr<Recording>> handlers;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  {
    const auto transport = make_transport();
    for (int i = 0; i < 20; ++i) {
      handlers.push_back(std::make_shared<Recording>());
      exchanges.push_back(transport->start(get(server.url()), handlers.back(), {}));
      if (i < 5) handlers.back()->await_head();
    }
  }
  for (const auto& handler : handlers) {
    ASSERT_TRUE(handler->ended());
    EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
    EXPECT_EQ(handler->violations(), 0);
  }
  for (const auto& exchange : exchanges) {
    exchange->resume();
    exchange->cancel();
  }
}

TEST(CurlTransportStop, AHandlerMayStartTheNextExchange) {
  LoopbackServer server(always(answer("x")));
  const auto transport = make_transport();
  struct Chain final : ResponseHandler, std::enable_shared_from_this<Chain> {
    Chain(CurlTransport& t, std::string u) : transport(t), url(std::move(u)) {}
    void on_head(ResponseHead) override {}
    Flow on_data(std::string_view) override { return Flow::Continue; }
    void on_end(Result<void> result) override {
      if (!result || ++count == 10) {
        done.set_value(count);
        return;
      }
      transport.start(get(url), shared_from_this(), {});
    }
    CurlTransport& transport;
    std::string url;
    int count = 0;
    std::promise<int> done;
  };
  const auto chain = std::make_shared<Chain>(*transport, server.url());
  transport->start(get(server.url()), chain, {});
  EXPECT_EQ(chain->done.get_future().get(), 10);
}

TEST(CurlTransportStop, AHandlerMayStartAnotherExchangeWhileTheTransportIsDestroyed) {
  struct Again final : ResponseHandler {
    Again(CurlTransport& t, std::string u, std::shared_ptr<ResponseHandler> n)
        : transport(t), url(std::move(u)), next(std::move(n)) {}
    void on_head(ResponseHead) override {}
    Flow on_data(std::string_view) override { return Flow::Continue; }
    void on_end(Result<void>) override { transport.start(get(url), next, {}); }
    CurlTransport& transport;
    std::string url;
    std::shared_ptr<ResponseHandler> next;
  };
  LoopbackServer server([](Peer& peer) { peer.await_close(); });
  const auto last = std::make_shared<Recording>();
  {
    const auto transport = make_transport();
    transport->start(get(server.url()), std::make_shared<Again>(*transport, server.url(), last),
                     {});
  }
  ASSERT_TRUE(last->ended());
  EXPECT_EQ(last->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, AHandlerMayHoldTheLastOwnerOfItsTransport) {
  LoopbackServer server(always(answer("x")));
  struct Owner final : ResponseHandler {
    ~Owner() override {
      transport.reset();
      gone.set_value();
    }
    void on_head(ResponseHead) override {}
    Flow on_data(std::string_view) override { return Flow::Continue; }
    void on_end(Result<void>) override {}
    std::shared_ptr<CurlTransport> transport;
    std::promise<void> gone;
  };
  const auto other = std::make_shared<Recording>();
  std::future<void> gone;
  {
    auto owner = std::make_shared<Owner>();
    gone = owner->gone.get_future();
    owner->transport = make_transport();
    HttpRequest silent = get("https://127.0.0.1:" + std::to_string(server.port()));
    owner->transport->start(silent, other, {});  // Never gets past its handshake.
    CurlTransport& transport = *owner->transport;
    transport.start(get(server.url()), std::move(owner), {});
  }
  gone.wait();
  EXPECT_EQ(other->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportStop, AHandlerThatThrowsEndsItsExchangeOnly) {
  LoopbackServer server(always(answer("abc")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>(
      [](std::string_view) -> Flow { throw std::runtime_error("bad handler"); });
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Internal);
  EXPECT_THAT(handler->await_error(), HasSubstr("bad handler"));
  EXPECT_TRUE(round_trip(*transport, get(server.url()), {}));
}

}  // namespace
}  // namespace kube::transport
