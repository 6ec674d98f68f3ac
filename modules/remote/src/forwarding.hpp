// SPDX-License-Identifier: Apache-2.0
//
// Local connections and their streams on one connection to the server.
//
// Invariants:
// 1. Everything but the handler's functions and the counter of received bytes is used only on the
//    thread that runs the context.
// 2. Each local connection has two streams: an error stream, of which the local side is closed at
//    once, and a data stream. It ends with the server's side of the data stream.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/remote/port_forward.hpp>
#include <kube/transport/body_queue.hpp>
#include <kube/transport/websocket.hpp>

#include "spdy_frames.hpp"

namespace kube::portforward {

class Forwarding final : public transport::WebSocketHandler,
                         public std::enable_shared_from_this<Forwarding> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  /// `answer_timeout` is for the server's answer to the streams of a connection.
  Forwarding(std::shared_ptr<boost::asio::io_context> context, std::shared_ptr<Clock> clock,
             std::shared_ptr<Logger> logger,
             std::chrono::milliseconds answer_timeout = std::chrono::seconds(30))
      : context_(std::move(context)),
        logger_(std::move(logger)),
        answer_timeout_(answer_timeout),
        opening_(std::move(clock)) {}

  // Called before the context runs.

  void connect(std::shared_ptr<transport::WebSocket> socket) { socket_ = std::move(socket); }
  /// Returns success once the server has switched protocols; nullopt when `stop` was requested.
  std::optional<Result<void>> wait_for_open(std::stop_token stop);
  /// Called once, on the context, when the connection to the server is lost or was ended here.
  void on_lost(std::function<void(Error why)> lost) { lost_ = std::move(lost); }

  // Called on the context.

  void add(Socket socket, ForwardedPort port);
  /// Closes every local connection and the one to the server.
  void close();

  // Called by the connection to the server.
  void on_open(std::string_view protocol) override;
  transport::Flow on_message(std::string_view message) override;
  void on_written() override;
  void on_end(Result<void> result) override;

 private:
  struct Local {
    Local(Socket connection, ForwardedPort forwarded)
        : socket(std::move(connection)), port(forwarded) {}
    Socket socket;
    ForwardedPort port;
    std::uint32_t error_stream = 0;
    std::uint32_t data_stream = 0;
    bool accepted = false;      // the server has answered the data stream
    bool error_ended = false;   // the server's side of the error stream
    bool remote_ended = false;  // the server's side of the data stream
    bool local_ended = false;   // nothing more to read from the socket
    bool writing = false;
    std::string error_text{};
    std::deque<std::string> to_write{};
    std::vector<char> read_buffer{};
    std::optional<boost::asio::steady_timer> answer_timer{};
  };
  using LocalPtr = std::shared_ptr<Local>;

  void run_on_context(std::function<void(Forwarding&)> task);
  void receive(std::string_view bytes);
  void handle(const SpdyFrame& frame);
  void handle_stream(const LocalPtr& local, const SpdyFrame& frame);
  void send(const std::string& frame);

  void await_answer(const LocalPtr& local);
  void read_local(const LocalPtr& local);
  void write_local(const LocalPtr& local);
  void end_if_done(const LocalPtr& local);
  void forget(const LocalPtr& local);
  void fail(const LocalPtr& local, std::string_view what, std::string_view text);
  void consumed(std::size_t bytes);
  void lose(Error why);

  const std::shared_ptr<boost::asio::io_context> context_;
  const std::shared_ptr<Logger> logger_;
  const std::chrono::milliseconds answer_timeout_;
  transport::BodyQueue opening_;  // only its head is used
  std::shared_ptr<transport::WebSocket> socket_;
  std::function<void(Error)> lost_;

  // Bytes of the server that no local connection has taken yet.
  std::atomic<std::size_t> received_{0};
  std::atomic<bool> paused_{false};
  std::atomic<std::uint64_t> pauses_{0};

  SpdyEncoder encoder_;
  SpdyDecoder decoder_;
  std::uint32_t next_stream_ = 1;
  std::uint64_t next_request_ = 0;
  std::map<std::uint32_t, LocalPtr> streams_;
  std::size_t unsent_ = 0;
  std::vector<LocalPtr> waiting_to_send_;
};

}  // namespace kube::portforward
