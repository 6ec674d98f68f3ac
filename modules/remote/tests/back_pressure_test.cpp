// SPDX-License-Identifier: Apache-2.0
//
// Readers that stop for longer than a heartbeat lasts: the server is the test, the clock too.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>

#include <kube/base/executor.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/remote/remote_command.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/websocket.hpp>

#include "forwarding.hpp"
#include "spdy_frames.hpp"
#include "websocket_frames.hpp"

namespace kube {
namespace {

using boost::asio::ip::tcp;
using transport::binary_frame;
using transport::upgrade_headers;

class BackPressure : public ::testing::Test {
 protected:
  BackPressure() {
    network->on("", "*", [this](testing::ScriptedCall accepted) {
      const transport::Headers& handshake = accepted.request().headers;
      const std::string offered(*handshake.find("Sec-WebSocket-Protocol"));
      accepted.head(101, upgrade_headers(handshake, offered.substr(0, offered.find(','))));
      call = std::move(accepted);
    });
  }
  ~BackPressure() override { network->stop(); }

  RestClient client() {
    return RestClient::create({.host = "http://server"}, {.executor = executor}, network).value();
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<testing::ScriptedTransport> network =
      std::make_shared<testing::ScriptedTransport>();
  std::optional<testing::ScriptedCall> call;
};

TEST_F(BackPressure, ACommandWhoseOutputIsNotReadStays) {
  core::v1::PodExecOptions options{.stdout = true};
  options.command = {"cat", "x"};
  Result<remotecommand::Session> session = remotecommand::exec(client(), "web", "front-0", options);
  ASSERT_TRUE(session) << session.error().to_string();
  const std::string message = "\1" + std::string(100'000, 'x');
  int sent = 0;
  for (; sent < 100 && !call->paused(); ++sent) call->data(binary_frame(message));
  ASSERT_TRUE(call->paused());
  executor->run_for(std::chrono::minutes(10));
  EXPECT_FALSE(call->cancelled());
  call->data(binary_frame("\1last"));
  call->data(
      binary_frame("\3"
                   R"({"status":"Success"})"));
  call->data(std::string("\x88\x02\x03\xe8", 4));  // close 1000
  std::string bytes;
  while (const auto output = session->next()) {
    ASSERT_TRUE(*output) << output->error().to_string();
    bytes += (*output)->bytes;
  }
  EXPECT_EQ(bytes.size(), static_cast<std::size_t>(sent) * 100'000 + 4);
  EXPECT_EQ(session->exit_code().value(), 0);
}

TEST_F(BackPressure, AForwardedConnectionThatIsNotReadStays) {
  using portforward::SpdyEncoder;
  std::atomic<bool> handled{false};
  auto forwarder = portforward::PortForwarder::start(
      client(), "web", "front-0", {{0, 5000}},
      {.addresses = {"127.0.0.1"},
       .out = [&](std::string_view line) { handled = handled || line.starts_with("Handling"); }});
  ASSERT_TRUE(forwarder) << forwarder.error().to_string();
  boost::asio::io_context context;
  tcp::socket local(context);
  local.connect(
      tcp::endpoint(boost::asio::ip::address_v4::loopback(), (*forwarder)->ports().front().local));
  // What is sent from now on is handled after the streams were opened.
  ASSERT_TRUE(testing::eventually([&] { return handled.load(); }));
  constexpr std::uint32_t kErrorStream = 1;
  constexpr std::uint32_t kDataStream = 3;
  SpdyEncoder encoder;
  call->data(binary_frame(encoder.syn_reply(kErrorStream, {})));
  call->data(binary_frame(encoder.syn_reply(kDataStream, {})));
  const std::string part(100'000, 'x');
  std::size_t sent = 0;
  for (int heartbeats = 0; heartbeats < 120; ++heartbeats) {
    // The system's buffers take some of it, and later a little more.
    for (; sent < 64'000'000 && !call->paused(); sent += part.size()) {
      call->data(binary_frame(SpdyEncoder::data(kDataStream, part, false)));
    }
    executor->run_for(std::chrono::seconds(5));
    ASSERT_FALSE(call->cancelled()) << "after " << heartbeats << " heartbeats";
  }
  EXPECT_LT(sent, 64'000'000U);
  call->data(binary_frame(SpdyEncoder::data(kDataStream, {}, true)));
  call->data(binary_frame(SpdyEncoder::data(kErrorStream, {}, true)));
  std::string received(sent + 1, '\0');
  boost::system::error_code failed;
  EXPECT_EQ(boost::asio::read(local, boost::asio::buffer(received), failed), sent);
  EXPECT_EQ(failed, boost::asio::error::eof);
}

TEST_F(BackPressure, AnAnswerBehindBytesThatAreNotReadIsNotLate) {
  using portforward::Forwarding;
  using portforward::SpdyEncoder;
  const auto context = std::make_shared<boost::asio::io_context>();
  const auto forwarding = std::make_shared<Forwarding>(context, executor->clock(), nullptr,
                                                       std::chrono::milliseconds(20));
  const auto socket = std::make_shared<transport::WebSocket>(
      transport::WebSocket::Options{.protocols = {"p"}}, forwarding, executor);
  forwarding->connect(socket);
  std::optional<Error> lost;
  forwarding->on_lost([&](const Error& why) { lost = why; });
  socket->attach(network->start({.url = "http://server/", .headers = socket->handshake_headers()},
                                socket, {}));
  tcp::acceptor acceptor(*context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  tcp::socket reader(*context);
  tcp::socket waiting(*context);
  for (tcp::socket* const local : {&reader, &waiting}) {
    local->connect(acceptor.local_endpoint());
    forwarding->add(acceptor.accept(), {0, 5000});
    if (local == &waiting) break;
    SpdyEncoder encoder;
    call->data(binary_frame(encoder.syn_reply(3, {})));
    for (int i = 0; i < 640 && !call->paused(); ++i) {
      call->data(binary_frame(SpdyEncoder::data(3, std::string(100'000, 'x'), false)));
      context->poll();
    }
    ASSERT_TRUE(call->paused());
  }
  // Each turn ends with the timer of the second connection.
  for (int i = 0; i < 3; ++i) ASSERT_EQ(context->run_one_for(testing::kPatience), 1U);
  EXPECT_FALSE(lost) << lost->to_string();
  // Its answer is late once nothing is before it.
  std::string bytes(100'000, '\0');
  while (call->paused()) {
    reader.read_some(boost::asio::buffer(bytes));
    context->poll();
  }
  while (!lost && context->run_one_for(testing::kPatience) != 0) {
  }
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->message(),
            "error creating forwarding stream 0 -> 5000: the server has not answered in time");
  forwarding->close();
}

}  // namespace
}  // namespace kube
