// SPDX-License-Identifier: Apache-2.0
//
// A connection whose response is a watch: it sends what the watch has, and holds only the events
// that it is sending.
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "http/http_connection.hpp"

namespace kube::serving {

namespace asio = boost::asio;

namespace {

// The maximum that a client may send ahead while it watches.
constexpr std::size_t kMaxAhead = std::size_t{64} << 10U;

// The maximum of chunks that a watcher is sent before others have their turn.
constexpr int kTurns = 8;

}  // namespace

void Connection::start_watch(HttpResponse response) {
  watch_ = std::move(response.watch);
  keep_alive_ = false;
  bound_for_head(buffer_);
  buffer_.shrink_to_fit();
  head_ = head_text(response, std::nullopt);
  watch_->attach(shared_->timers, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      asio::post(self->stream_.get_executor(), [self] { self->on_wake(); });
    }
  });
  if (shared_->stopping.load()) watch_->end();
  watch_for_hangup();
  unsent_ = {asio::buffer(head_)};
  send([this] { pump_watch(); });
}

// Detects that the client has closed the connection: between two events nothing is sent or
// received.
void Connection::watch_for_hangup() {
  if (buffer_.size() > kMaxAhead) return close();
  stream_.expires_never();
  with_stream([this](auto& stream) {
    stream.async_read_some(buffer_.prepare(512),
                           [self = shared_from_this()](ErrorCode error, std::size_t size) {
                             if (self->closed_) return;
                             if (error) return self->close();
                             self->buffer_.commit(size);
                             self->watch_for_hangup();
                           });
  });
}

// A watcher that accepts nothing for Options::write_timeout while events wait is disconnected, as
// the reference server drops watchers that do not accept events.
void Connection::pump_watch() {
  watch_idle_ = false;
  for (int turn = 0; turn < kTurns; ++turn) {
    slices_.clear();
    const auto state = watch_->pump(slices_);
    if (state == WatchSource::State::Idle) {
      // A thousand idle watchers must not keep a thousand buffers.
      slices_.shrink_to_fit();
      unsent_.shrink_to_fit();
      watch_idle_ = true;
      return;
    }
    std::vector<asio::const_buffer> bytes;
    bytes.reserve(slices_.size() + 3);
    for (const Slice& slice : slices_) bytes.emplace_back(asio::buffer(slice.bytes));
    make_chunk(std::move(bytes), state == WatchSource::State::End);
    if (state == WatchSource::State::End) return send([this] { end(); });
    if (!send_at_once()) return send([this] { pump_watch(); });
  }
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (!self->closed_) self->pump_watch();
  });
}

void Connection::on_wake() {
  if (closed_ || !watch_) return;
  if (watch_idle_) return pump_watch();
  // The watch is over, but its client does not accept what was sent: it must not delay the end for
  // ever.
  if (watch_->ending()) {
    end_timer_ =
        shared_->timers.submit_after(shared_->options.write_timeout, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->drop();
        });
  }
}

}  // namespace kube::serving
