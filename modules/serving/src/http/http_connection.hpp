// SPDX-License-Identifier: Apache-2.0
//
// One connection: a state machine on its own strand.
//
//   await -> head -> body -> handle -> respond -> await ...
//                               |-> wait for a revision -> handle again
//                               |-> stream: pieces until the source is empty
//                               |-> watch: text as it arrives, until it ends; then the connection
//                               ends
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/http_message.hpp"
#include "http/http_server.hpp"
#include "http/idle_connections.hpp"
#include "http/request_parser.hpp"
#include "http/tls_files.hpp"
#include "http/tls_stream.hpp"

namespace kube::serving {

using Socket = boost::asio::generic::stream_protocol::socket;

/// What all connections of a server share.
struct ConnectionShared {
  const HttpServer::Options options;
  Executor& timers;
  Ids& ids;
  HttpServer::Callbacks callbacks;
  /// Null: without TLS.
  std::unique_ptr<TlsFiles> tls{};
  IdleConnections idle{};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<bool> stopping{false};
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, std::shared_ptr<ConnectionShared> shared,
             std::function<void(Connection*)> on_gone);
  ~Connection();

  // May be called from any thread; each takes effect on the strand.
  void start();
  /// Instead of start(): responds that there are too many connections, and ends.
  void turn_away();
  void drop();
  /// Closes the connection unless the head of a request has arrived.
  void give_way();
  void bookmark_watch();
  void end_watch();
  /// Ends after the bytes that are being sent.
  void finish();
  /// After finish(), which has taken too long: like drop(), but a client whose request is under way
  /// elsewhere gets the response of a last attempt.
  void cut_short();

 private:
  using ErrorCode = boost::system::error_code;
  using Stream = TlsStream::Stream;

  /// Calls `use` with the stream of the bytes of HTTP. Timeouts are those of stream_.
  template <class F>
  void with_stream(F&& use) {
    tls_ ? use(*tls_) : use(stream_);
  }
  void shake_hands();
  /// drop(), on the strand.
  void reset();

  void await_request();
  void read_head();
  void on_head(ErrorCode error);
  void read_body();
  void on_body(ErrorCode error);
  void handle(bool last_attempt);
  void await_revision(const AwaitedRevision& awaited);
  void revision_done();
  void respond(HttpResponse response);
  void refuse(const Refusal& refusal);
  void refuse_body();
  void refuse_with(HttpResponse response);
  void send_whole(HttpResponse response);
  void send_stream(HttpResponse response);
  void next_piece();
  void start_watch(HttpResponse response);
  void watch_for_hangup();
  void pump_watch();
  void on_wake();
  /// The bytes of out_, which stay where they are.
  std::vector<boost::asio::const_buffer> out_buffers() const;
  void make_chunk(std::vector<boost::asio::const_buffer> bytes, bool last);
  bool send_at_once();
  void send(std::function<void()> then);
  /// Removes the first bytes of unsent_, which the client has accepted.
  void accepted(std::size_t size);
  void responded();
  /// Whether the kernel has bytes of the client.
  bool has_unread();
  /// Tells the client that nothing follows, and waits for a while until it has closed.
  void linger();
  void discard();
  /// Closes the connection after all that its client should get.
  void end();
  void close();
  std::string head_text(const HttpResponse& response, std::optional<std::size_t> length);

  Stream stream_;
  std::shared_ptr<ConnectionShared> shared_;
  TlsFiles::Context tls_context_{};
  std::optional<TlsStream> tls_;
  std::function<void(Connection*)> on_gone_;
  boost::beast::flat_buffer buffer_;
  std::optional<RequestParser> parser_;

  HttpRequest request_;
  bool keep_alive_ = false;
  bool chunked_ = true;  ///< HTTP/1.1; a 1.0 client gets plain bytes until the end.
  bool head_only_ = false;

  std::string head_;           ///< Text being sent: response head or chunk size.
  Body out_;                   ///< Body or chunk being sent.
  std::vector<Slice> slices_;  ///< Bytes of others that are being sent.
  /// The part of these that the client has not accepted.
  std::vector<boost::asio::const_buffer> unsent_;
  std::unique_ptr<BodySource> source_;
  std::shared_ptr<WatchSource> watch_;
  bool watch_idle_ = false;
  Timer end_timer_;
  RevisionSource* awaited_ = nullptr;
  bool awaits_work_ = false;
  WakerPtr revision_waker_;
  Timer revision_timer_;
  /// While it waits for a revision, nothing else keeps the connection alive.
  std::shared_ptr<Connection> waiting_self_;
  bool awaiting_request_ = false;
  bool reading_head_ = false;  ///< A part of a head has arrived, or of TLS's handshake.
  IdleConnections::Place idle_place_{};
  bool discarding_ = false;
  std::size_t discarded_ = 0;
  bool closed_ = false;
};

}  // namespace kube::serving
