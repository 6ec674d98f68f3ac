// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/curl_transport.hpp>

#include <algorithm>
#include <future>
#include <latch>
#include <set>
#include <stdexcept>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

static_assert(!std::is_copy_constructible_v<CurlTransport>);

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n";
constexpr std::string_view kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::shared_ptr<CurlTransport> make_transport(CurlTransport::Options options = {}) {
  return CurlTransport::create(std::move(options)).value();
}

HttpRequest get(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

std::string answer(std::string_view body) {
  return std::string(kHead) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

// Answers every request of a connection with what it says.
LoopbackServer::Script always(std::string response) {
  return [response = std::move(response)](Peer& peer) {
    while (peer.read_request()) peer.write(response);
  };
}

TEST(CurlTransport, DeliversStatusHeadersAndBody) {
  LoopbackServer server(always(
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nX-Two: a\r\nx-two:  b \r\n"
      "Content-Length: 4\r\n\r\nbody"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url("/x")), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "body");
  EXPECT_EQ(response->headers.find("content-type"), "application/json");
  EXPECT_EQ(std::count_if(response->headers.begin(), response->headers.end(),
                          [](const auto& f) { return f.first == "X-Two" || f.first == "x-two"; }),
            2);
}

TEST(CurlTransport, SendsMethodHeadersAndBodyAndNothingOfItsOwn) {
  Peer::Request seen;
  LoopbackServer server([&](Peer& peer) {
    seen = peer.read_request().value();
    peer.write(answer(""));
  });
  const auto transport = make_transport({.compression = false});
  HttpRequest request = get(server.url("/api/v1/../pods?limit=5#fragment"));
  request.method = "PATCH";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"X-Empty", ""}};
  request.body = R"({"a":1})";
  ASSERT_TRUE(round_trip(*transport, request, {}));
  EXPECT_EQ(seen.method, "PATCH");
  EXPECT_EQ(seen.target, "/api/v1/../pods?limit=5");
  EXPECT_EQ(seen.body, R"({"a":1})");
  EXPECT_EQ(seen.head, "PATCH /api/v1/../pods?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:" +
                           std::to_string(server.port()) +
                           "\r\nContent-Type: application/merge-patch+json\r\nX-Empty:\r\n"
                           "Content-Length: 7\r\n");
}

TEST(CurlTransport, SendsALengthForWritesWithoutABodyAndNoneForReads) {
  std::vector<std::string> heads;
  LoopbackServer server([&](Peer& peer) {
    while (auto request = peer.read_request()) {
      heads.push_back(request->head);
      peer.write(std::string(kHead) + "Content-Length: 0\r\n\r\n");
    }
  });
  const auto transport = make_transport();
  for (const char* method : {"POST", "DELETE", "GET", "HEAD"}) {
    HttpRequest request = get(server.url());
    request.method = method;
    ASSERT_TRUE(round_trip(*transport, request, {})) << method;
  }
  ASSERT_EQ(heads.size(), 4U);
  EXPECT_THAT(heads[0], HasSubstr("Content-Length: 0"));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_THAT(heads[i], Not(HasSubstr("Content-Length")));
}

TEST(CurlTransport, AHeadAnswerHasNoBodyWhateverItsLength) {
  LoopbackServer server(always(std::string(kHead) + "Content-Length: 1000\r\n\r\n"));
  const auto transport = make_transport();
  HttpRequest request = get(server.url());
  request.method = "HEAD";
  const Result<HttpResponse> response = round_trip(*transport, request, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->headers.find("Content-Length"), "1000");
}

TEST(CurlTransport, DeliversChunksWhenTheyAreSentNotWhenTheBodyIsComplete) {
  std::promise<void> first_seen;
  std::promise<void> second_seen;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.write(chunk("one"));
    first_seen.get_future().wait();
    peer.write(chunk("two"));
    second_seen.get_future().wait();
    peer.write("0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  ASSERT_TRUE(handler->await_head());
  EXPECT_EQ(handler->await_body(3), "one");
  EXPECT_FALSE(handler->ended());
  first_seen.set_value();
  EXPECT_EQ(handler->await_body(6), "onetwo");
  EXPECT_FALSE(handler->ended());
  second_seen.set_value();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_THAT(handler->chunks(), ElementsAre("one", "two"));
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlTransport, DeliversTheHeadBeforeAnyByteOfTheBody) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_head()->status, 200);
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransport, PassesOverInterimAnswersAndTrailers) {
  LoopbackServer server(
      always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
             "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nTrailer: "
             "T\r\n\r\n1\r\na\r\n0\r\nT: u\r\n\r\n"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.find("Link"), std::nullopt);
  EXPECT_EQ(response->headers.find("T"), std::nullopt);
}

TEST(CurlTransport, TakesHugeHeaders) {
  const std::string huge(90'000, 'h');
  LoopbackServer server(
      always(std::string(kHead) + "X-Huge: " + huge + "\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->headers.find("x-huge"), huge);
}

TEST(CurlTransport, DoesNotFollowRedirects) {
  LoopbackServer server(
      always("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport();
  EXPECT_EQ(round_trip(*transport, get(server.url()), {})->status, 302);
  EXPECT_EQ(transport->stats().requests, 1U);
}

TEST(CurlTransport, APauseHoldsTheServerBackAndResumeLetsItGoOn) {
  constexpr std::size_t kTotal = std::size_t{64} << 20;
  std::promise<std::size_t> stalled_after;
  std::promise<void> resumed;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(std::string(kHead) + "Content-Length: " + std::to_string(kTotal) + "\r\n\r\n");
    const std::string piece(64 * 1024, 'x');
    const std::size_t sent = peer.write_until_stalled(piece, kTotal);
    stalled_after.set_value(sent);
    resumed.get_future().wait();
    for (std::size_t left = kTotal - sent; left > 0;) {
      const std::size_t size = std::min(left, piece.size());
      peer.write(std::string_view(piece).substr(0, size));
      left -= size;
    }
    peer.await_close();
  });
  const auto transport = make_transport();
  std::atomic<bool> pausing{true};
  std::atomic<int> calls{0};
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    calls.fetch_add(1);
    return pausing.load() ? Flow::Pause : Flow::Continue;
  });
  const auto exchange = transport->start(get(server.url()), handler, {});
  handler->await_body(1);
  const std::size_t sent = stalled_after.get_future().get();
  EXPECT_LT(sent, kTotal / 2) << "the server was not held back";
  EXPECT_EQ(calls.load(), 1) << "called while paused";
  pausing = false;
  exchange->resume();
  resumed.set_value();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body_size(), kTotal);
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlTransport, APauseAfterEachChunkLosesNothing) {
  std::string sent;
  for (int i = 0; i < 20'000; ++i) sent += std::to_string(i) + ',';
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    for (std::size_t i = 0; i < sent.size(); i += 999) peer.write(chunk(sent.substr(i, 999)));
    peer.write("0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  std::latch started(1);
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    started.wait();
    exchange->resume();  // Before the Pause is even returned: must count.
    return Flow::Pause;
  });
  exchange = transport->start(get(server.url()), handler, {});
  started.count_down();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body(), sent);
}

TEST(CurlTransport, TheEndWaitsForResumeToo) {
  LoopbackServer server(always(answer("all")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_body(3), "all");
  // Another exchange goes by meanwhile; the first one is complete but must not end.
  ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  EXPECT_FALSE(handler->ended());
  exchange->resume();
  EXPECT_EQ(handler->await_end(), std::nullopt);
}

TEST(CurlTransport, AResumeBeforeThePauseDoesNotEndIt) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.write(chunk("first"));
    peer.write(chunk("second"));
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  const auto handler = std::make_shared<Recording>([&](std::string_view) { return Flow::Pause; });
  exchange = transport->start(get(server.url()), handler, {});
  exchange->resume();
  EXPECT_EQ(handler->await_body(1), "first");
  ASSERT_EQ(round_trip(*transport, get("http://127.0.0.1:" + std::to_string(closed_port())), {})
                .error()
                .code(),
            ErrorCode::Unreachable);
  EXPECT_EQ(handler->body(), "first");
  exchange->resume();
  EXPECT_EQ(handler->await_body(6), "firstsecond");
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransport, CancelEndsAnExchangeAtAnyPoint) {
  std::latch requested(1);
  LoopbackServer server([&](Peer& peer) {
    const auto request = peer.read_request();
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

TEST(CurlTransport, CancelEndsAConnectThatNobodyAnswers) {
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

TEST(CurlTransport, CancelOfAPausedExchangeEndsItAtOnce) {
  LoopbackServer server(always(answer("abc")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_body(3), "abc");
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransport, AStopRequestEndsTheExchange) {
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

TEST(CurlTransport, AStopBeforeTheStartSendsNothing) {
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

TEST(CurlTransport, AStopRequestInsideAHandlerIsHarmless) {
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

TEST(CurlTransport, StopRequestsAndEndsMayRace) {
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

TEST(CurlTransport, DestructionEndsEveryExchangeOnce) {
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

TEST(CurlTransport, AHandlerMayStartTheNextExchange) {
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

TEST(CurlTransport, AHandlerMayStartAnotherExchangeWhileTheTransportIsDestroyed) {
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

TEST(CurlTransport, AHandlerMayHoldTheLastOwnerOfItsTransport) {
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

TEST(CurlTransport, AHandlerThatThrowsEndsItsExchangeOnly) {
  LoopbackServer server(always(answer("abc")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>(
      [](std::string_view) -> Flow { throw std::runtime_error("bad handler"); });
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Internal);
  EXPECT_THAT(handler->await_error(), HasSubstr("bad handler"));
  EXPECT_TRUE(round_trip(*transport, get(server.url()), {}));
}

TEST(CurlTransport, TheWholeTimeoutCountsFromTheStart) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    while (peer.write(chunk("tick"))) {
    }
  });
  const auto transport = make_transport();
  HttpRequest request = get(server.url());
  request.timeout = 100ms;
  const auto begin = std::chrono::steady_clock::now();
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 100ms);
  EXPECT_THAT(handler->await_error(), HasSubstr("100 ms"));
}

TEST(CurlTransport, TheIdleTimeoutEndsASilentStream) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.write(chunk("last words"));
    peer.await_close();
  });
  const auto transport = make_transport();
  HttpRequest request = get(server.url());
  request.idle_timeout = 100ms;
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout);
}

TEST(CurlTransport, TheIdleTimeoutSparesAPausedStream) {
  LoopbackServer server([](Peer& peer) {
    const auto request = peer.read_request();
    peer.write(kChunkedHead);
    if (request->target == "/paused") peer.write(chunk("x"));
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Recording> paused;
  std::shared_ptr<Exchange> exchange;
  HttpRequest request = get(server.url());
  request.idle_timeout = 300ms;
  // On a busy machine the first byte may take longer than that.
  for (;; *request.idle_timeout *= 4) {
    request.url = server.url("/paused");
    paused = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
    exchange = transport->start(request, paused, {});
    if (paused->await_body(1) == "x") break;
  }
  // Both were silent from about the same moment; the one that nobody paused is ended.
  request.url = server.url("/silent");
  const auto silent = std::make_shared<Recording>();
  transport->start(request, silent, {});
  EXPECT_EQ(silent->await_end(), ErrorCode::Timeout);
  EXPECT_FALSE(paused->ended());
  exchange->cancel();
  EXPECT_EQ(paused->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransport, NothingListensIsUnreachable) {
  const auto transport = make_transport();
  const std::string port = std::to_string(closed_port());
  const Result<HttpResponse> response =
      round_trip(*transport, get("http://127.0.0.1:" + port + "/api?token=secret"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
  EXPECT_THAT(error_text(response), AllOf(StartsWith("GET http://127.0.0.1:" + port + "/api: "),
                                          HasSubstr("refused"), Not(HasSubstr("secret"))));
}

TEST(CurlTransport, ANameThatDoesNotExistIsUnreachable) {
  const auto transport = make_transport();
  const auto response = round_trip(*transport, get("http://no-such-host.invalid/"), {});
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
}

TEST(CurlTransport, AHandshakeThatTakesTooLongIsUnreachable) {
  LoopbackServer server([](Peer& peer) { peer.await_close(); });
  const auto transport = make_transport({.connect_timeout = 100ms});
  const auto response =
      round_trip(*transport, get("https://127.0.0.1:" + std::to_string(server.port())), {});
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
  EXPECT_THAT(error_text(response), HasSubstr("timeout"));
}

struct BrokenAnswer {
  const char* name;
  std::string bytes;
  bool reset;
  ErrorCode code;
};

class CurlTransportBrokenAnswer : public ::testing::TestWithParam<BrokenAnswer> {};

TEST_P(CurlTransportBrokenAnswer, IsAnError) {
  const BrokenAnswer& broken = GetParam();
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(broken.bytes);
    if (broken.reset) peer.reset();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), broken.code) << handler->await_error();
  EXPECT_EQ(handler->violations(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, CurlTransportBrokenAnswer,
    ::testing::Values(
        BrokenAnswer{"ClosedWithoutAWord", "", false, ErrorCode::Unreachable},
        BrokenAnswer{"ResetWithoutAWord", "", true, ErrorCode::Unreachable},
        BrokenAnswer{"HeadCutOff", "HTTP/1.1 200 OK\r\nContent-", false, ErrorCode::Unreachable},
        BrokenAnswer{"BodyShorterThanItsLength", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                     false, ErrorCode::Unreachable},
        BrokenAnswer{"ResetInTheBody", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", true,
                     ErrorCode::Unreachable},
        BrokenAnswer{"ChunksWithoutTheLast",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", false,
                     ErrorCode::Unreachable},
        BrokenAnswer{"ChunkCutOff",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc", false,
                     ErrorCode::Unreachable},
        BrokenAnswer{"ChunkSizeIsGarbage",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", false,
                     ErrorCode::Unreachable},
        BrokenAnswer{"NotHttp", "SSH-2.0-OpenSSH_9.2\r\n", false, ErrorCode::Unreachable},
        BrokenAnswer{"NotGzip",
                     "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd",
                     false, ErrorCode::Decode}),
    [](const auto& test) { return test.param.name; });

TEST(CurlTransport, ABodyThatEndsWithTheConnectionIsComplete) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  });
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url()), {})), "until the end");
}

TEST(CurlTransport, TRN_44_OffersGzipAndDecodesIt) {
  // "hello gzip\n" as gzip makes it.
  static constexpr unsigned char kGzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                            0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57,
                                            0x48, 0xaf, 0xca, 0x2c, 0xe0, 0x02, 0x00, 0x39,
                                            0x7c, 0x63, 0x56, 0x0b, 0x00, 0x00, 0x00};
  const std::string gzip(reinterpret_cast<const char*>(kGzip), sizeof kGzip);
  std::vector<std::string> heads;
  LoopbackServer server([&](Peer& peer) {
    while (auto request = peer.read_request()) {
      heads.push_back(request->head);
      peer.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                 std::to_string(gzip.size()) + "\r\n\r\n" + gzip);
    }
  });
  const auto transport = make_transport();
  const Result<HttpResponse> decoded = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(decoded) << error_text(decoded);
  EXPECT_EQ(decoded->body, "hello gzip\n");
  EXPECT_EQ(decoded->headers.find("Content-Encoding"), std::nullopt);

  // Who asks for a coding gets the bytes as they are.
  HttpRequest own = get(server.url());
  own.headers = {{"accept-encoding", "gzip"}};
  EXPECT_EQ(body_or_error(round_trip(*transport, own, {})), gzip);

  const auto plain = make_transport({.compression = false});
  EXPECT_EQ(body_or_error(round_trip(*plain, get(server.url()), {})), gzip);
  ASSERT_EQ(heads.size(), 3U);
  EXPECT_THAT(heads[0], HasSubstr("Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(heads[1], Not(HasSubstr("Accept-Encoding: gzip")));
  EXPECT_THAT(heads[2], Not(HasSubstr("Encoding")));
}

TEST(CurlTransport, RequestsInARowUseOneConnection) {
  LoopbackServer server(always(answer("x")));
  const auto transport = make_transport();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(transport->stats().connections, 1U);
  EXPECT_EQ(transport->stats().requests, 20U);
  EXPECT_EQ(transport->stats().bytes_received, 20U);
  EXPECT_EQ(transport->stats().http2_responses, 0U);
}

TEST(CurlTransport, TRN_41_TRN_43_TheSystemNoticesADeadPeerAfterOneAndAHalfPeriods) {
  LoopbackServer server(always(answer("x")));
  const auto transport = make_transport();
  ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  // The kept connection is the socket of this process that is connected to the server's port.
  int client = -1;
  for (int fd = 0; fd < 1024 && client < 0; ++fd) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
        peer.sin_family == AF_INET && ntohs(peer.sin_port) == server.port()) {
      client = fd;
    }
  }
  ASSERT_GE(client, 0);
  const auto option = [client](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(client, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 30);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT), 15);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 45'000);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
}

TEST(CurlTransport, ManyExchangesShareOneThread) {
  constexpr int kExchanges = 200;
  std::latch all_open(kExchanges);
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    all_open.arrive_and_wait();
    peer.write(chunk("x") + "0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  std::vector<std::shared_ptr<Recording>> handlers;
  for (int i = 0; i < kExchanges; ++i) {
    handlers.push_back(std::make_shared<Recording>());
    transport->start(get(server.url()), handlers.back(), {});
  }
  std::set<std::thread::id> threads;
  for (const auto& handler : handlers) {
    EXPECT_EQ(handler->await_end(), std::nullopt);
    EXPECT_EQ(handler->violations(), 0);
    threads.insert(handler->io_thread());
  }
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0U);
}

TEST(CurlTransport, ManyThreadsMayUseOneTransport) {
  LoopbackServer server(always(answer("abc")));
  const auto transport = make_transport();
  std::vector<std::future<int>> users;
  for (int t = 0; t < 4; ++t) {
    users.push_back(std::async(std::launch::async, [&] {
      int good = 0;
      for (int i = 0; i < 50; ++i) {
        const auto response = round_trip(*transport, get(server.url()), {});
        good += response && response->body == "abc" ? 1 : 0;
      }
      return good;
    }));
  }
  for (auto& user : users) EXPECT_EQ(user.get(), 50);
}

TEST(CurlTransport, ADeadReusedConnectionIsReplacedForAReadButAWriteIsNotRepeated) {
  std::atomic<int> posts{0};
  std::atomic<int> connections{0};
  LoopbackServer server([&](Peer& peer) {
    connections.fetch_add(1);
    while (auto request = peer.read_request()) {
      if (request->target == "/die" && connections.load() % 2 == 1) return;  // Without an answer.
      if (request->method == "POST") posts.fetch_add(1);
      if (request->target == "/post") return;
      peer.write(answer("x"));
    }
  });
  const auto transport = make_transport();
  ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  const auto read = round_trip(*transport, get(server.url("/die")), {});
  EXPECT_TRUE(read) << error_text(read);

  HttpRequest post = get(server.url("/post"));
  post.method = "POST";
  post.body = "{}";
  const auto write = round_trip(*transport, post, {});
  EXPECT_EQ(code_of(write), ErrorCode::Unreachable);
  EXPECT_EQ(posts.load(), 1);
}

TEST(CurlTransport, SpeaksThroughAUnixSocket) {
  const std::string path = ::testing::TempDir() + "kube-transport-" + std::to_string(::getpid());
  ::unlink(path.c_str());
  std::string head;
  LoopbackServer server(
      [&](Peer& peer) {
        head = peer.read_request()->head;
        peer.write(answer("local"));
      },
      {.unix_socket = path});
  const auto transport = make_transport({.unix_socket = path});
  EXPECT_EQ(body_or_error(round_trip(*transport, get("http://agent/metrics"), {})), "local");
  EXPECT_THAT(head, AllOf(StartsWith("GET /metrics HTTP/1.1"), HasSubstr("Host: agent\r\n")));
  ::unlink(path.c_str());
}

TEST(CurlTransport, AProxyGetsTheWholeUrlOfPlainRequests) {
  std::string target;
  LoopbackServer proxy([&](Peer& peer) {
    target = peer.read_request()->target;
    peer.write(answer("through"));
  });
  const auto transport = make_transport({.proxy_url = proxy.url()});
  EXPECT_EQ(body_or_error(round_trip(*transport, get("http://api.invalid/x"), {})), "through");
  EXPECT_EQ(target, "http://api.invalid/x");
}

TEST(CurlTransport, AProxyThatRefusesTheTunnelIsUnreachable) {
  LoopbackServer proxy(always("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport({.proxy_url = proxy.url()});
  const auto response = round_trip(*transport, get("https://api.invalid/"), {});
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable) << error_text(response);
}

TEST(CurlTransport, AProxyUrlThatMakesNoSenseIsAConfigErrorWithoutItsPassword) {
  const auto transport = CurlTransport::create({.proxy_url = "ftp://user:secret@proxy:21"});
  ASSERT_FALSE(transport);
  EXPECT_EQ(code_of(transport), ErrorCode::Config);
  EXPECT_THAT(error_text(transport), AllOf(HasSubstr("proxy:21"), Not(HasSubstr("secret"))));
}

TEST(CurlTransport, RequestsThatHttpCannotExpressAreRefusedLocally) {
  const auto transport = make_transport();
  const auto refusal = [&](HttpRequest request) {
    return code_of(round_trip(*transport, std::move(request), {}));
  };
  EXPECT_EQ(refusal(get("not a url")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(get("ftp://127.0.0.1/")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(get("file:///etc/passwd")), ErrorCode::InvalidArgument);
  HttpRequest method = get("http://127.0.0.1:1/");
  method.method = "GET / HTTP/1.1\r\nEvil: yes\r\n\r\n";
  EXPECT_EQ(refusal(method), ErrorCode::InvalidArgument);
  HttpRequest value = get("http://127.0.0.1:1/");
  value.headers = {{"X", "a\r\nEvil: yes"}};
  EXPECT_EQ(refusal(value), ErrorCode::InvalidArgument);
  HttpRequest name = get("http://127.0.0.1:1/");
  name.headers = {{"X y", "a"}};
  EXPECT_EQ(refusal(name), ErrorCode::InvalidArgument);
}

TEST(RoundTrip, RefusesABodyBeyondItsLimit) {
  LoopbackServer server(always(answer("0123456789")));
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url()), {}, 10)), "0123456789");
  const auto response = round_trip(*transport, get(server.url()), {}, 9);
  EXPECT_EQ(code_of(response), ErrorCode::Decode);
  EXPECT_THAT(error_text(response), HasSubstr("9 bytes"));
}

TEST(RoundTrip, IsEndedByAStopRequest) {
  std::latch requested(1);
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    requested.count_down();
    peer.await_close();
  });
  const auto transport = make_transport();
  std::stop_source stop;
  auto response = std::async(std::launch::async, [&] {
    return round_trip(*transport, get(server.url()), stop.get_token());
  });
  requested.wait();
  stop.request_stop();
  EXPECT_EQ(code_of(response.get()), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube::transport
