// SPDX-License-Identifier: Apache-2.0
//
// Connections that switch to another protocol, against a server that does what a script says.
#include <kube/transport/curl_transport.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"
#include "test_pki.hpp"

namespace kube::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSwitching =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

/// Counts on_written() besides what Recording notes.
class UpgradeRecording final : public ResponseHandler {
 public:
  void on_head(ResponseHead head) override { recording.on_head(std::move(head)); }
  Flow on_data(std::string_view chunk) override { return recording.on_data(chunk); }
  void on_end(Result<void> result) override { recording.on_end(std::move(result)); }
  void on_written() override { ++written; }

  Recording recording;
  std::atomic<int> written{0};
};

HttpRequest upgrade_request(const LoopbackServer& server) {
  return {.url = server.url("/exec"), .upgrade = "websocket"};
}

// Reads until `size` bytes of the upgraded connection came.
std::string read_exactly(Peer& peer, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const std::string some = peer.read_some();
    if (some.empty()) break;
    bytes += some;
  }
  return bytes;
}

TEST(CurlUpgrade, BytesGoBothWaysAfterTheHead) {
  std::string head;
  LoopbackServer server([&](Peer& peer) {
    head = peer.read_request()->head;
    peer.write(std::string(kSwitching) + "hello");
    peer.write("<" + read_exactly(peer, 10) + ">");
    peer.end();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  exchange->write("first");  // before the head has arrived
  EXPECT_EQ(handler->recording.await_body(5), "hello");
  exchange->write("then!");
  EXPECT_EQ(handler->recording.await_body(17), "hello<firstthen!>");
  EXPECT_EQ(handler->recording.await_head()->status, 101);
  EXPECT_GE(handler->written.load(), 1);
  exchange->cancel();
  EXPECT_EQ(handler->recording.violations(), 0);
  EXPECT_THAT(head, HasSubstr("Connection: Upgrade\r\n"));
  EXPECT_THAT(head, HasSubstr("Upgrade: websocket\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(head, Not(HasSubstr("Accept-Encoding")));
}

TEST(CurlUpgrade, WorksOverTlsWhereHttp2IsOffered) {
  const TestAuthority authority("upgrades");
  std::string alpn;
  LoopbackServer server(
      [&](Peer& peer) {
        (void)peer.read_request();
        alpn = peer.alpn();
        peer.write(kSwitching);
        peer.write(read_exactly(peer, 200'000));
        peer.end();
      },
      {.tls = ServerTls{.certificate = authority.server({"127.0.0.1"}),
                        .protocols = {"h2", "http/1.1"}}});
  CurlTransport::Options options;
  options.tls.ca.data = authority.certificate();
  const auto transport = make_transport(std::move(options));
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  const std::string sent(200'000, 'x');
  exchange->write(sent);
  EXPECT_EQ(handler->recording.await_body(sent.size()), sent);
  EXPECT_EQ(alpn, "http/1.1");
  exchange->cancel();
}

TEST(CurlUpgrade, ARefusalIsAResponseLikeAnyOther) {
  for (const std::string status : {"200 OK", "302 Found", "403 Forbidden"}) {
    LoopbackServer server([&](Peer& peer) {
      (void)peer.read_request();
      peer.write("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nno");
      peer.await_close();
    });
    const auto transport = make_transport();
    const auto handler = std::make_shared<UpgradeRecording>();
    const auto exchange = transport->start(upgrade_request(server), handler, {});
    exchange->write("dropped");
    EXPECT_EQ(handler->recording.await_end(), std::nullopt) << status;
    EXPECT_EQ(handler->recording.body(), "no") << status;
    exchange->write("after the end");
  }
}

TEST(CurlUpgrade, TheEndOfThePeerIsTheEnd) {
  LoopbackServer server([&](Peer& peer) {
    (void)peer.read_request();
    peer.write(kSwitching);
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  EXPECT_EQ(handler->recording.await_error(), "no error");
}

// A command such as `head -c 3` ends while its input is sent; a close with bytes unread is a reset.
TEST(CurlUpgrade, WhatThePeerHasSentIsReadThoughItTakesNoMore) {
  const TestAuthority authority("upgrades");
  const std::string output(40'000, 'o');
  LoopbackServer server(
      [&](Peer& peer) {
        (void)peer.read_request();
        peer.write(kSwitching);
        (void)peer.read_some();
        for (int i = 0; i < 10; ++i) peer.write(std::string_view(output).substr(0, 4'000));
      },
      {.tls = ServerTls{.certificate = authority.server({"127.0.0.1"})}});
  CurlTransport::Options options;
  options.tls.ca.data = authority.certificate();
  const auto transport = make_transport(std::move(options));
  for (int round = 0; round < 20; ++round) {
    const auto handler = std::make_shared<UpgradeRecording>();
    const auto exchange = transport->start(upgrade_request(server), handler, {});
    exchange->write(std::string(std::size_t{8} << 20, 'i'));
    (void)handler->recording.await_end();
    EXPECT_EQ(handler->recording.body(), output) << "round " << round;
  }
}

TEST(CurlUpgrade, WorksThroughAProxy) {
  LoopbackServer server([&](Peer& peer) {
    (void)peer.read_request();
    peer.write(kSwitching);
    peer.write(read_exactly(peer, 2));
  });
  std::string target;
  LoopbackServer proxy([&](Peer& peer) {
    target = peer.read_request()->target;
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.forward_to(server.port());
  });
  const auto transport = make_transport({.proxy_url = proxy.url()});
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  exchange->write("ab");
  EXPECT_EQ(handler->recording.await_error(), "no error");
  EXPECT_EQ(handler->recording.body(), "ab");
  EXPECT_EQ(target, "127.0.0.1:" + std::to_string(server.port()));
}

TEST(CurlUpgrade, WorksOnAUnixSocket) {
  const std::string path = ::testing::TempDir() + "upgrade-" + std::to_string(::getpid());
  ::unlink(path.c_str());
  LoopbackServer server(
      [&](Peer& peer) {
        (void)peer.read_request();
        peer.write(kSwitching);
        peer.write(read_exactly(peer, 2));
      },
      {.unix_socket = path});
  const auto transport = make_transport({.unix_socket = path});
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  exchange->write("ab");
  EXPECT_EQ(handler->recording.await_error(), "no error");
  EXPECT_EQ(handler->recording.body(), "ab");
}

TEST(CurlUpgrade, APausedReaderStopsThePeerAndWritesGoOn) {
  LoopbackServer server([&](Peer& peer) {
    (void)peer.read_request();
    peer.write(kSwitching);
    peer.write("pause");
    peer.write("[" + read_exactly(peer, 4) + "]");
    peer.end();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  EXPECT_EQ(handler->await_body(5), "pause");
  exchange->write("more");
  exchange->resume();
  EXPECT_EQ(handler->await_body(11), "pause[more]");
  exchange->cancel();
}

TEST(CurlUpgrade, ACancelEndsIt) {
  LoopbackServer server([&](Peer& peer) {
    (void)peer.read_request();
    peer.write(kSwitching);
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<UpgradeRecording>();
  const auto exchange = transport->start(upgrade_request(server), handler, {});
  EXPECT_EQ(handler->recording.await_head()->status, 101);
  exchange->cancel();
  EXPECT_EQ(handler->recording.await_end(), ErrorCode::Cancelled);
}

TEST(CurlUpgrade, ABodyOrAProtocolThatIsNoTokenIsRefused) {
  const auto transport = make_transport();
  for (const HttpRequest& request :
       {HttpRequest{.url = "http://127.0.0.1:1/", .body = "x", .upgrade = "websocket"},
        HttpRequest{.url = "http://127.0.0.1:1/", .upgrade = "web\r\nsocket"}}) {
    const auto handler = std::make_shared<UpgradeRecording>();
    transport->start(request, handler, {});
    EXPECT_EQ(handler->recording.await_end(), ErrorCode::InvalidArgument);
  }
}

}  // namespace
}  // namespace kube::transport
