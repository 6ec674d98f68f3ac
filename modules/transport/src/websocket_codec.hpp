// SPDX-License-Identifier: Apache-2.0
//
// The frames of a WebSocket, by libwslay: bytes in, messages out, and the other way. It has no
// socket and no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <wslay/wslay.h>

#include <kube/base/result.hpp>

namespace kube::transport {

/// The client's end.
/// @par Thread safety   None.
class WebSocketCodec {
 public:
  /// @throws std::bad_alloc
  explicit WebSocketCodec(std::size_t max_message_bytes);
  WebSocketCodec(const WebSocketCodec&) = delete;
  WebSocketCodec& operator=(const WebSocketCodec&) = delete;

  /// Returns the binary messages that the bytes complete. Pings and closes are answered by
  /// take_outgoing(). Nothing is read after a close.
  /// @par Errors   Decode: the peer broke the protocol, or sent a text message or one that is too
  ///   long; take_outgoing() then has a close frame that says so.
  Result<std::vector<std::string>> receive(std::string_view bytes);

  void queue_message(std::string_view message);
  void queue_ping();
  void queue_close(std::uint16_t code, std::string_view reason);
  /// The frames to send.
  std::string take_outgoing();

  struct Close {
    std::uint16_t code = 0;  ///< 1005 for a close frame without one.
    std::string reason{};
  };
  /// The peer's close frame.
  const std::optional<Close>& received_close() const { return close_; }

 private:
  struct FreeContext {
    void operator()(wslay_event_context* context) const { wslay_event_context_free(context); }
  };

  static ssize_t recv_callback(wslay_event_context_ptr context, std::uint8_t* out, std::size_t size,
                               int flags, void* self);
  static ssize_t send_callback(wslay_event_context_ptr context, const std::uint8_t* bytes,
                               std::size_t size, int flags, void* self);
  static int mask_callback(wslay_event_context_ptr context, std::uint8_t* out, std::size_t size,
                           void* self);
  static void message_callback(wslay_event_context_ptr context,
                               const wslay_event_on_msg_recv_arg* message, void* self);
  void queue(std::uint8_t opcode, std::string_view bytes);

  std::unique_ptr<wslay_event_context, FreeContext> context_;
  std::string_view input_;  // of the running receive()
  std::vector<std::string> messages_;
  std::optional<Error> refused_;
  std::optional<Close> close_;
  std::string outgoing_;
};

}  // namespace kube::transport
