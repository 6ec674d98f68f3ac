// SPDX-License-Identifier: Apache-2.0
//
// Requests through real proxies: HTTP, CONNECT and SOCKS5.
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/transport/curl_transport.hpp>
#include <kube/transport/exchange_failure.hpp>

#include "loopback_server.hpp"
#include "recording.hpp"
#include "socks_request.hpp"

namespace kube::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kOneAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none";

HttpRequest get_from(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

// Asks for the URL by a SOCKS proxy that sends all requests to the server.
struct BySocks {
  std::string answer;
  std::string target;  // what the proxy was asked for
};
BySocks get_by_socks(const LoopbackServer& server, std::string url, TlsConfig tls = {}) {
  BySocks out;
  LoopbackServer proxy([&](Peer& peer) {
    out.target = socks_target(peer);
    if (!out.target.empty()) peer.forward_to(server.port());
  });
  const auto transport =
      CurlTransport::create({.tls = std::move(tls),
                             .proxy_url = "socks5://127.0.0.1:" + std::to_string(proxy.port())})
          .value();
  out.answer = body_or_error(round_trip(*transport, get_from(std::move(url)), {}));
  return out;
}

TEST(CurlProxy, ASocksProxyResolvesTheNameOfTheServer) {
  const LoopbackServer server([](Peer& peer) {
    while (peer.read_request()) peer.write(kOneAnswer);
  });
  const BySocks got = get_by_socks(server, "http://cluster.invalid:80/x");
  EXPECT_EQ(got.answer, "one");
  EXPECT_EQ(got.target, "cluster.invalid:80");
}

TEST(CurlProxy, ASocksProxyResolvesTheNameOfAServerWithTls) {
  const TestAuthority authority("kube test CA");
  std::string name;
  const LoopbackServer server(
      [&](Peer& peer) {
        name = peer.server_name();
        while (peer.read_request()) peer.write(kOneAnswer);
      },
      {.tls = ServerTls{.certificate = authority.server({"cluster.invalid"})}});
  const TlsConfig tls{.ca = {.data = authority.certificate()}};
  const BySocks got = get_by_socks(server, "https://cluster.invalid:6443/x", tls);
  EXPECT_EQ(got.answer, "one");
  EXPECT_EQ(got.target, "cluster.invalid:6443");
  EXPECT_EQ(name, "cluster.invalid");
  // The certificate is the server's, which has no other name.
  EXPECT_THAT(get_by_socks(server, "https://other.invalid:6443/x", tls).answer,
              HasSubstr("other.invalid"));
}

TEST(CurlProxy, REST_31_AnHttpProxyGetsTheAbsoluteUrl) {
  std::string line;
  LoopbackServer proxy([&](Peer& peer) {
    while (const auto request = peer.read_request()) {
      line = request->method + " " + request->target;
      peer.write(kOneAnswer);
    }
  });
  const auto transport =
      CurlTransport::create({.proxy_url = "http://127.0.0.1:" + std::to_string(proxy.port())})
          .value();
  EXPECT_EQ(
      body_or_error(round_trip(*transport, get_from("http://cluster.invalid/api/v1?a=b"), {})),
      "one");
  EXPECT_EQ(line, "GET http://cluster.invalid/api/v1?a=b");
}

TEST(CurlProxy, AnHttpProxyMakesATunnelForHttps) {
  const TestAuthority authority("kube test CA");
  LoopbackServer server(
      [](Peer& peer) {
        while (peer.read_request()) peer.write(kOneAnswer);
      },
      {.tls = ServerTls{.certificate = authority.server({"cluster.invalid"})}});
  std::string head;
  LoopbackServer proxy([&](Peer& peer) {
    const auto request = peer.read_request();
    if (!request) return;
    head = request->head;
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.forward_to(server.port());
  });
  const auto transport = CurlTransport::create({.tls = {.ca = {.data = authority.certificate()}},
                                                .proxy_url = "http://me:secret@127.0.0.1:" +
                                                             std::to_string(proxy.port())})
                             .value();
  HttpRequest request = get_from("https://cluster.invalid:6443/x");
  request.headers.add("Authorization", "Bearer of-the-server");
  EXPECT_EQ(body_or_error(round_trip(*transport, request, {})), "one");
  EXPECT_THAT(head, StartsWith("CONNECT cluster.invalid:6443 HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("of-the-server")));
}

// The error of a request for the URL by a proxy that responds so.
Error refused_by_proxy(const std::string& scheme, const LoopbackServer::Script& script) {
  LoopbackServer proxy(script);
  const auto transport =
      CurlTransport::create({.proxy_url = scheme + "://127.0.0.1:" + std::to_string(proxy.port())})
          .value();
  HttpRequest request = get_from("https://cluster.invalid:6443/x");
  request.method = "DELETE";
  const auto response = round_trip(*transport, request, {});
  EXPECT_FALSE(response);
  return response ? Error(ErrorCode::Internal, "none") : response.error();
}

TEST(CurlProxy, WhatAProxyRefusesIsSaidAndNothingWasSent) {
  struct Case {
    std::string bytes;
    std::string words;
  };
  for (const Case& c :
       {Case{"HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n",
             "the proxy wants a user and a password (status 407)"},
        Case{"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "it responded with status 503"},
        Case{"SSH-2.0-OpenSSH_9.2\r\n", "the response of the proxy to CONNECT is not HTTP"}}) {
    const Error error = refused_by_proxy("http", [&](Peer& peer) {
      peer.read_request();
      peer.write(c.bytes);
      peer.drain();
    });
    EXPECT_EQ(error.code(), ErrorCode::Unreachable) << c.words;
    EXPECT_THAT(error.to_string(), HasSubstr(c.words));
    EXPECT_EQ(exchange_failure(error), ExchangeFailure::NoConnection) << c.words;
  }
  // A proxy that goes away has refused nothing.
  const Error lost = refused_by_proxy("http", [](Peer& peer) { peer.read_request(); });
  EXPECT_EQ(exchange_failure(lost), ExchangeFailure::LostBeforeRequest) << lost.to_string();
}

TEST(CurlProxy, WhatASocksProxyRefusesIsSaid) {
  for (const auto& [reply, words] :
       {std::pair('\x01', "has failed"), std::pair('\x02', "do not allow this connection"),
        std::pair('\x04', "can't reach the server"),
        std::pair('\x05', "the server refused the connection of the SOCKS proxy")}) {
    const Error error = refused_by_proxy("socks5", [code = reply](Peer& peer) {
      (void)socks_target(peer, code);
      peer.drain();
    });
    EXPECT_THAT(error.to_string(), HasSubstr(words));
    EXPECT_EQ(exchange_failure(error), ExchangeFailure::NoConnection) << words;
  }
}

}  // namespace
}  // namespace kube::transport
