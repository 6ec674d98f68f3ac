// SPDX-License-Identifier: Apache-2.0
#include "http/http_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <utility>

namespace kube::serving {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

// The maximum of bytes of a response that the kernel accepts before it can send them.
[[maybe_unused]] constexpr int kMaxUnsent = 256 << 10;

}  // namespace

Connection::Connection(Socket socket, std::shared_ptr<ConnectionShared> shared,
                       std::function<void(Connection*)> on_gone)
    : stream_(std::move(socket)), shared_(std::move(shared)), on_gone_(std::move(on_gone)) {
  if (shared_->tls) {
    tls_context_ = shared_->tls->context();
    tls_.emplace(stream_, tls_context_->native_handle());
  }
  ErrorCode ignored;
  stream_.socket().non_blocking(true, ignored);
  // A unix socket has no such options.
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.socket().set_option(asio::socket_base::keep_alive(true), ignored);
#ifdef TCP_NOTSENT_LOWAT
  // The kernel would accept megabytes for a client that does not read; bytes that can't be sent yet
  // are better kept here, where watchers share them.
  const int max_unsent = kMaxUnsent;
  ::setsockopt(stream_.socket().native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &max_unsent,
               sizeof max_unsent);
#endif
}

Connection::~Connection() {
  on_gone_(this);
}

void Connection::start() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->tls_ ? self->shake_hands() : self->await_request();
  });
}

void Connection::shake_hands() {
  if (closed_) return;
  if (shared_->stopping.load()) return close();
  reading_head_ = true;
  idle_place_ = shared_->idle.enter(IdleConnections::Kind::HalfHead, weak_from_this());
  stream_.expires_after(shared_->options.header_timeout);
  tls_->async_handshake([self = shared_from_this()](ErrorCode error) {
    self->reading_head_ = false;
    self->shared_->idle.leave(self->idle_place_);
    if (error || self->closed_) return self->close();
    self->await_request();
  });
}

void Connection::turn_away() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->tls_) return self->close();  // there is nothing to say before a handshake
    HttpResponse response = text_response(503, "503 Service Unavailable: too many connections\n");
    response.headers.emplace_back("Retry-After", "1");
    self->refuse_with(std::move(response));
  });
}

void Connection::give_way() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->closed_) return;
    if (!self->awaiting_request_ && !self->reading_head_) {
      // It has a request now, so another one has to.
      if (const auto next = self->shared_->idle.take_first()) next->give_way();
      return;
    }
    // What has arrived is read, and a request in it is handled; then comes the end. To cancel would
    // have no effect on a connection whose bytes have just been read.
    ErrorCode ignored;
    self->stream_.socket().shutdown(asio::socket_base::shutdown_receive, ignored);
  });
}

bool Connection::has_unread() {
  ErrorCode unknown;
  return stream_.socket().available(unknown) != 0;
}

void Connection::drop() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->reset(); });
}

void Connection::cut_short() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->revision_waker_ ? self->revision_done() : self->reset();
  });
}

void Connection::reset() {
  if (closed_) return;
  // The client sees a broken connection, not an end.
  ErrorCode ignored;
  stream_.socket().set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void Connection::bookmark_watch() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (self->watch_) self->watch_->bookmark();
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
    // A request that has come is read, and handled; one that is discarded is read to its end.
    if (self->awaiting_request_ && !self->has_unread()) self->end();
    if (self->revision_waker_ && !self->awaits_work_) self->revision_done();
  });
}

// Between requests a connection may be silent for long; a request that has begun must continue.
void Connection::await_request() {
  if (closed_) return;
  if (shared_->stopping.load()) return end();
  if (buffer_.size() != 0) {
    // Not from here: a client may have sent a thousand requests ahead.
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->read_head(); });
    return;
  }
  awaiting_request_ = true;
  idle_place_ = shared_->idle.enter(IdleConnections::Kind::Idle, weak_from_this());
  stream_.expires_after(shared_->options.idle_timeout);
  with_stream([this](auto& stream) {
    stream.async_read_some(buffer_.prepare(4096),
                           [self = shared_from_this()](ErrorCode error, std::size_t size) {
                             self->awaiting_request_ = false;
                             self->shared_->idle.leave(self->idle_place_);
                             if (error || self->closed_) return self->close();
                             self->buffer_.commit(size);
                             self->read_head();
                           });
  });
}

void Connection::read_head() {
  if (closed_) return;
  request_ = {};
  parser_.emplace();
  bound_for_head(buffer_);
  // Most heads come in one piece: these need no operation of the stream, no timer and no turn.
  if (has_whole_head(buffer_)) {
    ErrorCode error;
    parser_->eager(false);
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error != http::error::need_more) return on_head(error);
  }
  reading_head_ = true;
  idle_place_ = shared_->idle.enter(IdleConnections::Kind::HalfHead, weak_from_this());
  stream_.expires_after(shared_->options.header_timeout);
  with_stream([this](auto& stream) {
    http::async_read_header(
        stream, buffer_, *parser_,
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_head(error); });
  });
}

void Connection::on_head(ErrorCode error) {
  if (std::exchange(reading_head_, false)) shared_->idle.leave(idle_place_);
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
  const std::size_t limit = shared_->options.max_body_bytes;
  if (const auto length = parser_->content_length(); length && *length > limit) {
    return refuse_body();
  }
  parser_->body_limit(limit);
  if (parser_->is_done()) return on_body({});
  if (!expects_continue(head)) return read_body();
  head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_.expires_after(shared_->options.header_timeout);
  with_stream([this](auto& stream) {
    asio::async_write(stream, asio::buffer(head_),
                      [self = shared_from_this()](ErrorCode failed, std::size_t) {
                        if (failed || self->closed_) return self->close();
                        self->read_body();
                      });
  });
}

void Connection::read_body() {
  bound_for_body(buffer_);
  stream_.expires_after(shared_->options.body_timeout);
  with_stream([this](auto& stream) {
    http::async_read(
        stream, buffer_, *parser_,
        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_body(error); });
  });
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
  respond(std::move(response));
}

void Connection::await_revision(const AwaitedRevision& awaited) {
  const auto wake = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      asio::post(self->stream_.get_executor(), [self] { self->revision_done(); });
    }
  };
  revision_waker_ = std::make_shared<const Waker>(wake);
  revision_timer_ = shared_->timers.submit_after(
      awaited.timeout.value_or(shared_->options.fresh_read_timeout), wake);
  waiting_self_ = shared_from_this();
  request_.awaited = awaited.state;
  awaited_ = awaited.source;
  awaits_work_ = awaited.is_work;
  awaited_->when_reached(awaited.revision, revision_waker_);
}

void Connection::revision_done() {
  if (closed_ || !revision_waker_) return;
  const auto self = std::move(waiting_self_);
  awaited_->forget(revision_waker_);
  revision_waker_.reset();
  revision_timer_.cancel();
  handle(true);
}

// To close a socket with bytes that nobody has read resets it, and the client may lose what it has
// not received yet: the end of an answer to a client that sends ahead.
void Connection::end() {
  if (closed_) return;
  // A watch reads what comes as long as it lasts.
  if ((buffer_.size() != 0 || has_unread()) && !discarding_ && !watch_) {
    discarding_ = true;
    return linger();
  }
  if (tls_) tls_->notify_close();
  close();
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  if (revision_waker_) {
    awaited_->forget(revision_waker_);
    revision_waker_.reset();
  }
  const auto self = std::move(waiting_self_);
  revision_timer_.cancel();
  end_timer_.cancel();
  watch_.reset();
  source_.reset();
  ErrorCode ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_both, ignored);
  stream_.close();
}

}  // namespace kube::serving
