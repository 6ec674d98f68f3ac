// SPDX-License-Identifier: Apache-2.0
//
// WebSocket connections against Boost.Beast's server.
#include <kube/transport/websocket.hpp>

#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/transport/curl_transport.hpp>

#include "recording.hpp"
#include "websocket_frames.hpp"
#include "websocket_server.hpp"

namespace kube::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SocketRecording final : public WebSocketHandler {
 public:
  explicit SocketRecording(Flow flow = Flow::Continue) : flow_(flow) {}

  /// Before the next message.
  void respond_with(Flow flow) { flow_ = flow; }

  void on_open(std::string_view protocol) override {
    set([&] { protocol_ = protocol; });
  }
  Flow on_message(std::string_view message) override {
    set([&] { messages_.emplace_back(message); });
    return flow_;
  }
  void on_end(Result<void> result) override {
    set([&] { end_ = std::move(result); });
  }

  std::optional<std::string> await_open() {
    wait([this] { return protocol_ || end_; });
    return protocol_;
  }
  std::vector<std::string> await_messages(std::size_t count) {
    wait([this, count] { return messages_.size() >= count || end_; });
    const std::lock_guard lock(mutex_);
    return messages_;
  }
  /// "no error" for a normal end.
  std::string await_end() {
    wait([this] { return end_.has_value(); });
    const std::lock_guard lock(mutex_);
    return end_ ? error_text(*end_) : "did not end";
  }

 private:
  template <class Change>
  void set(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  template <class Ready>
  void wait(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, testing::kPatience, ready);
  }

  Flow flow_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> protocol_;
  std::vector<std::string> messages_;
  std::optional<Result<void>> end_;
};

/// A connection of a CurlTransport to a server.
struct Connection {
  explicit Connection(const WebSocketServer& server, WebSocket::Options options = {},
                      Flow flow = Flow::Continue)
      : handler(std::make_shared<SocketRecording>(flow)) {
    if (options.protocols.empty()) options.protocols = {"v5.channel.k8s.io"};
    socket = std::make_shared<WebSocket>(std::move(options), handler, pool);
    HttpRequest request{
        .url = server.url("/exec"), .headers = socket->handshake_headers(), .upgrade = "websocket"};
    request.headers.add("Authorization", "Bearer t");
    socket->attach(transport->start(std::move(request), socket, {}));
  }
  ~Connection() { socket->cancel(); }

  std::shared_ptr<ThreadPool> pool = std::make_shared<ThreadPool>();
  std::shared_ptr<CurlTransport> transport = CurlTransport::create({}).value();
  std::shared_ptr<SocketRecording> handler;
  std::shared_ptr<WebSocket> socket;
};

WebSocketServer::Options speaks(std::vector<std::string> protocols) {
  return {.protocols = std::move(protocols)};
}

TEST(WebSocket, TRN_46_TheServerChoosesOneOfTheOfferedProtocols) {
  std::promise<std::pair<std::string, std::string>> seen;
  WebSocketServer server(speaks({"v4.channel.k8s.io"}), [&](WebSocketPeer& peer) {
    seen.set_value({peer.offered(), peer.authorization()});
    (void)peer.read();
  });
  Connection connection(server, {.protocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"}});
  EXPECT_EQ(connection.handler->await_open(), "v4.channel.k8s.io");
  const auto [offered, authorization] = seen.get_future().get();
  EXPECT_EQ(offered, "v5.channel.k8s.io, v4.channel.k8s.io");
  EXPECT_EQ(authorization, "Bearer t");
}

TEST(WebSocket, MessagesOfAnySizeGoBothWays) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [](WebSocketPeer& peer) {
    while (const auto message = peer.read()) peer.write(*message);
  });
  Connection connection(server);
  std::vector<std::string> sent;
  for (const std::size_t size : {0U, 1U, 125U, 126U, 65'535U, 65'536U, 3'000'000U}) {
    sent.emplace_back(size, static_cast<char>('a' + sent.size()));
    connection.socket->send(sent.back());
  }
  EXPECT_EQ(connection.handler->await_messages(sent.size()), sent);
  connection.socket->close();
  EXPECT_EQ(connection.handler->await_end(), "no error");
}

TEST(WebSocket, PingsOfThePeerAreAnswered) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [](WebSocketPeer& peer) {
    peer.ping();
    const auto message = peer.read();  // handles the pong on its way
    peer.write(message.value_or("none"));
    (void)peer.read();
  });
  Connection connection(server);
  ASSERT_TRUE(connection.handler->await_open());
  connection.socket->send("after the ping");
  EXPECT_THAT(connection.handler->await_messages(1), ElementsAre("after the ping"));
}

TEST(WebSocket, ANormalCloseOfThePeerIsASuccess) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [](WebSocketPeer& peer) {
    peer.write("last");
    peer.close(1000, "done");
  });
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(), "no error");
  EXPECT_THAT(connection.handler->await_messages(1), ElementsAre("last"));
}

TEST(WebSocket, AnotherCloseOfThePeerIsAnError) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}),
                         [](WebSocketPeer& peer) { peer.close(1011, "out of\ncheese"); });
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(), "websocket: close 1011: out of\\ncheese");
}

TEST(WebSocket, AConnectionThatEndsWithoutACloseIsAnError) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}),
                         [](WebSocketPeer& peer) { peer.write("cut"); });
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(),
            "websocket: close 1006: the connection ended without a close");
}

TEST(WebSocket, TheServerSeesTheCodeOfOurClose) {
  std::optional<std::uint16_t> code;
  {
    WebSocketServer server(speaks({"v5.channel.k8s.io"}), [&](WebSocketPeer& peer) {
      while (peer.read()) {
      }
      code = peer.closed_by_client();
    });
    Connection connection(server);
    ASSERT_TRUE(connection.handler->await_open());
    connection.socket->close(1000, "bye");
    EXPECT_EQ(connection.handler->await_end(), "no error");
    connection.socket->send("after the close");
  }
  EXPECT_EQ(code, 1000);
}

TEST(WebSocket, TRN_48_AProtocolThatWasNotOfferedIsRefused) {
  for (const std::string chosen : {"", "v9.channel.k8s.io"}) {
    WebSocketServer server({.chosen = chosen}, [](WebSocketPeer& peer) { (void)peer.read(); });
    Connection connection(server, {.protocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"}});
    EXPECT_EQ(connection.handler->await_end(),
              "invalid protocol, expected one of [v5.channel.k8s.io, v4.channel.k8s.io], got \"" +
                  chosen + "\"");
  }
}

TEST(WebSocket, AWrongAcceptKeyIsABadHandshake) {
  WebSocketServer server({.protocols = {"v5.channel.k8s.io"}, .wrong_accept = true},
                         [](WebSocketPeer& peer) { (void)peer.read(); });
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(),
            "unable to upgrade streaming request: websocket: bad handshake: the header "
            "Sec-WebSocket-Accept is missing or wrong");
}

TEST(WebSocket, ARefusalQuotesItsBody) {
  WebSocketServer server({.refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\n nope\n"},
                         [](WebSocketPeer&) {});
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(),
            "unable to upgrade streaming request: websocket: bad handshake (403): nope");
}

TEST(WebSocket, ATextMessageIsAnError) {
  std::promise<std::uint16_t> code;
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [&](WebSocketPeer& peer) {
    peer.write_text("text");
    (void)peer.read();
    code.set_value(peer.closed_by_client());
  });
  Connection connection(server);
  EXPECT_EQ(connection.handler->await_end(), "websocket: unexpected message type: 1");
  EXPECT_EQ(code.get_future().get(), 1003);
}

TEST(WebSocket, AMessageThatIsTooLongIsAnError) {
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [](WebSocketPeer& peer) {
    peer.write(std::string(101, 'x'));
    (void)peer.read();
  });
  Connection connection(server, {.max_message_bytes = 100});
  EXPECT_THAT(connection.handler->await_end(), HasSubstr("longer than allowed"));
}

TEST(WebSocket, BytesThatAreNoFramesAreAnError) {
  for (const std::string& bytes : {std::string("\xf2\x00", 2), std::string("\x82\x80\0\0\0\0", 6),
                                   std::string("\x83\x00", 2), std::string("\x80\x00", 2)}) {
    WebSocketServer server(speaks({"v5.channel.k8s.io"}), [&](WebSocketPeer& peer) {
      peer.write_raw(bytes);
      (void)peer.read();
    });
    Connection connection(server);
    EXPECT_THAT(connection.handler->await_end(), StartsWith("websocket: the peer's frames"));
  }
}

TEST(WebSocket, AReaderThatPausesStopsThePeer) {
  constexpr std::size_t kMessages = 40;
  WebSocketServer server(speaks({"v5.channel.k8s.io"}), [](WebSocketPeer& peer) {
    for (std::size_t i = 0; i < kMessages; ++i) peer.write(std::string(1'000'000, 'x'));
    (void)peer.read();
  });
  Connection connection(server, {}, Flow::Pause);
  std::size_t seen = connection.handler->await_messages(1).size();
  EXPECT_LT(seen, kMessages / 2);
  while (seen < kMessages) {
    connection.socket->resume();
    const std::size_t now = connection.handler->await_messages(seen + 1).size();
    ASSERT_GT(now, seen);
    seen = now;
  }
}

/// The exchange of a WebSocket whose server is the test.
class NotedExchange final : public Exchange {
 public:
  void resume() override {}
  void cancel() override { cancelled = true; }
  void write(std::string bytes) override { written.push_back(std::move(bytes)); }

  bool cancelled = false;
  std::vector<std::string> written;
};

class WebSocketHeartbeat : public ::testing::Test {
 protected:
  void SetUp() override {
    socket->attach(exchange);
    socket->on_head({.status = 101, .headers = upgrade_headers(socket->handshake_headers(), "p")});
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<SocketRecording> handler = std::make_shared<SocketRecording>();
  std::shared_ptr<NotedExchange> exchange = std::make_shared<NotedExchange>();
  std::shared_ptr<WebSocket> socket =
      std::make_shared<WebSocket>(WebSocket::Options{.protocols = {"p"}}, handler, executor);
};

TEST_F(WebSocketHeartbeat, EXEC_11_PingsEveryFiveSecondsAndAPongIsGoodFor61) {
  ASSERT_EQ(handler->await_open(), "p");
  executor->run_for(std::chrono::seconds(5));
  ASSERT_EQ(exchange->written.size(), 1U);
  constexpr std::string_view kEmptyMaskedPing = "\x89\x80";
  EXPECT_THAT(exchange->written[0], StartsWith(kEmptyMaskedPing));
  executor->run_for(std::chrono::seconds(10));
  EXPECT_EQ(exchange->written.size(), 3U);
  executor->run_for(std::chrono::seconds(45));
  const std::string pong("\x8a\x00", 2);
  socket->on_data(pong);
  executor->run_for(std::chrono::seconds(60));
  EXPECT_FALSE(exchange->cancelled);
  executor->run_for(std::chrono::seconds(5));
  EXPECT_TRUE(exchange->cancelled);
  socket->on_end(Error(ErrorCode::Cancelled, "by the test"));
  EXPECT_EQ(handler->await_end(),
            "websocket: i/o timeout: the peer has sent nothing, not even a pong, for 61 s");
}

TEST_F(WebSocketHeartbeat, APauseOfTheReaderIsNoSilenceOfThePeer) {
  handler->respond_with(Flow::Pause);
  EXPECT_EQ(socket->on_data(binary_frame("x")), Flow::Pause);
  executor->run_for(std::chrono::minutes(10));
  EXPECT_FALSE(exchange->cancelled);
  EXPECT_GE(exchange->written.size(), 120U);  // a peer that is gone is noticed by the network
  // From resume() on, time counts, and from the beginning.
  socket->resume();
  executor->run_for(std::chrono::seconds(60));
  EXPECT_FALSE(exchange->cancelled);
  executor->run_for(std::chrono::seconds(5));
  EXPECT_TRUE(exchange->cancelled);
}

TEST_F(WebSocketHeartbeat, AMessageWithoutAPauseEndsOneThatCameBefore) {
  handler->respond_with(Flow::Pause);
  EXPECT_EQ(socket->on_data(binary_frame("x")), Flow::Pause);
  handler->respond_with(Flow::Continue);
  EXPECT_EQ(socket->on_data(binary_frame("x")), Flow::Continue);
  executor->run_for(std::chrono::seconds(65));
  EXPECT_TRUE(exchange->cancelled);
}

TEST_F(WebSocketHeartbeat, APeerThatDoesNotAnswerACloseIsLeft) {
  socket->close();
  EXPECT_FALSE(exchange->cancelled);
  executor->run_for(std::chrono::seconds(2));
  EXPECT_TRUE(exchange->cancelled);
  socket->on_end(Error(ErrorCode::Cancelled, "by the test"));
  EXPECT_EQ(handler->await_end(), "no error");
}

}  // namespace
}  // namespace kube::transport
