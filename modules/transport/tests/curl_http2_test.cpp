// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/curl_transport.hpp>

#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/fake_clock.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

HttpRequest get(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

const TestAuthority& authority() {
  static const TestAuthority one("kube test CA");
  return one;
}

std::shared_ptr<CurlTransport> make_transport(CurlTransport::Options options = {}) {
  options.tls.ca.data = authority().certificate();
  return CurlTransport::create(std::move(options)).value();
}

// Speaks only HTTP/2.
class Http2Server : public LoopbackServer {
 public:
  explicit Http2Server(Http2Script script, std::uint32_t max_streams = 1000)
      : LoopbackServer(http2(std::move(script), max_streams),
                       {.tls = ServerTls{.certificate = authority().server({"127.0.0.1"}),
                                         .protocols = {"h2"}}}) {}
};

Http2Answer echo(const Http2Request& request) {
  return {.body = request.method + " " + request.path + " " + request.body};
}

// "/open": a watch without events; "/silent": nothing; "/flood": more than twice what anyone
// buffers. The window of libcurl's streams has 32 MiB.
constexpr std::size_t kFlood = std::size_t{96} << 20;
Http2Answer by_path(const Http2Request& request) {
  if (request.path == "/open") return {.body = "first", .open = true};
  if (request.path == "/silent") return {.silent = true};
  if (request.path == "/flood") return {.filler = kFlood};
  return echo(request);
}

TEST(CurlHttp2, IsNegotiatedOverTlsUnlessSwitchedOff) {
  std::string alpn;
  const ServerTls tls{.certificate = authority().server({"kubernetes"}),
                      .protocols = {"h2", "http/1.1"}};
  LoopbackServer server(
      [&](Peer& peer) {
        alpn = peer.alpn();
        if (alpn == "h2") {
          http2([](const Http2Request& r) { return Http2Answer{.body = r.authority}; })(peer);
        } else {
          peer.read_request();
          peer.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
        }
      },
      {.tls = tls});
  CurlTransport::Options options{
      .tls = {.ca = {.data = authority().certificate()}, .server_name = "kubernetes"}};
  const auto two = CurlTransport::create(options).value();
  // The host that was asked for, though another name was verified.
  EXPECT_EQ(body_or_error(round_trip(*two, get(server.url()), {})),
            "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(alpn, "h2");
  EXPECT_EQ(two->stats().http2_responses, 1U);
  options.http2 = false;
  const auto one = CurlTransport::create(options).value();
  EXPECT_EQ(body_or_error(round_trip(*one, get(server.url()), {})), "one");
  EXPECT_EQ(alpn, "http/1.1");
  EXPECT_EQ(one->stats().http2_responses, 0U);
}

TEST(CurlHttp2, PriorKnowledgeNeedsNoNegotiation) {
  LoopbackServer server(http2(by_path));
  const auto transport = CurlTransport::create({.http2_prior_knowledge = true}).value();
  const auto watch = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
  }
  EXPECT_FALSE(watch->ended());
}

TEST(CurlHttp2, TrailersOfMoreThanTheirBoundAreAnError) {
  Http2Server server([](const Http2Request& request) {
    const std::size_t kilobytes = std::stoul(request.path.substr(1));
    return Http2Answer{.body = "{}", .trailers = kilobytes};
  });
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/60")), {})), "{}");
  const Result<HttpResponse> many = round_trip(*transport, get(server.url("/110")), {});
  EXPECT_EQ(code_of(many), ErrorCode::Unreachable);
  EXPECT_THAT(error_text(many), HasSubstr("more than 64 KiB of trailers"));
  // Beyond 128 KiB libcurl gives them to nobody.
  const Result<HttpResponse> most = round_trip(*transport, get(server.url("/900")), {});
  EXPECT_EQ(code_of(most), ErrorCode::Unreachable);
}

TEST(CurlHttp2, InterimAnswersWithoutEndAreAnError) {
  Http2Server server([](const Http2Request& request) {
    return Http2Answer{.body = "{}", .hints = request.path == "/few" ? 10U : 100'000U};
  });
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/few")), {})), "{}");
  // By one bound of libcurl or another, as they come in.
  EXPECT_EQ(code_of(round_trip(*transport, get(server.url("/many")), {})), ErrorCode::Unreachable);
}

TEST(CurlHttp2, ManyExchangesShareOneConnection) {
  Http2Server server(by_path);
  const auto transport = make_transport();
  std::vector<std::shared_ptr<Recording>> watches;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  for (int i = 0; i < 300; ++i) {
    watches.push_back(std::make_shared<Recording>());
    exchanges.push_back(transport->start(get(server.url("/open")), watches.back(), {}));
  }
  for (const auto& watch : watches) EXPECT_EQ(watch->await_body(5), "first");
  HttpRequest post = get(server.url("/api"));
  post.method = "POST";
  post.body = "{}";
  EXPECT_EQ(body_or_error(round_trip(*transport, post, {})), "POST /api {}");
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(transport->stats().connections, 1U);
  EXPECT_EQ(transport->stats().requests, 301U);
  EXPECT_EQ(transport->stats().http2_responses, 301U);
  for (const auto& exchange : exchanges) exchange->cancel();
  for (const auto& watch : watches) EXPECT_EQ(watch->await_end(), ErrorCode::Cancelled);
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
  EXPECT_EQ(server.accepted(), 1);
}

// All of them reach curl before there is a connection.
TEST(CurlHttp2, ABurstBeforeTheFirstAnswerSharesOneConnection) {
  Http2Server server(by_path);
  const auto transport = make_transport();
  struct Blocking final : ResponseHandler {
    void on_head(ResponseHead) override {}
    Flow on_data(std::string_view) override { return Flow::Continue; }
    void on_end(Result<void>) override {
      entered.set_value();
      go_on.get_future().wait();
    }
    std::promise<void> entered;
    std::promise<void> go_on;
  };
  const auto blocking = std::make_shared<Blocking>();
  transport->start(get("https://127.0.0.1:1/nobody-listens"), blocking, {});
  blocking->entered.get_future().wait();
  std::vector<std::shared_ptr<Recording>> watches;
  for (int i = 0; i < 300; ++i) {
    watches.push_back(std::make_shared<Recording>());
    transport->start(get(server.url("/open")), watches.back(), {});
  }
  blocking->go_on.set_value();
  for (const auto& watch : watches) EXPECT_EQ(watch->await_body(5), "first");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(CurlHttp2, MoreExchangesThanTheServerTakesOpenAnotherConnection) {
  Http2Server server(by_path, 10);
  const auto transport = make_transport();
  const auto first = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), first, {});
  EXPECT_EQ(first->await_body(5), "first");  // The server's limit is known now.
  std::vector<std::shared_ptr<Recording>> watches;
  for (int i = 0; i < 24; ++i) {
    watches.push_back(std::make_shared<Recording>());
    transport->start(get(server.url("/open")), watches.back(), {});
  }
  for (const auto& watch : watches) EXPECT_EQ(watch->await_body(5), "first");
  EXPECT_GE(server.accepted(), 3);
}

TEST(CurlHttp2, APausedStreamDoesNotHoldUpTheOthersForAWhile) {
  // 2 MiB arrive for a handler that has paused: less than is taken over from a shared connection.
  constexpr std::size_t kBacklog = std::size_t{2} << 20;
  Http2Server server([](const Http2Request& request) {
    return request.path == "/backlog" ? Http2Answer{.filler = kBacklog} : echo(request);
  });
  const auto transport = make_transport();
  std::atomic<bool> pausing{true};
  const auto slow = std::make_shared<Recording>(
      [&](std::string_view) { return pausing.load() ? Flow::Pause : Flow::Continue; });
  const auto exchange = transport->start(get(server.url("/backlog")), slow, {});
  slow->await_body(1);
  const std::size_t first = slow->body_size();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
  }
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(slow->body_size(), first) << "called while paused";
  pausing = false;
  exchange->resume();
  EXPECT_EQ(slow->await_end(), std::nullopt);
  EXPECT_EQ(slow->body_size(), kBacklog);
  EXPECT_EQ(slow->violations(), 0);
}

// Waits until the server has sent nothing for a while; on a busy machine it may send more later.
void await_stall(const LoopbackServer& server, const std::future<std::string>& other) {
  std::uint64_t before = 0;
  do {
    before = server.sent();
    (void)other.wait_for(50ms);
  } while (server.sent() != before);
}

TEST(CurlHttp2, AStreamThatStaysPausedHoldsItsServerBackAndLosesNothing) {
  Http2Server server(by_path);
  const auto transport = make_transport();
  std::atomic<bool> pausing{true};
  std::atomic<std::size_t> received{0};
  const auto handler = std::make_shared<Recording>([&](std::string_view chunk) {
    received.fetch_add(chunk.size());
    return pausing.load() ? Flow::Pause : Flow::Continue;
  });
  const auto exchange = transport->start(get(server.url("/flood")), handler, {});
  handler->await_body(1);
  // This one waits behind the flood, or overtakes it; either way it completes.
  auto other = std::async(std::launch::async, [&] {
    return body_or_error(round_trip(*transport, get(server.url("/x")), {}));
  });
  await_stall(server, other);
  EXPECT_LT(server.sent(), kFlood / 2);
  EXPECT_LT(received.load(), kFlood / 2);
  pausing = false;
  exchange->resume();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body_size(), kFlood);
  EXPECT_EQ(other.get(), "GET /x ");
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlHttp2, CancellingAPausedStreamFreesTheOthers) {
  Http2Server server(by_path);
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(get(server.url("/flood")), handler, {});
  handler->await_body(1);
  auto other = std::async(std::launch::async, [&] {
    return body_or_error(round_trip(*transport, get(server.url("/x")), {}));
  });
  await_stall(server, other);
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
  EXPECT_EQ(other.get(), "GET /x ");
}

TEST(CurlHttp2, PausesAfterEachChunkLoseNothing) {
  Http2Server server([](const Http2Request&) {
    Http2Answer answer;
    for (int i = 0; i < 200'000; ++i) answer.body += std::to_string(i) + ',';
    return answer;
  });
  const auto transport = make_transport();
  std::promise<std::shared_ptr<Exchange>> started;
  const auto exchange_of = started.get_future().share();
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    exchange_of.get()->resume();
    return Flow::Pause;
  });
  started.set_value(transport->start(get(server.url()), handler, {}));
  EXPECT_EQ(handler->await_end(), std::nullopt);
  std::string expected;
  for (int i = 0; i < 200'000; ++i) expected += std::to_string(i) + ',';
  EXPECT_EQ(handler->body(), expected);
}

TEST(CurlHttp2, AnUploadLargerThanTheWindowArrives) {
  Http2Server server([](const Http2Request& request) {
    return Http2Answer{.body = std::to_string(request.body.size())};
  });
  const auto transport = make_transport();
  HttpRequest post = get(server.url());
  post.method = "PUT";
  post.body.assign(3'000'000, 'u');
  EXPECT_EQ(body_or_error(round_trip(*transport, post, {})), "3000000");
}

TEST(CurlHttp2, ALostConnectionEndsEveryExchangeOnIt) {
  Http2Server server([](const Http2Request& request) {
    return request.path == "/cut" ? Http2Answer{.cut = true} : by_path(request);
  });
  const auto transport = make_transport();
  std::vector<std::shared_ptr<Recording>> watches;
  for (int i = 0; i < 10; ++i) {
    watches.push_back(std::make_shared<Recording>());
    transport->start(get(server.url("/open")), watches.back(), {});
  }
  for (const auto& watch : watches) watch->await_body(5);
  HttpRequest post = get(server.url("/cut"));
  post.method = "POST";
  post.body = "{}";
  EXPECT_EQ(code_of(round_trip(*transport, post, {})), ErrorCode::Unreachable);
  for (const auto& watch : watches) EXPECT_EQ(watch->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
}

TEST(CurlHttp2, AfterGoAwayTheOldStreamsFinishAndNewOnesConnectAnew) {
  Http2Server server([](const Http2Request& request) {
    return request.path == "/last" ? Http2Answer{.body = "last", .go_away = true}
                                   : by_path(request);
  });
  const auto transport = make_transport();
  const auto watch = std::make_shared<Recording>();
  transport->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/last")), {})), "last");
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
  EXPECT_EQ(server.accepted(), 2);
  EXPECT_FALSE(watch->ended());
}

TEST(CurlHttp2, ARefusedStreamIsTriedAgainOnAnotherConnection) {
  std::atomic<int> asked{0};
  Http2Server server([&](const Http2Request& request) {
    return asked.fetch_add(1) == 0 ? Http2Answer{.refuse = true} : echo(request);
  });
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/x")), {})), "GET /x ");
  EXPECT_EQ(asked.load(), 2);
}

TEST(CurlHttp2, RequestsThatWaitForAConnectionFailWithIt) {
  const auto transport = make_transport();
  const std::string url = "https://127.0.0.1:" + std::to_string(closed_port());
  std::vector<std::shared_ptr<Recording>> handlers;
  for (int i = 0; i < 20; ++i) {
    handlers.push_back(std::make_shared<Recording>());
    transport->start(get(url), handlers.back(), {});
  }
  for (const auto& handler : handlers) EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
}

// A fake time, in which a transport without pings waits for the timeouts of requests alone: the
// bound of a handshake, which stays behind when it ended in time, comes later.
class TimedHttp2 : public ::testing::Test {
 protected:
  // Starts the request, and lets its timeout pass once it is sent.
  std::shared_ptr<Recording> late(const HttpRequest& request, std::chrono::milliseconds timeout) {
    auto handler = std::make_shared<Recording>();
    transport_->start(request, handler, {});
    EXPECT_TRUE(clock_->await_deadline(clock_->now() + timeout));
    clock_->advance(timeout);
    return handler;
  }

  const std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
  const std::shared_ptr<CurlTransport> transport_ = make_transport(
      {.tls_handshake_timeout = 1h, .http2_read_idle_timeout = 0ms, .clock = clock_});
};

TEST_F(TimedHttp2, AConnectionThatFellSilentIsReplacedAfterATimeout) {
  Http2Server server([](const Http2Request& request) {
    return request.path == "/dead" ? Http2Answer{.silent = true} : by_path(request);
  });
  const auto watch = std::make_shared<Recording>();
  transport_->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  HttpRequest request = get(server.url("/dead"));
  request.timeout = 45s;
  EXPECT_EQ(late(request, 45s)->await_end(), ErrorCode::Timeout);
  // Nothing was heard on the connection for one and a half keep-alive periods.
  EXPECT_EQ(watch->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(body_or_error(round_trip(*transport_, get(server.url("/x")), {})), "GET /x ");
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(TimedHttp2, AConnectionThatAllowsNoStreamsAnyMoreIsLeftWhenAHeadDoesNotCome) {
  std::atomic<int> requests = 0;
  Http2Server server([&](const Http2Request& request) {
    Http2Answer answer = echo(request);
    if (requests++ == 0) answer.max_streams = 0;
    return answer;
  });
  EXPECT_EQ(body_or_error(round_trip(*transport_, get(server.url("/a")), {})), "GET /a ");
  HttpRequest request = get(server.url("/b"));
  request.head_timeout = 200ms;
  const auto refused = late(request, 200ms);
  EXPECT_EQ(refused->await_end(), ErrorCode::Timeout);
  EXPECT_THAT(refused->await_error(), HasSubstr("the response did not begin within 200 ms"));
  EXPECT_EQ(body_or_error(round_trip(*transport_, request, {})), "GET /b ");
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(TimedHttp2, ATimeoutOnAConnectionThatWasHeardLeavesItOpen) {
  Http2Server server(by_path);
  const auto watch = std::make_shared<Recording>();
  transport_->start(get(server.url("/open")), watch, {});
  EXPECT_EQ(watch->await_body(5), "first");
  HttpRequest request = get(server.url("/silent"));
  request.idle_timeout = 44s;
  EXPECT_EQ(late(request, 44s)->await_end(), ErrorCode::Timeout);
  EXPECT_EQ(body_or_error(round_trip(*transport_, get(server.url("/x")), {})), "GET /x ");
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_FALSE(watch->ended());
}

}  // namespace
}  // namespace kube::transport
