// SPDX-License-Identifier: Apache-2.0
//
// Responses of a connection: whole ones, streamed ones, and those after which the connection ends.
#include <array>
#include <boost/asio/buffer.hpp>
#include <charconv>
#include <utility>

#include "documents/errors.hpp"
#include "http/http_connection.hpp"
#include "http/http_head.hpp"
#include "requests/responses.hpp"
#include "requests/watch_session.hpp"

namespace kube::apiserver {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kPiece = std::size_t{128} << 10U;
// The maximum that a client may still send after a refusal before the connection is closed.
constexpr std::size_t kMaxDiscard = std::size_t{64} << 20U;
constexpr auto kDiscardTime = std::chrono::seconds(5);

}  // namespace

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
  refuse_with(error_response(body_too_large(shared_->options.max_body_bytes), request_.accept));
}

// Responds to a request that is not read to its end, then lets the client finish sending before the
// connection closes: otherwise the client may never see the response.
void Connection::refuse_with(HttpResponse response) {
  parser_.reset();
  keep_alive_ = false;
  discarding_ = true;
  send_whole(std::move(response));
}

void Connection::send_whole(HttpResponse response) {
  head_ = head_text(response, response.body.size());
  out_ = head_only_ ? std::string{} : std::move(response.body);
  unsent_ = {asio::buffer(head_), asio::buffer(out_)};
  send([this] { responded(); });
}

void Connection::send_stream(HttpResponse response) {
  source_ = std::move(response.stream);
  head_ = head_text(response, std::nullopt);
  unsent_ = {asio::buffer(head_)};
  send([this] { next_piece(); });
}

void Connection::next_piece() {
  out_.clear();
  const bool more = source_->next(kPiece, out_);
  send_chunk({asio::buffer(out_)}, !more, [this, more] {
    if (more) return next_piece();
    source_.reset();
    responded();
  });
}

// Sends bytes that stay in place as one chunk, followed by the end of the body if it is the last.
void Connection::send_chunk(std::vector<asio::const_buffer> bytes, bool last,
                            std::function<void()> then) {
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
  send(std::move(then));
}

// Sends unsent_, then calls `then` while this connection is alive. Each time the client accepts a
// part, the timeout starts again.
void Connection::send(std::function<void()> then) {
  stream_.expires_after(shared_->options.write_timeout);
  stream_.async_write_some(unsent_, [self = shared_from_this(), then = std::move(then)](
                                        ErrorCode error, std::size_t size) mutable {
    if (error || self->closed_) return self->close();
    std::vector<asio::const_buffer>& left = self->unsent_;
    auto first = left.begin();
    while (first != left.end() && size >= first->size()) size -= (first++)->size();
    left.erase(left.begin(), first);
    if (left.empty()) return then();
    left.front() += size;
    self->send(std::move(then));
  });
}

void Connection::responded() {
  out_.clear();
  if (out_.capacity() > kPiece) out_.shrink_to_fit();
  // Memory that one request needed must not be kept as long as the connection.
  if (buffer_.capacity() > kMaxUnreadBody) buffer_.shrink_to_fit();
  if (discarding_) return linger();
  if (!keep_alive_) return close();
  await_request();
}

void Connection::linger() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  stream_.expires_after(kDiscardTime);
  discard();
}

void Connection::discard() {
  stream_.async_read_some(buffer_.prepare(kMaxUnreadBody),
                          [self = shared_from_this()](ErrorCode error, std::size_t size) {
                            self->discarded_ += size;
                            if (error || self->closed_ || self->discarded_ > kMaxDiscard) {
                              return self->close();
                            }
                            self->discard();
                          });
}

}  // namespace kube::apiserver
