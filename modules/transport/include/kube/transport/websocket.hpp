// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::WebSocket: the client's end of a WebSocket connection (RFC 6455), as API servers
// use it for exec, attach and port forwarding.
//
//   WebSocket::Options options{.protocols = {"v5.channel.k8s.io"}};
//   auto socket = std::make_shared<WebSocket>(std::move(options), handler, executor);
//   HttpRequest request{.url = url, .headers = socket->handshake_headers()};
//   request.upgrade = "websocket";
//   socket->attach(transport.start(std::move(request), socket, stop));
//   socket->send("a message");
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

class WebSocketCodec;

/// Receives what a WebSocket's peer sends. The functions must not block.
/// @par Thread safety   The calls come from the transport's I/O thread, one at a time and in order.
class WebSocketHandler {
 public:
  virtual ~WebSocketHandler() = default;
  /// The handshake has succeeded, with the protocol that the server has chosen.
  virtual void on_open(std::string_view protocol) = 0;
  /// One whole binary message, which is valid during the call. After Flow::Pause, the messages that
  /// have arrived already still follow (at most 256 KiB); then the peer has to wait until resume().
  virtual Flow on_message(std::string_view message) = 0;
  /// All that was sent was passed to the network; more may be sent.
  virtual void on_written() {}
  /// The end, once. Success: the peer has closed the connection normally (code 1000).
  /// @par Errors   Unreachable: "unable to upgrade streaming request: ..." for a failed handshake,
  ///   "websocket: close 1011: text" for another close, "websocket: close 1006 ..." when the
  ///   connection ended without one. Decode: the peer broke the protocol, sent a text message, or
  ///   one of more than Options::max_message_bytes. Timeout: no pong. Those of the exchange.
  virtual void on_end(Result<void> result) = 0;
};

/// One connection. Frames are masked, fragments joined, pings answered.
/// @par Thread safety   All functions may be called from any thread, handlers included; attach()
///   once.
/// @par Stopping   close(), cancel(), or the stop token of the exchange. Its owner keeps it until
///   on_end() has been called or cancel() was.
/// @par Cost   Messages that are sent wait in memory until on_written().
class WebSocket final : public ResponseHandler, public std::enable_shared_from_this<WebSocket> {
 public:
  struct Options {
    std::vector<std::string> protocols{};  ///< Offered, the best one first; at least one.
    std::size_t max_message_bytes = std::size_t{16} << 20;
    /// The time between pings; 0: none. The connection fails when nothing has arrived for
    /// `pong_timeout`; the time of a Pause does not count. The defaults are client-go's.
    Duration ping_period = std::chrono::seconds(5);
    Duration pong_timeout = std::chrono::seconds(61);
  };

  WebSocket(Options options, std::shared_ptr<WebSocketHandler> handler,
            std::shared_ptr<Executor> executor);
  ~WebSocket() override;

  /// The headers of the handshake besides those of HttpRequest::upgrade.
  Headers handshake_headers() const;
  /// Takes the exchange that was started with this as its handler.
  void attach(std::shared_ptr<Exchange> exchange);

  /// Sends a binary message; has no effect after the end or close().
  void send(std::string_view message);
  /// Starts the closing handshake with a code of RFC 6455 (1000: normal). The handler's on_end()
  /// follows when the peer has answered, or after 2 s.
  void close(std::uint16_t code = 1000, std::string_view reason = {});
  /// Ends a Pause.
  void resume();
  /// Ends the connection at once: on_end() gets Cancelled. Has no effect after on_end(): our close
  /// may still be on its way, for at most 2 s.
  void cancel();

  // Called by the transport.
  void on_head(ResponseHead head) override;
  Flow on_data(std::string_view chunk) override;
  void on_written() override;
  void on_end(Result<void> result) override;

 private:
  Result<void> check_handshake(const ResponseHead& head) const;
  void flush() KUBE_REQUIRES(mutex_);
  void arm(Duration delay) KUBE_REQUIRES(mutex_);
  void on_timer();
  std::shared_ptr<Exchange> exchange();
  void end_exchange();
  void fail(Error error);
  void finish(Result<void> result);
  Result<void> reason_of_end(Result<void> result);

  const Options options_;
  const std::string key_;
  const std::shared_ptr<Executor> executor_;

  // Used only by the transport.
  std::shared_ptr<WebSocketHandler> handler_;  // null after the end
  bool open_ = false;
  int refused_ = 0;      // the status of a response that does not upgrade
  std::string refusal_;  // and its body

  Mutex mutex_;
  std::unique_ptr<WebSocketCodec> codec_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<Exchange> exchange_ KUBE_GUARDED_BY(mutex_);
  bool cancelled_ KUBE_GUARDED_BY(mutex_) = false;
  bool closing_ KUBE_GUARDED_BY(mutex_) = false;          // close() was called
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;            // for the handler
  std::optional<Error> failure_ KUBE_GUARDED_BY(mutex_);  // why it was cancelled here
  TimePoint heard_ KUBE_GUARDED_BY(mutex_){};
  bool paused_ KUBE_GUARDED_BY(mutex_) = false;  // the transport does not read
  Timer timer_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::transport
