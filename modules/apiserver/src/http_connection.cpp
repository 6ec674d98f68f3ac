// SPDX-License-Identifier: Apache-2.0
#include "http_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <cstdio>
#include <utility>

#include "answers.hpp"
#include "errors.hpp"
#include "http_head.hpp"
#include "watch_session.hpp"

namespace kube::apiserver {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t piece = std::size_t{128} << 10U;
// What a client may still send after a refusal before the connection is cut.
constexpr std::size_t max_discard = std::size_t{64} << 20U;
constexpr auto discard_time = std::chrono::seconds(5);
// What a client may send ahead while it watches.
constexpr std::size_t max_ahead = std::size_t{64} << 10U;

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, std::shared_ptr<ConnectionShared> shared,
                       std::function<void(Connection*)> on_gone)
    : stream_(std::move(socket)), shared_(std::move(shared)), on_gone_(std::move(on_gone)) {
  ErrorCode ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.socket().set_option(asio::socket_base::keep_alive(true), ignored);
}

Connection::~Connection() {
  on_gone_(this);
}

void Connection::start() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->await_request(); });
}

void Connection::drop() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->closed_) return;
    // A reset: the client sees a broken connection, not an end.
    ErrorCode ignored;
    self->stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
    self->close();
  });
}

void Connection::end_watch() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->watch_) self->watch_->end();
  });
}

void Connection::finish() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->keep_alive_ = false;
    if (self->watch_) self->watch_->end();
    if (self->awaiting_request_ || self->discarding_) self->close();
    if (self->revision_waker_) self->revision_done();
  });
}

// Between requests a connection may be silent for long; once a request has begun it must go on.
void Connection::await_request() {
  if (closed_) return;
  if (shared_->stopping.load()) return close();
  if (buffer_.size() != 0) return read_head();
  awaiting_request_ = true;
  stream_.expires_after(shared_->options.idle_timeout);
  stream_.async_read_some(buffer_.prepare(4096),
                          [self = shared_from_this()](ErrorCode error, std::size_t size) {
                            self->awaiting_request_ = false;
                            if (error || self->closed_) return self->close();
                            self->buffer_.commit(size);
                            self->read_head();
                          });
}

void Connection::read_head() {
  request_ = {};
  parser_.emplace();
  bound_for_head(buffer_);
  stream_.expires_after(shared_->options.header_timeout);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_head(error); });
}

void Connection::on_head(ErrorCode error) {
  if (closed_) return;
  if (error) {
    const auto refusal = refuse_unreadable(error);
    return refusal ? refuse(*refusal) : close();
  }
  const auto& head = parser_->get();
  chunked_ = head.version() >= 11;
  keep_alive_ = head.keep_alive() && !shared_->stopping.load();
  head_only_ = head.method() == http::verb::head;
  if (const auto refusal = refuse_head(head)) return refuse(*refusal);
  const std::size_t limit = shared_->options.body_limit;
  if (const auto length = parser_->content_length(); length && *length > limit) {
    return refuse_body();
  }
  parser_->body_limit(limit);
  if (parser_->is_done()) return on_body({});
  if (!expects_continue(head)) return read_body();
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(stream_, asio::buffer(head_),
                    [self = shared_from_this()](ErrorCode failed, std::size_t) {
                      if (failed || self->closed_) return self->close();
                      self->read_body();
                    });
}

void Connection::read_body() {
  bound_for_body(buffer_);
  stream_.expires_after(shared_->options.body_timeout);
  http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_body(error); });
}

void Connection::on_body(ErrorCode error) {
  if (closed_) return;
  if (error == http::error::body_limit) return refuse_body();
  if (error) {
    const auto refusal = refuse_unreadable(error);
    return refusal ? refuse(*refusal) : close();
  }
  stream_.expires_never();
  request_ = take_request(*parser_);
  parser_.reset();
  shared_->requests.fetch_add(1, std::memory_order_relaxed);
  handle(false);
}

void Connection::handle(bool last_attempt) {
  HttpResponse response = shared_->callbacks.handle(request_, last_attempt);
  if (response.await_revision) return await_revision(*response.await_revision);
  request_.body = {};
  answer(std::move(response));
}

void Connection::await_revision(std::uint64_t revision) {
  const auto wake = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      asio::post(self->stream_.get_executor(), [self] { self->revision_done(); });
    }
  };
  revision_waker_ = std::make_shared<const Waker>(wake);
  revision_timer_ = shared_->timers.submit_after(shared_->options.fresh_read_timeout, wake);
  waiting_self_ = shared_from_this();
  shared_->callbacks.when_reached(revision, revision_waker_);
}

void Connection::revision_done() {
  if (closed_ || !revision_waker_) return;
  const auto self = std::move(waiting_self_);
  shared_->callbacks.forget(revision_waker_);
  revision_waker_.reset();
  revision_timer_.cancel();
  handle(true);
}

void Connection::answer(HttpResponse response) {
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
  // Without a length an old client needs the end of the connection to see the end of the body.
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
  refuse_with(text_answer(refusal.status,
                          std::to_string(refusal.status) + " " + std::string(refusal.text) + "\n"));
}

void Connection::refuse_body() {
  refuse_with(error_answer(body_too_large(shared_->options.body_limit), request_.accept));
}

// A request that is not read to its end: answer, then let the client finish before the connection
// goes, or it may never see the answer.
void Connection::refuse_with(HttpResponse response) {
  parser_.reset();
  keep_alive_ = false;
  discarding_ = true;
  send_whole(std::move(response));
}

void Connection::send_whole(HttpResponse response) {
  head_ = head_text(response, response.body.size());
  out_ = head_only_ ? std::string{} : std::move(response.body);
  stream_.expires_after(shared_->options.write_timeout);
  const std::array<asio::const_buffer, 2> buffers = {asio::buffer(head_), asio::buffer(out_)};
  asio::async_write(stream_, buffers, [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (error || self->closed_) return self->close();
    self->answered();
  });
}

void Connection::send_stream(HttpResponse response) {
  source_ = std::move(response.stream);
  head_ = head_text(response, std::nullopt);
  stream_.expires_after(shared_->options.write_timeout);
  asio::async_write(stream_, asio::buffer(head_),
                    [self = shared_from_this()](ErrorCode error, std::size_t) {
                      if (error || self->closed_) return self->close();
                      self->next_piece();
                    });
}

void Connection::next_piece() {
  out_.clear();
  const bool more = source_->next(piece, out_);
  stream_.expires_after(shared_->options.write_timeout);
  send_chunk(!more, [this, more] {
    if (more) return next_piece();
    source_.reset();
    answered();
  });
}

// Sends out_ as a chunk, and the end of the body behind it if it is the last. `then` is called with
// this connection alive.
void Connection::send_chunk(bool last, std::function<void()> then) {
  constexpr std::string_view end = "0\r\n\r\n";
  head_.clear();
  std::string_view tail;
  if (chunked_) {
    if (!out_.empty()) {
      std::array<char, 24> size{};
      const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", out_.size());
      head_.assign(size.data(), static_cast<std::size_t>(length));
      out_ += "\r\n";
    }
    if (last) tail = end;
  }
  const std::array<asio::const_buffer, 3> buffers = {asio::buffer(head_), asio::buffer(out_),
                                                     asio::buffer(tail.data(), tail.size())};
  asio::async_write(
      stream_, buffers,
      [self = shared_from_this(), then = std::move(then)](ErrorCode error, std::size_t) {
        if (error || self->closed_) return self->close();
        then();
      });
}

void Connection::start_watch(HttpResponse response) {
  watch_ = std::move(response.watch);
  keep_alive_ = false;
  bound_for_head(buffer_);
  // Nothing limits how slow a watcher may be: history does.
  stream_.expires_never();
  head_ = head_text(response, std::nullopt);
  watch_->attach(shared_->timers, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      asio::post(self->stream_.get_executor(), [self] { self->on_wake(); });
    }
  });
  if (shared_->stopping.load()) watch_->end();
  watch_for_hangup();
  asio::async_write(stream_, asio::buffer(head_),
                    [self = shared_from_this()](ErrorCode error, std::size_t) {
                      if (error || self->closed_) return self->close();
                      self->pump_watch();
                    });
}

void Connection::watch_for_hangup() {
  if (buffer_.size() > max_ahead) return close();
  stream_.async_read_some(buffer_.prepare(512),
                          [self = shared_from_this()](ErrorCode error, std::size_t size) {
                            if (self->closed_) return;
                            if (error) return self->close();
                            self->buffer_.commit(size);
                            self->watch_for_hangup();
                          });
}

void Connection::pump_watch() {
  watch_idle_ = false;
  out_.clear();
  switch (watch_->pump(out_)) {
    case WatchSession::State::Data:
      send_chunk(false, [this] { pump_watch(); });
      return;
    case WatchSession::State::Idle:
      // A thousand idle watchers must not keep a thousand buffers.
      out_.shrink_to_fit();
      watch_idle_ = true;
      return;
    case WatchSession::State::End:
      stream_.expires_after(shared_->options.write_timeout);
      send_chunk(true, [this] { close(); });
      return;
  }
}

void Connection::on_wake() {
  if (closed_ || !watch_) return;
  if (watch_idle_) return pump_watch();
  // The watch is over, but its client does not take what was sent: it must not hold the end up for
  // ever.
  if (watch_->ending()) {
    end_timer_ =
        shared_->timers.submit_after(shared_->options.write_timeout, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->drop();
        });
  }
}

void Connection::answered() {
  out_.clear();
  if (out_.capacity() > piece) out_.shrink_to_fit();
  // What one request needed must not stay for as long as the connection does.
  if (buffer_.capacity() > max_unread_body) buffer_.shrink_to_fit();
  if (discarding_) return linger();
  if (!keep_alive_) return close();
  await_request();
}

void Connection::linger() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  stream_.expires_after(discard_time);
  discard();
}

void Connection::discard() {
  stream_.async_read_some(buffer_.prepare(max_unread_body),
                          [self = shared_from_this()](ErrorCode error, std::size_t size) {
                            self->discarded_ += size;
                            if (error || self->closed_ || self->discarded_ > max_discard) {
                              return self->close();
                            }
                            self->discard();
                          });
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  if (revision_waker_) {
    shared_->callbacks.forget(revision_waker_);
    revision_waker_.reset();
  }
  const auto self = std::move(waiting_self_);
  revision_timer_.cancel();
  end_timer_.cancel();
  watch_.reset();
  source_.reset();
  ErrorCode ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream_.close();
}

}  // namespace kube::apiserver
