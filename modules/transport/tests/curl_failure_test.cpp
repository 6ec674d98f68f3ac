// SPDX-License-Identifier: Apache-2.0
//
// Ends that the network brings about: time limits, nobody there, answers that make no sense.
#include <atomic>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/fake_clock.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using testing::eventually;
using testing::FakeClock;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CurlTransportFailure, TheWholeTimeoutCountsFromTheStart) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    while (peer.write(chunk("tick"))) {
    }
  });
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  HttpRequest request = get(server.url());
  request.timeout = 100ms;
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  handler->await_body(1);
  clock->advance(99ms);
  handler->await_body(handler->body_size() + 1);
  EXPECT_FALSE(handler->ended());
  clock->advance(1ms);
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout);
  EXPECT_THAT(handler->await_error(), HasSubstr("100 ms"));
}

TEST(CurlTransportFailure, AHeaderLineBeyondAllMeasureIsTheServersFault) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.1 200 OK\r\nX-Long: " + std::string(1 << 20, 'a') + "\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("header line of more than 100 KB"));
}

// Reads the request, and sends `begin` and then `piece` until the client has gone.
LoopbackServer::Script without_end(std::string begin, std::string piece) {
  return [=](Peer& peer) {
    peer.read_request();
    peer.write(begin);
    while (peer.write(piece)) {
    }
  };
}

TEST(CurlTransportFailure, AnAnswerWhoseTrailersNeverEndIsCutOff) {
  LoopbackServer server(without_end(std::string(kChunkedHead) + chunk("{}") + "0\r\n",
                                    "X-More: " + std::string(1000, 'm') + "\r\n"));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("more than 64 KiB of trailers"));
  EXPECT_EQ(handler->body(), "{}");
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlTransportFailure, ATrailerLineThatNeverEndsIsCutOff) {
  LoopbackServer server(without_end(std::string(kChunkedHead) + chunk("{}") + "0\r\nX-Long: ",
                                    std::string(4096, 'l')));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("one of its trailers has more than 4 KB"));
}

TEST(CurlTransportFailure, TrailersOfAFewKilobytesAreIgnored) {
  std::string bytes = std::string(kChunkedHead) + chunk("{}") + "0\r\n";
  for (int i = 0; i < 60; ++i) bytes += "X-More: " + std::string(1000, 'm') + "\r\n";
  LoopbackServer server(always(bytes + "\r\n"));
  const auto transport = make_transport();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url()), {})), "{}");
  }
  EXPECT_EQ(server.accepted(), 1);
}

// Lets the time pass in steps, between which the server sends more.
void pass_while_it_sends(std::chrono::milliseconds time, FakeClock& clock,
                         const LoopbackServer& server) {
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = server.sent();
    EXPECT_TRUE(eventually([&] { return server.sent() > before; }));
    clock.advance(time / 10);
  }
}

TEST(CurlTransportFailure, TrailersAreSilenceToTheIdleTimeout) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(std::string(kChunkedHead) + chunk("{}") + "0\r\n");
    // A hundred seconds of them stay below what may come.
    while (peer.write("X: m\r\n") && !peer.stirs_within(10ms)) {
    }
  });
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  HttpRequest request = get(server.url());
  request.idle_timeout = 300ms;
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  EXPECT_EQ(handler->await_body(2), "{}");
  pass_while_it_sends(300ms, *clock, server);
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout) << handler->await_error();
}

TEST(CurlTransportFailure, AChunkExtensionIsSilenceToTheIdleTimeout) {
  LoopbackServer server(
      without_end(std::string(kChunkedHead) + "2;a=", std::string(std::size_t{64} << 10, 'b')));
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  HttpRequest request = get(server.url());
  request.idle_timeout = 300ms;
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  EXPECT_TRUE(handler->await_head());
  pass_while_it_sends(300ms, *clock, server);
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout) << handler->await_error();
}

TEST(CurlTransportFailure, InterimAnswersWithoutEndAreCutOff) {
  LoopbackServer server(without_end("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("more than 128 KiB of headers"));
}

TEST(CurlTransportFailure, HeaderLinesWithoutEndAreCutOff) {
  LoopbackServer server(without_end("HTTP/1.1 200 OK\r\n", "A: b\r\n"));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("more than 128 KiB of headers"));
}

TEST(CurlTransportFailure, TheIdleTimeoutEndsASilentStream) {
  LoopbackServer server([](Peer& peer) {
    if (peer.read_request()->target == "/other") {
      peer.write(answer("other"));
    } else {
      peer.write(std::string(kChunkedHead) + chunk("last words"));
    }
    peer.await_close();
  });
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  HttpRequest request = get(server.url());
  request.idle_timeout = 100ms;
  const auto handler = std::make_shared<Recording>();
  transport->start(request, handler, {});
  EXPECT_EQ(handler->await_body(10), "last words");
  clock->advance(99ms);
  // The I/O thread has seen that time when it answers this.
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/other")), {})), "other");
  EXPECT_FALSE(handler->ended());
  clock->advance(1ms);
  EXPECT_EQ(handler->await_end(), ErrorCode::Timeout);
}

TEST(CurlTransportFailure, TheIdleTimeoutSparesAPausedStream) {
  LoopbackServer server([](Peer& peer) {
    const auto request = peer.read_request();
    peer.write(kChunkedHead);
    if (request->target == "/paused") peer.write(chunk("x"));
    peer.await_close();
  });
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  HttpRequest request = get(server.url("/paused"));
  request.idle_timeout = 300ms;
  const auto paused = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(request, paused, {});
  EXPECT_EQ(paused->await_body(1), "x");
  // Both are silent from the same moment; the one that nobody paused is ended.
  request.url = server.url("/silent");
  const auto silent = std::make_shared<Recording>();
  transport->start(request, silent, {});
  EXPECT_TRUE(silent->await_head());
  clock->advance(300ms);
  EXPECT_EQ(silent->await_end(), ErrorCode::Timeout);
  EXPECT_FALSE(paused->ended());
  exchange->cancel();
  EXPECT_EQ(paused->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransportFailure, NothingListensIsUnreachable) {
  const auto transport = make_transport();
  const std::string port = std::to_string(closed_port());
  const Result<HttpResponse> response =
      round_trip(*transport, get("http://127.0.0.1:" + port + "/api?token=secret"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
  EXPECT_THAT(error_text(response), AllOf(StartsWith("GET http://127.0.0.1:" + port + "/api: "),
                                          HasSubstr("refused"), Not(HasSubstr("secret"))));
}

TEST(CurlTransportFailure, ANameThatDoesNotExistIsUnreachable) {
  const auto transport = make_transport();
  const auto response = round_trip(*transport, get("http://no-such-host.invalid/"), {});
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable);
}

TEST(CurlTransportFailure, TRN_43_AHandshakeHasABoundOfItsOwnAfterTheDial) {
  const CurlTransport::Options defaults;
  EXPECT_EQ(defaults.connect_timeout, 30s);
  EXPECT_EQ(defaults.keep_alive, 30s);
  EXPECT_EQ(defaults.tls_handshake_timeout, 10s);

  LoopbackServer silent([](Peer& peer) { peer.await_close(); });
  const std::string url = "https://127.0.0.1:" + std::to_string(silent.port());
  const auto clock = std::make_shared<FakeClock>();
  const auto transport = make_transport({.clock = clock});
  const auto handler = std::make_shared<Recording>();
  transport->start(get(url), handler, {});
  ASSERT_TRUE(clock->await_deadline(clock->now() + 10s)) << "the connection has been made";
  clock->advance(10s);
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("the TLS handshake was not complete after 10 s"));
  EXPECT_EQ(silent.accepted(), 1);
}

TEST(CurlTransportFailure, AHandshakeThatIsTooSlowIsNoConnection) {
  LoopbackServer silent([](Peer& peer) { peer.await_close(); });
  const auto transport = make_transport({.tls_handshake_timeout = 10ms});
  const auto response =
      round_trip(*transport, get("https://127.0.0.1:" + std::to_string(silent.port()) + "/"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(exchange_failure(response.error()), ExchangeFailure::NoConnection);
}

// The dial's bound is libcurl's, which counts real time and has no clock of the test: that it has
// passed without an effect is nothing that a test could wait for.
TEST(CurlTransportFailure, TheDialsBoundDoesNotEndAHandshake) {
  LoopbackServer silent([](Peer& peer) { peer.await_close(); });
  const std::string url = "https://127.0.0.1:" + std::to_string(silent.port());
  const std::string expected = "the TLS handshake was not complete";
  std::string error;
  // On a busy machine the dial may take longer than its bound.
  for (auto dial = 50ms; dial < testing::kPatience && error.find(expected) == std::string::npos;
       dial *= 4) {
    const auto transport =
        make_transport({.connect_timeout = dial, .tls_handshake_timeout = 4 * dial});
    error = error_text(round_trip(*transport, get(url), {}));
  }
  EXPECT_THAT(error, HasSubstr(expected));
}

TEST(CurlTransportFailure, AHandshakeInTimeLeavesNoBoundBehind) {
  const TestAuthority authority("kube test CA");
  std::promise<void> asked;
  std::promise<void> go_on;
  LoopbackServer server(
      [&](Peer& peer) {
        while (const auto request = peer.read_request()) {
          if (request->target == "/late") {
            asked.set_value();
            go_on.get_future().wait();
          }
          peer.write(answer("x"));
        }
      },
      {.tls = ServerTls{.certificate = authority.server({"127.0.0.1"})}});
  const auto clock = std::make_shared<FakeClock>();
  const auto transport =
      make_transport({.tls = {.ca = {.data = authority.certificate()}}, .clock = clock});
  const auto late = std::make_shared<Recording>();
  transport->start(get(server.url("/late")), late, {});
  asked.get_future().wait();
  clock->advance(11s);
  // The I/O thread has seen that time when it answers this.
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url("/other")), {})), "x");
  go_on.set_value();
  EXPECT_EQ(late->await_end(), std::nullopt) << late->await_error();
}

// libcurl takes another connection when the one of an earlier request breaks.
TEST(CurlTransportFailure, TRN_43_TheHandshakeOfASecondConnectionHasTheBoundToo) {
  const TestAuthority authority("kube test CA");
  LoopbackServer server(
      [](Peer& peer) {
        peer.read_request();
        peer.write(answer("x"));
        peer.read_request();
      },
      {.tls = ServerTls{.certificate = authority.server({"127.0.0.1"})}});
  std::atomic<int> connections{0};
  LoopbackServer front([&](Peer& peer) {
    if (++connections == 1) return peer.forward_to(server.port());
    peer.await_close();
  });
  const std::string url = "https://127.0.0.1:" + std::to_string(front.port());
  const auto clock = std::make_shared<FakeClock>();
  const auto transport =
      make_transport({.tls = {.ca = {.data = authority.certificate()}}, .clock = clock});
  EXPECT_EQ(body_or_error(round_trip(*transport, get(url), {})), "x");
  clock->advance(1s);  // so that the two handshakes have not the same bound
  const auto handler = std::make_shared<Recording>();
  transport->start(get(url), handler, {});
  ASSERT_TRUE(clock->await_deadline(clock->now() + 10s)) << "the connection has been made";
  clock->advance(10s);
  EXPECT_EQ(handler->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(handler->await_error(), HasSubstr("the TLS handshake was not complete after 10 s"));
  EXPECT_TRUE(eventually([&] { return connections == 2; }));
}

// As above in real time, which decides when this test ends and not how.
TEST(CurlTransportFailure, ThroughAProxyTheDialsBoundIsThatOfTheHandshakeToo) {
  LoopbackServer proxy([](Peer& peer) {
    (void)peer.read_request();
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport(
      {.proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port()), .connect_timeout = 100ms});
  const auto response = round_trip(*transport, get("https://cluster.invalid/"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(exchange_failure(response.error()), ExchangeFailure::NoConnection);
}

std::optional<ExchangeFailure> how_far(const std::string& url, const std::string& body = {}) {
  const auto transport = make_transport();
  HttpRequest request = get(url);
  if (!body.empty()) request.method = "POST";
  request.body = body;
  const auto response = round_trip(*transport, request, {});
  return response ? std::nullopt : exchange_failure(response.error());
}

TEST(CurlTransportFailure, AnErrorSaysHowFarTheRequestHadCome) {
  const std::string port = std::to_string(closed_port());
  EXPECT_EQ(how_far("http://127.0.0.1:" + port + "/"), ExchangeFailure::NoConnection);
  EXPECT_EQ(how_far("http://eof.http2.reset.invalid/"), ExchangeFailure::NoConnection);

  LoopbackServer closing([](Peer& peer) { peer.read_request(); });
  EXPECT_EQ(how_far(closing.url()), ExchangeFailure::LostAfterRequest);
  EXPECT_EQ(how_far(closing.url(), "{}"), ExchangeFailure::LostAfterRequest);

  LoopbackServer resetting([](Peer& peer) {
    (void)peer.read_some();
    peer.reset();
  });
  EXPECT_EQ(how_far("https://127.0.0.1:" + std::to_string(resetting.port()) + "/", "{}"),
            ExchangeFailure::LostBeforeRequest);

  LoopbackServer other([](Peer& peer) {
    peer.read_request();
    peer.write("SSH-2.0-OpenSSH_9.2\r\n");
  });
  EXPECT_EQ(how_far(other.url(), "{}"), ExchangeFailure::BadResponse);

  LoopbackServer garbage(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"));
  EXPECT_EQ(how_far(garbage.url(), "{}"), ExchangeFailure::BadResponse);

  LoopbackServer no_gzip(
      always("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"));
  EXPECT_EQ(how_far(no_gzip.url(), "{}"), ExchangeFailure::BadResponse)
      << "a Decode error of a request that was sent";
}

TEST(CurlTransportFailure, AnErrorNamesTheHostThatRefusesAndNoProxyThatDoes) {
  const auto refused = [](const std::string& url, CurlTransport::Options options = {}) {
    const auto response = round_trip(*make_transport(std::move(options)), get(url), {});
    return response ? "a response" : refusing_host(response.error());
  };
  const std::string port = std::to_string(closed_port());
  EXPECT_EQ(refused("http://127.0.0.1:" + port + "/x"), "127.0.0.1:" + port);
  EXPECT_EQ(refused("https://127.0.0.1:" + port + "/x"), "127.0.0.1:" + port);
  EXPECT_EQ(refused("http://h.invalid/"), "");
  EXPECT_EQ(refused("http://h.invalid/", {.proxy_url = "http://127.0.0.1:" + port}), "");
  EXPECT_EQ(refused("http://localhost/", {.unix_socket = "/nowhere/kube.sock"}), "");
  LoopbackServer closing([](Peer& peer) { peer.read_request(); });
  EXPECT_EQ(refused(closing.url()), "");
}

TEST(CurlTransportFailure, AServerOfAnotherProtocolIsNamed) {
  LoopbackServer server([](Peer& peer) {
    (void)peer.read_some();
    peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    peer.drain();
  });
  const auto transport = make_transport();
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/";
  EXPECT_THAT(error_text(round_trip(*transport, get(url), {})),
              AllOf(HasSubstr("seems to speak plain HTTP: "), HasSubstr("wrong version number")));
  LoopbackServer other([](Peer& peer) {
    peer.read_request();
    peer.write("SSH-2.0-OpenSSH_9.2\r\n");
  });
  EXPECT_THAT(error_text(round_trip(*transport, get(other.url()), {})),
              HasSubstr("the response is not HTTP: "));
}

TEST(CurlTransportFailure, AnErrorNamesTheUnixSocketAndNoPort) {
  const std::string path = "/nowhere/kube.sock";
  const auto transport = make_transport({.unix_socket = path});
  EXPECT_EQ(error_text(round_trip(*transport, get("http://localhost/api"), {})),
            "GET http://localhost/api: through the unix socket " + path +
                ": can't connect: No such file or directory");
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

}  // namespace
}  // namespace kube::transport
