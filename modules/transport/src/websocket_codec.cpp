// SPDX-License-Identifier: Apache-2.0
#include "websocket_codec.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <openssl/rand.h>

namespace kube::transport {
namespace {

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

WebSocketCodec::WebSocketCodec(std::size_t max_message_bytes) {
  const wslay_event_callbacks callbacks{.recv_callback = recv_callback,
                                        .send_callback = send_callback,
                                        .genmask_callback = mask_callback,
                                        .on_frame_recv_start_callback = nullptr,
                                        .on_frame_recv_chunk_callback = nullptr,
                                        .on_frame_recv_end_callback = nullptr,
                                        .on_msg_recv_callback = message_callback};
  wslay_event_context_ptr context = nullptr;
  if (wslay_event_context_client_init(&context, &callbacks, this) != 0) throw std::bad_alloc();
  context_.reset(context);
  wslay_event_config_set_max_recv_msg_length(context, max_message_bytes);
}

Result<std::vector<std::string>> WebSocketCodec::receive(std::string_view bytes) {
  input_ = bytes;
  messages_.clear();
  const int result = wslay_event_recv(context_.get());
  input_ = {};
  if (refused_) return *refused_;
  // libwslay stops reading after a close, and after a violation, for which it has queued a close.
  const bool stopped = wslay_event_get_read_enabled(context_.get()) == 0;
  if (result != 0 || (stopped && !close_)) {
    refused_ = Error(ErrorCode::Decode,
                     "websocket: the peer's frames break the protocol or are longer than allowed");
    return *refused_;
  }
  return std::exchange(messages_, {});
}

void WebSocketCodec::queue_message(std::string_view message) {
  queue(WSLAY_BINARY_FRAME, message);
}

void WebSocketCodec::queue_ping() {
  queue(WSLAY_PING, {});
}

void WebSocketCodec::queue(std::uint8_t opcode, std::string_view bytes) {
  const wslay_event_msg message{.opcode = opcode,
                                .msg = reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                .msg_length = bytes.size()};
  // It refuses messages after a close, which have no reader.
  if (wslay_event_queue_msg(context_.get(), &message) == WSLAY_ERR_NOMEM) throw std::bad_alloc();
}

void WebSocketCodec::queue_close(std::uint16_t code, std::string_view reason) {
  constexpr std::size_t kLongestReason = 123;
  reason = reason.substr(0, kLongestReason);
  (void)wslay_event_queue_close(
      context_.get(), code, reinterpret_cast<const std::uint8_t*>(reason.data()), reason.size());
}

std::string WebSocketCodec::take_outgoing() {
  (void)wslay_event_send(context_.get());  // send_callback() does not fail
  return std::exchange(outgoing_, {});
}

ssize_t WebSocketCodec::recv_callback(wslay_event_context_ptr context, std::uint8_t* out,
                                      std::size_t size, int /*flags*/, void* self) {
  std::string_view& input = static_cast<WebSocketCodec*>(self)->input_;
  if (input.empty()) {
    wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  const std::size_t count = std::min(size, input.size());
  std::memcpy(out, input.data(), count);
  input.remove_prefix(count);
  return static_cast<ssize_t>(count);
}

ssize_t WebSocketCodec::send_callback(wslay_event_context_ptr /*context*/,
                                      const std::uint8_t* bytes, std::size_t size, int /*flags*/,
                                      void* self) {
  static_cast<WebSocketCodec*>(self)->outgoing_.append(text_of(bytes, size));
  return static_cast<ssize_t>(size);
}

int WebSocketCodec::mask_callback(wslay_event_context_ptr /*context*/, std::uint8_t* out,
                                  std::size_t size, void* /*self*/) {
  return RAND_bytes(out, static_cast<int>(size)) == 1 ? 0 : -1;
}

void WebSocketCodec::message_callback(wslay_event_context_ptr context,
                                      const wslay_event_on_msg_recv_arg* message, void* self) {
  WebSocketCodec& codec = *static_cast<WebSocketCodec*>(self);
  const std::string_view bytes = text_of(message->msg, message->msg_length);
  switch (message->opcode) {
    case WSLAY_BINARY_FRAME:
      if (!codec.refused_) codec.messages_.emplace_back(bytes);
      return;
    case WSLAY_TEXT_FRAME:
      if (codec.refused_) return;
      codec.refused_ = Error(ErrorCode::Decode, "websocket: unexpected message type: 1");
      codec.queue_close(WSLAY_CODE_UNSUPPORTED_DATA, "expected binary messages");
      wslay_event_shutdown_read(context);
      return;
    case WSLAY_CONNECTION_CLOSE:
      codec.close_ = Close{message->status_code != 0 ? message->status_code
                                                     : std::uint16_t{WSLAY_CODE_NO_STATUS_RCVD},
                           std::string(bytes.size() > 2 ? bytes.substr(2) : std::string_view())};
      return;
    default:  // pings, which libwslay answers, and pongs
      return;
  }
}

}  // namespace kube::transport
