// SPDX-License-Identifier: Apache-2.0
//
// Connections: kept, shared, replaced, through a proxy or a Unix socket.
#include <atomic>
#include <future>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CurlTransportConnection, RequestsInARowUseOneConnection) {
  LoopbackServer server(always(answer("x")));
  const auto transport = make_transport();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(transport->stats().connections, 1U);
  EXPECT_EQ(transport->stats().requests, 20U);
  EXPECT_EQ(transport->stats().bytes_received, 20U);
  EXPECT_EQ(transport->stats().http2_responses, 0U);
}

TEST(CurlTransportConnection, TheSystemNoticesADeadPeerAfterOneAndAHalfPeriods) {
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

TEST(CurlTransportConnection, ManyExchangesShareOneThread) {
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

TEST(CurlTransportConnection, ManyThreadsMayUseOneTransport) {
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

TEST(CurlTransportConnection, ADeadReusedConnectionIsReplacedForAReadButAWriteIsNotRepeated) {
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

TEST(CurlTransportConnection, SpeaksThroughAUnixSocket) {
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

TEST(CurlTransportConnection, AProxyGetsTheWholeUrlOfPlainRequests) {
  std::string target;
  LoopbackServer proxy([&](Peer& peer) {
    target = peer.read_request()->target;
    peer.write(answer("through"));
  });
  const auto transport = make_transport({.proxy_url = proxy.url()});
  EXPECT_EQ(body_or_error(round_trip(*transport, get("http://api.invalid/x"), {})), "through");
  EXPECT_EQ(target, "http://api.invalid/x");
}

TEST(CurlTransportConnection, AProxyIsToldUserAndPasswordAsTheyAreWithoutEscapes) {
  std::string head;
  LoopbackServer proxy([&](Peer& peer) {
    head = peer.read_request()->head;
    peer.write(answer("through"));
  });
  const std::string port = std::to_string(proxy.port());
  const auto transport =
      make_transport({.proxy_url = "http://us%65r:p%40ss%2F:@127.0.0.1:" + port});
  EXPECT_EQ(body_or_error(round_trip(*transport, get("http://api.invalid/x"), {})), "through");
  EXPECT_THAT(head, HasSubstr("Proxy-Authorization: Basic dXNlcjpwQHNzLzo=\r\n"));
}

TEST(CurlTransportConnection, AProxyThatRefusesTheTunnelIsUnreachable) {
  LoopbackServer proxy(always("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport({.proxy_url = proxy.url()});
  const auto response = round_trip(*transport, get("https://api.invalid/"), {});
  EXPECT_EQ(code_of(response), ErrorCode::Unreachable) << error_text(response);
  EXPECT_THAT(error_text(response), HasSubstr("through the proxy " + proxy.url("") + ": "));
}

TEST(CurlTransportConnection, AProxyUrlThatMakesNoSenseIsAConfigErrorWithoutItsPassword) {
  const auto transport = CurlTransport::create({.proxy_url = "ftp://user:secret@proxy:21"});
  ASSERT_FALSE(transport);
  EXPECT_EQ(code_of(transport), ErrorCode::Config);
  EXPECT_THAT(error_text(transport), AllOf(HasSubstr("proxy:21"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace kube::transport
