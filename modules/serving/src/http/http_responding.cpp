// SPDX-License-Identifier: Apache-2.0
//
// Responses of a connection: whole ones, streamed ones, and those after which the connection ends.
#include <array>
#include <boost/asio/buffer.hpp>
#include <charconv>
#include <utility>

#include "http/http_connection.hpp"
#include "http/http_head.hpp"

namespace kube::serving {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kPiece = std::size_t{128} << 10U;
// The maximum that a client may still send after a refusal before the connection is closed.
constexpr std::size_t kMaxDiscard = std::size_t{64} << 20U;
constexpr auto kDiscardTime = std::chrono::seconds(5);

}  // namespace

HttpResponse text_response(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.body = std::move(text);
  return response;
}

void Connection::respond(HttpResponse response) {
  if (response.watch) {
    if (!head_only_) return start_watch(std::move(response));
    response.watch.reset();
  }
  if (response.stream) {
    if (!head_only_) return send_stream(std::move(response));
    response.stream.reset();
  }
  send_whole(std::move(response));
}

std::string Connection::head_text(const HttpResponse& response, std::optional<std::size_t> length) {
  // Without a length, an HTTP/1.0 client sees the end of the body only when the connection closes.
  if (!length && !chunked_) keep_alive_ = false;
  HeadFacts facts;
  facts.chunked = chunked_;
  facts.keep_alive = keep_alive_;
  facts.length = length;
  facts.audit_id = request_.audit_id.empty() ? shared_->ids.uid() : request_.audit_id;
  facts.now = shared_->timers.clock()->wall_now();
  return make_head(response, facts);
}

void Connection::refuse(const Refusal& refusal) {
  refuse_with(text_response(
      refusal.status, std::to_string(refusal.status) + " " + std::string(refusal.text) + "\n"));
}

void Connection::refuse_body() {
  refuse_with(shared_->callbacks.refuse_body(request_));
}

// Responds to a request that is not read to its end, then lets the client finish sending before the
// connection closes: otherwise the client may never see the response.
void Connection::refuse_with(HttpResponse response) {
  parser_.reset();
  keep_alive_ = false;
  discarding_ = true;
  send_whole(std::move(response));
}

void Body::flatten() {
  std::string whole;
  whole.reserve(size());
  std::size_t from = 0;
  for (const Insert& each : inserts) {
    whole.append(text, from, each.at - from).append(each.slice.bytes);
    from = each.at;
  }
  whole.append(text, from);
  text = std::move(whole);
  inserts.clear();
  inserted_ = 0;
}

std::vector<asio::const_buffer> Connection::out_buffers() const {
  std::vector<asio::const_buffer> out;
  out.reserve(2 * out_.inserts.size() + 4);
  const std::string_view text = out_.text;
  std::size_t from = 0;
  for (const Body::Insert& each : out_.inserts) {
    if (each.at != from) out.emplace_back(text.data() + from, each.at - from);
    out.emplace_back(each.slice.bytes.data(), each.slice.bytes.size());
    from = each.at;
  }
  if (from != text.size() || out.empty()) out.emplace_back(text.data() + from, text.size() - from);
  return out;
}

void Connection::send_whole(HttpResponse response) {
  head_ = head_text(response, response.body.size());
  out_ = head_only_ ? Body{} : std::move(response.body);
  unsent_ = out_buffers();
  unsent_.insert(unsent_.begin(), asio::buffer(head_));
  if (send_at_once()) return responded();
  send([this] { responded(); });
}

void Connection::send_stream(HttpResponse response) {
  source_ = std::move(response.stream);
  head_ = head_text(response, std::nullopt);
  unsent_ = {asio::buffer(head_)};
  end_timer_ =
      shared_->timers.submit_after(shared_->options.stream_timeout, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->drop();
      });
  send([this] { next_piece(); });
}

void Connection::next_piece() {
  out_.clear();
  const auto state = source_->next(kPiece, out_);
  if (state == BodySource::State::Lost) return drop();
  const bool more = state == BodySource::State::More;
  make_chunk(out_buffers(), !more);
  send([this, more] {
    if (more) return next_piece();
    end_timer_.cancel();
    source_.reset();
    responded();
  });
}

// Makes bytes that stay in place the chunk to be sent, with the end of the body after the last one.
void Connection::make_chunk(std::vector<asio::const_buffer> bytes, bool last) {
  constexpr std::string_view kBetween = "\r\n";
  constexpr std::string_view kEnd = "0\r\n\r\n";
  unsent_ = std::move(bytes);
  if (chunked_) {
    if (const std::size_t whole = asio::buffer_size(unsent_); whole != 0) {
      std::array<char, 24> size{};
      const auto digits = std::to_chars(size.data(), size.data() + size.size(), whole, 16);
      head_.assign(size.data(), digits.ptr).append(kBetween);
      unsent_.insert(unsent_.begin(), asio::buffer(head_));
      unsent_.emplace_back(kBetween.data(), kBetween.size());
    }
    if (last) unsent_.emplace_back(kEnd.data(), kEnd.size());
  }
}

// Sends of unsent_ what the socket takes at once, and returns whether that was all, as it most
// often is: this needs no operation of the stream, no timer and no turn. Otherwise the caller sends
// the rest by send(), which finds an error again. With TLS the rest may be a part of a record
// alone, of which unsent_ has nothing.
bool Connection::send_at_once() {
  if (tls_) {
    while (!unsent_.empty()) {
      const std::size_t size = tls_->write_now(unsent_);
      if (size == 0) return false;
      accepted(size);
    }
    return !tls_->has_unsent();
  }
  ErrorCode full;
  accepted(stream_.socket().write_some(unsent_, full));
  return unsent_.empty();
}

// Sends unsent_, then calls `then` while this connection is alive. Each time the client accepts a
// part, the timeout starts again.
void Connection::send(std::function<void()> then) {
  stream_.expires_after(shared_->options.write_timeout);
  auto sent = [self = shared_from_this(), then = std::move(then)](ErrorCode error,
                                                                  std::size_t size) mutable {
    if (error || self->closed_) return self->close();
    self->accepted(size);
    if (self->unsent_.empty()) return then();
    self->send(std::move(then));
  };
  with_stream([&](auto& stream) { stream.async_write_some(unsent_, std::move(sent)); });
}

void Connection::accepted(std::size_t size) {
  auto first = unsent_.begin();
  while (first != unsent_.end() && size >= first->size()) size -= (first++)->size();
  unsent_.erase(unsent_.begin(), first);
  if (!unsent_.empty()) unsent_.front() += size;
}

void Connection::responded() {
  out_.clear();
  if (out_.text.capacity() > kPiece) out_.text.shrink_to_fit();
  // Memory that one request needed must not be kept as long as the connection.
  if (buffer_.capacity() > kMaxUnreadBody) buffer_.shrink_to_fit();
  if (discarding_) return linger();
  if (!keep_alive_) return end();
  await_request();
}

void Connection::linger() {
  if (tls_) tls_->notify_close();
  ErrorCode ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  buffer_.clear();
  stream_.expires_after(kDiscardTime);
  discard();
}

void Connection::discard() {
  with_stream([this](auto& stream) {
    stream.async_read_some(buffer_.prepare(kMaxUnreadBody),
                           [self = shared_from_this()](ErrorCode error, std::size_t size) {
                             self->discarded_ += size;
                             if (error || self->closed_ || self->discarded_ > kMaxDiscard) {
                               return self->close();
                             }
                             self->discard();
                           });
  });
}

}  // namespace kube::serving
