// SPDX-License-Identifier: Apache-2.0
//
// The course of a WebSocket connection: handshake, messages, heartbeat, end.
#include <kube/transport/websocket.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include <openssl/evp.h>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>

#include "websocket_codec.hpp"

namespace kube::transport {
namespace {

constexpr std::size_t kMaxRefusal = std::size_t{64} << 10;
constexpr Duration kCloseTimeout = std::chrono::seconds(2);
constexpr std::uint16_t kNormalClosure = 1000;
constexpr std::string_view kUpgrading = "unable to upgrade streaming request";

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text(4 * ((size + 2) / 3) + 1, '\0');  // EVP_EncodeBlock() adds a zero
  text.resize(static_cast<std::size_t>(EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size))));
  return text;
}

// It does not protect anything: it tells apart the handshakes that caches have seen.
std::string random_key() {
  std::random_device device;
  std::array<unsigned char, 16> bytes{};
  std::ranges::generate(bytes, [&] { return static_cast<unsigned char>(device()); });
  return base64(bytes.data(), bytes.size());
}

// RFC 6455, 1.3.
std::string accept_for(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return base64(digest.data(), size);
}

std::string bad_handshake(std::string_view more = {}) {
  std::string text = "websocket: bad handshake";
  return text.append(more);
}

std::string in_seconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : ", ").append(text);
  return all;
}

Error closed_with(std::uint16_t code, std::string_view reason) {
  std::string text = "websocket: close " + std::to_string(code);
  if (!reason.empty()) text.append(": ").append(printable(reason));
  return {ErrorCode::Unreachable, std::move(text)};
}

}  // namespace

WebSocket::WebSocket(Options options, std::shared_ptr<WebSocketHandler> handler,
                     std::shared_ptr<Executor> executor)
    : options_(std::move(options)),
      key_(random_key()),
      executor_(std::move(executor)),
      handler_(std::move(handler)),
      codec_(std::make_unique<WebSocketCodec>(options_.max_message_bytes)) {}

WebSocket::~WebSocket() = default;

Headers WebSocket::handshake_headers() const {
  return {{"Sec-WebSocket-Version", "13"},
          {"Sec-WebSocket-Key", key_},
          {"Sec-WebSocket-Protocol", joined(options_.protocols)}};
}

void WebSocket::attach(std::shared_ptr<Exchange> exchange) {
  bool cancelled = false;
  {
    const MutexLock lock(mutex_);
    exchange_ = exchange;
    cancelled = cancelled_;
    flush();
  }
  if (cancelled) exchange->cancel();
}

std::shared_ptr<Exchange> WebSocket::exchange() {
  const MutexLock lock(mutex_);
  return exchange_;
}

// Under the lock, so that the frames of two threads keep their order; Exchange::write() only
// queues.
void WebSocket::flush() {
  if (!exchange_) return;
  std::string bytes = codec_->take_outgoing();
  if (!bytes.empty()) exchange_->write(std::move(bytes));
}

void WebSocket::send(std::string_view message) {
  const MutexLock lock(mutex_);
  codec_->queue_message(message);
  flush();
}

void WebSocket::close(std::uint16_t code, std::string_view reason) {
  const MutexLock lock(mutex_);
  if (std::exchange(closing_, true)) return;
  codec_->queue_close(code, reason);
  flush();
  arm(kCloseTimeout);
}

void WebSocket::resume() {
  {
    const MutexLock lock(mutex_);
    paused_ = false;
    heard_ = executor_->clock()->now();
  }
  if (const auto running = exchange()) running->resume();
}

void WebSocket::cancel() {
  {
    const MutexLock lock(mutex_);
    if (ended_) return;
  }
  end_exchange();
}

void WebSocket::end_exchange() {
  {
    const MutexLock lock(mutex_);
    cancelled_ = true;
  }
  if (const auto running = exchange()) running->cancel();
}

void WebSocket::fail(Error error) {
  {
    const MutexLock lock(mutex_);
    failure_ = std::move(error);
  }
  end_exchange();
}

Result<void> WebSocket::check_handshake(const ResponseHead& head) const {
  const auto fail = [](std::string why) {
    return Error(ErrorCode::Unreachable, bad_handshake(": " + std::move(why)))
        .with_context(kUpgrading);
  };
  const std::string_view upgrade = head.headers.find("Upgrade").value_or("");
  if (!ascii::equal_ignoring_case(upgrade, "websocket")) {
    return fail("the server switched to another protocol than websocket");
  }
  if (head.headers.find("Sec-WebSocket-Accept").value_or("") != accept_for(key_)) {
    return fail("the header Sec-WebSocket-Accept is missing or wrong");
  }
  const std::string protocol(head.headers.find("Sec-WebSocket-Protocol").value_or(""));
  if (std::find(options_.protocols.begin(), options_.protocols.end(), protocol) ==
      options_.protocols.end()) {
    return Error(ErrorCode::Unreachable, "invalid protocol, expected one of [" +
                                             joined(options_.protocols) + "], got \"" +
                                             printable(protocol) + "\"");
  }
  return {};
}

void WebSocket::on_head(ResponseHead head) {
  if (head.status != 101) {
    refused_ = head.status;
    return;
  }
  if (const Result<void> checked = check_handshake(head); !checked) {
    fail(checked.error());
    return;
  }
  {
    const MutexLock lock(mutex_);
    heard_ = executor_->clock()->now();
    if (options_.ping_period > Duration::zero()) arm(options_.ping_period);
  }
  open_ = true;
  handler_->on_open(head.headers.find("Sec-WebSocket-Protocol").value_or(""));
}

Flow WebSocket::on_data(std::string_view chunk) {
  if (!open_ || !handler_) {
    refusal_.append(chunk.substr(0, kMaxRefusal - refusal_.size()));
    return Flow::Continue;
  }
  Result<std::vector<std::string>> messages = std::vector<std::string>();
  std::optional<Result<void>> end;
  {
    const MutexLock lock(mutex_);
    heard_ = executor_->clock()->now();
    paused_ = true;  // before the handler can call resume() for a Pause that it is about to return
    messages = codec_->receive(chunk);
    flush();
    if (!messages) {
      end = messages.error();
    } else if (const auto& close = codec_->received_close(); close) {
      end.emplace();
      if (close->code != kNormalClosure) *end = closed_with(close->code, close->reason);
    }
  }
  Flow flow = Flow::Continue;
  if (messages) {
    for (const std::string& message : *messages) {
      if (handler_->on_message(message) == Flow::Pause) flow = Flow::Pause;
    }
  }
  if (flow == Flow::Continue) {
    const MutexLock lock(mutex_);
    paused_ = false;
  }
  if (!end) return flow;
  finish(*std::move(end));
  const MutexLock lock(mutex_);
  arm(kCloseTimeout);  // for our close to be sent
  return Flow::Continue;
}

void WebSocket::on_written() {
  if (handler_) {
    handler_->on_written();
  } else {
    end_exchange();  // our close was the last thing to send
  }
}

void WebSocket::on_end(Result<void> result) {
  finish(reason_of_end(std::move(result)));
}

Result<void> WebSocket::reason_of_end(Result<void> result) {
  const MutexLock lock(mutex_);
  if (failure_) return *failure_;
  if (refused_ != 0 && result) {
    std::string text = bad_handshake(" (" + std::to_string(refused_) + ")");
    const std::string_view body = ascii::trim_space(refusal_);
    if (!body.empty()) text.append(": ").append(printable(body));
    return Error(ErrorCode::Unreachable, std::move(text)).with_context(kUpgrading);
  }
  if (!open_ && !result) {
    // A client above has made the error of the server's response.
    const bool answered = result.error().code() == ErrorCode::Server;
    const Error why = answered ? result.error().with_context(bad_handshake()) : result.error();
    return why.with_context(kUpgrading);
  }
  if (closing_) return {};
  if (result) return closed_with(1006, "the connection ended without a close");
  return result;
}

// Ends the handler's part; the exchange may still have a close to send.
void WebSocket::finish(Result<void> result) {
  Timer timer;
  {
    const MutexLock lock(mutex_);
    ended_ = true;
    timer = std::move(timer_);
  }
  if (const auto handler = std::exchange(handler_, nullptr)) handler->on_end(std::move(result));
}

void WebSocket::arm(Duration delay) {
  timer_ = executor_->submit_after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void WebSocket::on_timer() {
  {
    const MutexLock lock(mutex_);
    // Nobody reads during a pause: what the peer has sent is not known.
    const bool silent = !paused_ && executor_->clock()->now() - heard_ >= options_.pong_timeout;
    if (!closing_ && !ended_ && !silent) {
      codec_->queue_ping();
      flush();
      arm(options_.ping_period);
      return;
    }
    if (!closing_ && !ended_) {
      failure_ = Error(ErrorCode::Timeout,
                       "websocket: i/o timeout: the peer has sent nothing, "
                       "not even a pong, for " +
                           in_seconds(options_.pong_timeout));
    }
  }
  end_exchange();
}

}  // namespace kube::transport
