// SPDX-License-Identifier: Apache-2.0
//
// Which connections are used again, and which peers are trusted without a CA.
#include <atomic>
#include <future>
#include <latch>
#include <vector>

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

const TestAuthority& reuse_authority() {
  static const TestAuthority one("kube test CA");
  return one;
}

HttpRequest get_reused(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

// The connections of two requests, then of one that times out, and then of another.
std::vector<int> connections_of_requests(LoopbackServer& server) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto transport =
      CurlTransport::create(
          {.tls = {.ca = {.data = reuse_authority().certificate()}}, .clock = clock})
          .value();
  std::vector<int> connections;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(body_or_error(round_trip(*transport, get_reused(server.url("/x")), {})), "one");
  }
  connections.push_back(server.accepted());
  HttpRequest silent = get_reused(server.url("/silent"));
  silent.timeout = 5s;
  const auto late = std::make_shared<Recording>();
  transport->start(silent, late, {});
  EXPECT_TRUE(clock->await_deadline(clock->now() + 5s)) << "it has been sent";
  clock->advance(5s);
  EXPECT_EQ(late->await_end(), ErrorCode::Timeout);
  EXPECT_EQ(body_or_error(round_trip(*transport, get_reused(server.url("/x")), {})), "one");
  connections.push_back(server.accepted());
  return connections;
}

TEST(CurlReuse, REST_25_ConnectionsAreUsedAgainAfterATimeoutOnlyWithHttp2) {
  LoopbackServer one([](Peer& peer) {
    while (const auto request = peer.read_request()) {
      if (request->target == "/silent") return peer.await_close();
      peer.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
    }
  });
  EXPECT_THAT(connections_of_requests(one), ::testing::ElementsAre(1, 2));
  LoopbackServer two(
      http2([](const Http2Request& request) {
        return request.path == "/silent" ? Http2Answer{.silent = true} : Http2Answer{.body = "one"};
      }),
      {.tls =
           ServerTls{.certificate = reuse_authority().server({"127.0.0.1"}), .protocols = {"h2"}}});
  EXPECT_THAT(connections_of_requests(two), ::testing::ElementsAre(1, 1));
}

TEST(CurlReuse, TRN_43_AtMost25IdleConnectionsAreKept) {
  constexpr int kRequests = 28;
  std::latch all(kRequests);
  std::atomic<int> closed{0};
  LoopbackServer server([&](Peer& peer) {
    if (!peer.read_request()) return;
    all.arrive_and_wait();  // so that none is used twice
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none");
    (void)peer.read_request();
    ++closed;
  });
  const auto transport = CurlTransport::create({}).value();
  std::vector<std::shared_ptr<Recording>> responses;
  for (int i = 0; i < kRequests; ++i) {
    responses.push_back(std::make_shared<Recording>());
    transport->start(get_reused(server.url()), responses.back(), {});
  }
  for (const auto& response : responses) EXPECT_EQ(response->await_end(), std::nullopt);
  EXPECT_TRUE(testing::eventually([&] { return closed == kRequests - 25; })) << closed;
}

TEST(CurlReuse, TRN_02_TheSystemsRootsVerifyUnlessTheFlagSaysOtherwise) {
  std::promise<std::string> name;
  LoopbackServer server(
      [&](Peer& peer) {
        name.set_value(peer.server_name());
        while (peer.read_request()) peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      },
      {.tls = ServerTls{.certificate = reuse_authority().server({"kubernetes"})}});
  // The name is asked for and verified, against roots that do not have the test's authority.
  const auto named = CurlTransport::create({.tls = {.server_name = "kubernetes"}}).value();
  EXPECT_EQ(code_of(round_trip(*named, get_reused(server.url()), {})), ErrorCode::Credentials);
  const auto insecure =
      CurlTransport::create({.tls = {.server_name = "kubernetes", .insecure_skip_verify = true}})
          .value();
  EXPECT_TRUE(round_trip(*insecure, get_reused(server.url()), {}));
  EXPECT_EQ(name.get_future().get(), "kubernetes");
}

}  // namespace
}  // namespace kube::transport
