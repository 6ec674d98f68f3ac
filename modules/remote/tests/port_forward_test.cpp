// SPDX-License-Identifier: Apache-2.0
//
// Port forwarding to a server of the tests that speaks SPDY inside a WebSocket.
#include <kube/remote/port_forward.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <kube/base/executor.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/recording_logger.hpp>

#include "listen_address.hpp"
#include "spdy_frames.hpp"
#include "websocket_server.hpp"

namespace kube::portforward {
namespace {

using boost::asio::ip::tcp;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using transport::WebSocketPeer;
using transport::WebSocketServer;
using Type = SpdyFrame::Type;

const std::string kTunnel = "SPDY/3.1+portforward.k8s.io";

std::string port_error(const std::string& text) {
  const auto ports = parse_ports({text});
  return ports ? "no error" : ports.error().message();
}

TEST(ForwardedPorts, PF_01_Specs) {
  const auto ports = parse_ports({"5000", "8888:5000", "0:5000", ":5000"});
  ASSERT_TRUE(ports) << ports.error().to_string();
  EXPECT_THAT(*ports, ElementsAre(ForwardedPort{5000, 5000}, ForwardedPort{8888, 5000},
                                  ForwardedPort{0, 5000}, ForwardedPort{0, 5000}));
  for (const char* text : {"a", ":a", "-1", "65536", "0", "0:0", "a:5000", "5000:a", "1:2:3", "",
                           ":", "5000:", "+5", " 5"}) {
    EXPECT_THAT(port_error(text), StartsWith("invalid port \"" + std::string(text) + "\""));
  }
  // No ports and no addresses: see WrongArgumentsAreNamed.
  auto pool = std::make_shared<ThreadPool>();
  const RestClient client =
      RestClient::create({.host = "http://127.0.0.1:1"}, {.executor = pool}).value();
  EXPECT_EQ(PortForwarder::start(client, "web", "p", {}).error().message(),
            "you must specify at least 1 port");
  EXPECT_EQ(PortForwarder::start(client, "web", "p", {{0, 1}}, {.addresses = {}}).error().message(),
            "you must specify at least 1 address");
}

TEST(ListenAddresses, PF_02_LocalhostAndAddresses) {
  const auto parsed = [](const std::vector<std::string>& texts) {
    return parse_addresses(texts).value();
  };
  EXPECT_THAT(parsed({"localhost"}),
              ElementsAre(ListenAddress{"127.0.0.1", false}, ListenAddress{"::1", false}));
  EXPECT_THAT(parsed({"localhost", "127.0.0.1"}),
              ElementsAre(ListenAddress{"127.0.0.1", true}, ListenAddress{"::1", false}));
  EXPECT_THAT(parsed({"127.0.0.1", "localhost"}),
              ElementsAre(ListenAddress{"127.0.0.1", true}, ListenAddress{"::1", false}));
  EXPECT_THAT(parsed({"::1", "10.0.0.1", "10.0.0.1"}),
              ElementsAre(ListenAddress{"10.0.0.1", true}, ListenAddress{"::1", true}));
  for (const std::string text : {"127.0.0.257", "::g", "domain.invalid"}) {
    EXPECT_EQ(parse_addresses({text}).error().message(), text + " is not a valid IP");
  }
}

/// The server's end of one tunnel.
class SpdyPeer {
 public:
  explicit SpdyPeer(WebSocketPeer& peer) : peer_(peer) {}

  std::optional<SpdyFrame> next() {
    while (frames_.empty()) {
      const auto message = peer_.read();
      if (!message) return std::nullopt;
      messages_.push_back(*message);
      auto frames = decoder_.receive(*message);
      if (!frames) {
        ADD_FAILURE() << frames.error().to_string();
        return std::nullopt;
      }
      for (SpdyFrame& frame : *frames) {
        if (frame.type == Type::SynStream) {
          for (const auto& [name, value] : frame.headers) {
            if (name == "streamtype") types_[frame.stream] = value;
          }
        }
        frames_.push_back(std::move(frame));
      }
    }
    SpdyFrame frame = std::move(frames_.front());
    frames_.erase(frames_.begin());
    return frame;
  }
  void send(const std::string& bytes) { peer_.write(bytes); }
  std::string reply(std::uint32_t stream) { return encoder_.syn_reply(stream, {}); }
  std::string type_of(std::uint32_t stream) { return types_[stream]; }
  const std::vector<std::string>& messages() const { return messages_; }
  WebSocketPeer& socket() { return peer_; }

 private:
  WebSocketPeer& peer_;
  SpdyEncoder encoder_;
  SpdyDecoder decoder_;
  std::vector<SpdyFrame> frames_;
  std::vector<std::string> messages_;
  std::map<std::uint32_t, std::string> types_;
};

/// Answers every stream, echoes data, and ends its sides when the client ends its own.
void echo(WebSocketPeer& peer) {
  SpdyPeer spdy(peer);
  while (const auto frame = spdy.next()) {
    if (frame->type == Type::SynStream) {
      spdy.send(spdy.reply(frame->stream));
    } else if (frame->type == Type::Data) {
      spdy.send(SpdyEncoder::data(frame->stream, frame->data, frame->fin));
    }
  }
}

/// A client of the forwarded port.
class LocalClient {
 public:
  LocalClient() : socket_(context_) { socket_.open(tcp::v4()); }
  explicit LocalClient(std::uint16_t port) : LocalClient() { connect(port); }
  void connect(std::uint16_t port) {
    socket_.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), port));
  }
  void write(std::string_view bytes) {
    boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()));
  }
  void end() { socket_.shutdown(tcp::socket::shutdown_send); }
  std::string read(std::size_t size) {
    std::string bytes(size, '\0');
    boost::system::error_code failed;
    bytes.resize(boost::asio::read(socket_, boost::asio::buffer(bytes), failed));
    return bytes;
  }
  /// Until the connection ends.
  std::string read_all() {
    std::string all;
    std::string part;
    while (!(part = read(4096)).empty()) all += part;
    return all;
  }

 private:
  boost::asio::io_context context_;
  tcp::socket socket_;
};

/// No file can be opened in this process while it lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(lowest);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(lowest);
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

class PortForward : public ::testing::Test {
 protected:
  void serve(WebSocketServer::Script script, std::string protocol = kTunnel) {
    server = std::make_unique<WebSocketServer>(
        WebSocketServer::Options{.chosen = std::move(protocol)}, std::move(script));
  }
  Result<std::unique_ptr<PortForwarder>> start(std::vector<ForwardedPort> ports = {{0, 5000}},
                                               std::vector<std::string> addresses = {"127.0.0.1"},
                                               std::stop_token stop = {}) {
    const auto note = [this](std::string_view line) {
      const std::lock_guard lock(mutex);
      lines.emplace_back(line);
    };
    // It outlives the forwarder, whose last message needs the transport.
    clients.push_back(
        RestClient::create({.host = server->url("")}, {.executor = pool, .logger = logger})
            .value());
    return PortForwarder::start(clients.back(), "web", "front-0", std::move(ports),
                                {.addresses = std::move(addresses), .out = note, .err = note},
                                std::move(stop));
  }
  std::vector<std::string> noted() {
    const std::lock_guard lock(mutex);
    return lines;
  }
  static std::string end_of(PortForwarder& forwarder) {
    const Result<void> end = forwarder.wait();
    return end ? "no error" : end.error().to_string();
  }

  std::shared_ptr<ThreadPool> pool = std::make_shared<ThreadPool>();
  std::shared_ptr<testing::RecordingLogger> logger = std::make_shared<testing::RecordingLogger>();
  std::vector<RestClient> clients;
  std::unique_ptr<WebSocketServer> server;
  std::mutex mutex;
  std::vector<std::string> lines;
};

TEST_F(PortForward, PF_05_PF_06_TheChosenPortIsPrintedAndReturned) {
  serve(echo);
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  // It exists only once it listens: its ports can't be asked for too early.
  const std::uint16_t port = (*forwarder)->ports().front().local;
  EXPECT_NE(port, 0);
  LocalClient client(port);
  client.write("x");
  EXPECT_EQ(client.read(1), "x");
  const std::string number = std::to_string(port);
  EXPECT_THAT(noted(), ElementsAre("Forwarding from 127.0.0.1:" + number + " -> 5000",
                                   "Handling connection for " + number));
  // The same port again.
  auto second = start({{port, 5000}, {0, 5000}});
  ASSERT_TRUE(second) << second.error().to_string();
  EXPECT_THAT(noted(), Contains(StartsWith("Unable to listen on port " + number + ": ")));
}

TEST_F(PortForward, PF_07_BytesGoBothWaysUntilTheServerEnds) {
  std::vector<std::string> types;
  std::vector<SpdyFrame> resets;
  std::promise<void> all_ended;
  serve([&](WebSocketPeer& peer) {
    SpdyPeer spdy(peer);
    while (const auto frame = spdy.next()) {
      if (frame->type == Type::SynStream) {
        types.push_back(spdy.type_of(frame->stream));
        spdy.send(spdy.reply(frame->stream));
      } else if (frame->type == Type::Data) {
        spdy.send(SpdyEncoder::data(frame->stream, frame->data, frame->fin));
      } else if (frame->type == Type::RstStream) {
        resets.push_back(*frame);
        if (resets.size() == 2) all_ended.set_value();
      }
    }
  });
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  const std::uint16_t port = (*forwarder)->ports().front().local;
  std::string sent(3'000'000, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 11 + i / 253);
  for (int i = 0; i < 2; ++i) {
    LocalClient client(port);
    std::jthread writer([&] {
      client.write(sent);
      client.end();
    });
    EXPECT_TRUE(client.read_all() == sent);
  }
  all_ended.get_future().wait();  // the streams were removed
  EXPECT_THAT(types, ElementsAre("error", "data", "error", "data"));
  EXPECT_EQ((*forwarder)->ports().size(), 1U);
}

TEST_F(PortForward, PF_08_AnErrorOfOnePortEndsAll) {
  serve([](WebSocketPeer& peer) {
    SpdyPeer spdy(peer);
    std::uint32_t error_stream = 0;
    while (const auto frame = spdy.next()) {
      if (frame->type != Type::SynStream) continue;
      spdy.send(spdy.reply(frame->stream));
      if (spdy.type_of(frame->stream) == "error") error_stream = frame->stream;
      if (spdy.type_of(frame->stream) == "data" && frame->stream > 4) {
        spdy.send(SpdyEncoder::data(error_stream, "connection refused\n", true));
      }
    }
  });
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  const std::uint16_t port = (*forwarder)->ports().front().local;
  LocalClient other(port);
  other.write("x");
  LocalClient client(port);
  EXPECT_EQ(client.read_all(), "");
  EXPECT_EQ(other.read_all(), "");
  EXPECT_THAT(end_of(**forwarder), StartsWith("lost connection to pod: An error occurred "
                                              "forwarding " +
                                              std::to_string(port) +
                                              " -> 5000: connection "
                                              "refused"));
  EXPECT_THAT(logger->lines(), Contains(HasSubstr("An error occurred forwarding")));
}

TEST_F(PortForward, PF_08_AnErrorStreamThatBreaksEndsAll) {
  serve([](WebSocketPeer& peer) {
    SpdyPeer spdy(peer);
    std::uint32_t error_stream = 0;
    while (const auto frame = spdy.next()) {
      if (frame->type != Type::SynStream) continue;
      spdy.send(spdy.reply(frame->stream));
      if (spdy.type_of(frame->stream) == "error") error_stream = frame->stream;
      if (spdy.type_of(frame->stream) == "data") {
        spdy.send(SpdyEncoder::rst_stream(error_stream, 6));
      }
    }
  });
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  LocalClient client((*forwarder)->ports().front().local);
  EXPECT_EQ(client.read_all(), "");
  EXPECT_THAT(end_of(**forwarder), HasSubstr("Error reading from error stream"));
}

TEST_F(PortForward, PF_09_ALostConnectionIsAnErrorAndAStopIsNone) {
  std::promise<void> leave;
  auto left = leave.get_future().share();
  serve([left](WebSocketPeer&) { left.wait(); });
  auto lost = start();
  ASSERT_TRUE(lost) << lost.error().to_string();
  leave.set_value();
  EXPECT_THAT(end_of(**lost), StartsWith("lost connection to pod: websocket: close 1006"));

  serve(echo);
  auto stopped = start();
  ASSERT_TRUE(stopped) << stopped.error().to_string();
  std::jthread stopper([&] { (*stopped)->stop(); });
  EXPECT_EQ(end_of(**stopped), "no error");

  auto by_token = start();
  ASSERT_TRUE(by_token) << by_token.error().to_string();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE((*by_token)->wait(stop.get_token()));

  // The token of start() ends the connection itself.
  std::stop_source of_start;
  auto started = start({{0, 5000}}, {"127.0.0.1"}, of_start.get_token());
  ASSERT_TRUE(started) << started.error().to_string();
  of_start.request_stop();
  EXPECT_EQ(end_of(**started), "no error");
}

TEST_F(PortForward, AWaitInItsOwnOutputFunctionFailsAtOnce) {
  serve(echo);
  clients.push_back(RestClient::create({.host = server->url("")}, {.executor = pool}).value());
  std::promise<PortForwarder*> made;
  std::promise<std::string> waited;
  const auto out = [&, forwarder = made.get_future().share()](std::string_view line) {
    if (!line.starts_with("Handling")) return;  // on the caller's thread, in start()
    const Result<void> end = forwarder.get()->wait();
    waited.set_value(end ? "no error" : end.error().to_string());
  };
  const auto forwarder = PortForwarder::start(clients.back(), "web", "front-0", {{0, 5000}},
                                              {.addresses = {"127.0.0.1"}, .out = out});
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  made.set_value(forwarder->get());
  LocalClient client((*forwarder)->ports().front().local);
  EXPECT_THAT(waited.get_future().get(), HasSubstr("call it from another thread"));
}

TEST_F(PortForward, AnotherProtocolIsRefused) {
  for (const std::string protocol : {"portforward.k8s.io", "x", ""}) {
    serve([](WebSocketPeer& peer) { (void)peer.read(); }, protocol);
    const auto forwarder = start();
    ASSERT_FALSE(forwarder);
    EXPECT_THAT(forwarder.error().to_string(),
                HasSubstr("invalid protocol, expected one of [" + kTunnel + "], got"));
  }
}

TEST_F(PortForward, PF_12_TheTunnelCarriesBytesNotMessages) {
  std::vector<std::string> messages;
  std::uint16_t code = 0;
  std::promise<void> ended;
  serve([&](WebSocketPeer& peer) {
    SpdyPeer spdy(peer);
    std::string pending;
    while (const auto frame = spdy.next()) {
      std::string bytes;
      if (frame->type == Type::SynStream) bytes = spdy.reply(frame->stream);
      if (frame->type == Type::Data) {
        bytes = SpdyEncoder::data(frame->stream, frame->data, frame->fin);
      }
      for (const char byte : bytes) spdy.send(std::string(1, byte));  // frames span messages
    }
    messages = spdy.messages();
    code = peer.closed_by_client();
    ended.set_value();
  });
  {
    auto forwarder = start();
    ASSERT_TRUE(forwarder) << forwarder.error().to_string();
    LocalClient client((*forwarder)->ports().front().local);
    client.write("through");
    EXPECT_EQ(client.read(7), "through");
  }
  ended.get_future().wait();
  EXPECT_EQ(code, 1000);
  // Each write is one message with one frame.
  for (const std::string& message : messages) {
    const auto length = static_cast<std::size_t>(static_cast<unsigned char>(message[5]) << 16 |
                                                 static_cast<unsigned char>(message[6]) << 8 |
                                                 static_cast<unsigned char>(message[7]));
    EXPECT_EQ(message.size(), 8 + length);
  }

  serve([](WebSocketPeer& peer) {
    peer.write_text("text");
    (void)peer.read();
  });
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  EXPECT_THAT(end_of(**forwarder), HasSubstr("unexpected message type: 1"));
}

TEST_F(PortForward, PF_03_OneAddressOfLocalhostSuffices) {
  serve(echo);
  boost::asio::io_context context;
  tcp::acceptor taken(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  const std::uint16_t port = taken.local_endpoint().port();
  // 127.0.0.1 is taken; ::1 is free, where the machine has it.
  boost::system::error_code no_v6;
  tcp::acceptor probe(context);
  probe.open(tcp::v6(), no_v6);
  if (!no_v6) {
    probe.bind(tcp::endpoint(boost::asio::ip::address_v6::loopback(), 0), no_v6);
  }
  const auto by_name = start({{port, 5000}}, {"localhost"});
  EXPECT_EQ(by_name.has_value(), !no_v6);
  // A named address is required.
  const auto by_address = start({{port, 5000}}, {"127.0.0.1"});
  ASSERT_FALSE(by_address);
  EXPECT_EQ(by_address.error().message(), "unable to listen on any of the requested ports: [{" +
                                              std::to_string(port) + " 5000}]");
  const auto named_too = start({{port, 5000}}, {"localhost", "127.0.0.1"});
  EXPECT_FALSE(named_too);
  EXPECT_THAT(noted(), Contains(HasSubstr("listeners failed to create")));
  // Another port of the same call works.
  const auto one_of_two = start({{port, 5000}, {0, 6000}}, {"127.0.0.1"});
  ASSERT_TRUE(one_of_two) << one_of_two.error().to_string();
  EXPECT_THAT(noted(), Contains(StartsWith("Unable to listen on port " + std::to_string(port))));
}

TEST_F(PortForward, AReaderThatIsSlowStopsTheServer) {
  std::atomic<std::size_t> sent{0};
  constexpr std::size_t kAll = 100'000'000;
  serve([&](WebSocketPeer& peer) {
    SpdyPeer spdy(peer);
    while (const auto frame = spdy.next()) {
      if (frame->type != Type::SynStream) continue;
      spdy.send(spdy.reply(frame->stream));
      if (spdy.type_of(frame->stream) != "data") continue;
      const std::string part(1'000'000, 'x');
      while (sent < kAll) {
        spdy.send(SpdyEncoder::data(frame->stream, part, false));
        sent += part.size();
      }
      spdy.send(SpdyEncoder::data(frame->stream, {}, true));
      spdy.send(SpdyEncoder::data(frame->stream - 2, {}, true));
    }
  });
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  LocalClient client((*forwarder)->ports().front().local);
  EXPECT_EQ(client.read(1), "x");
  EXPECT_LT(sent.load(), kAll);
  std::size_t received = 1;
  for (std::string part = client.read(1'000'000); !part.empty(); part = client.read(1'000'000)) {
    received += part.size();
  }
  EXPECT_EQ(received, kAll);
}

TEST_F(PortForward, AConnectionThatCannotBeAcceptedWaitsAndIsReportedOnce) {
  serve(echo);
  auto forwarder = start();
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  const std::uint16_t port = (*forwarder)->ports().front().local;
  LocalClient client;
  const auto attempts = [this] {
    return std::ranges::count_if(logger->lines(), [](const std::string& line) {
      return line.find("could not accept a connection") != std::string::npos;
    });
  };
  {
    const NoMoreFiles no_more_files;
    const auto began = std::chrono::steady_clock::now();
    client.connect(port);
    ASSERT_TRUE(testing::eventually([&] { return attempts() >= 3; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(200));
  }
  client.write("x");
  EXPECT_EQ(client.read(1), "x");
  EXPECT_THAT(noted(), Contains("error accepting connection on port " + std::to_string(port) +
                                ": Too many open files")
                           .Times(1));
}

TEST_F(PortForward, WrongArgumentsAreNamed) {
  serve(echo);
  EXPECT_EQ(start({{0, 1}}, {"nowhere"}).error().message(), "nowhere is not a valid IP");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(start({{0, 1}}, {"127.0.0.1"}, stop.get_token()).error().code(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube::portforward
