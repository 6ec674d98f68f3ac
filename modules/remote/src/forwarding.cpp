// SPDX-License-Identifier: Apache-2.0
#include "forwarding.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include <kube/base/printable.hpp>

namespace kube::portforward {
namespace {

using boost::system::error_code;

constexpr std::size_t kMaxBuffered = std::size_t{1} << 20;
constexpr std::size_t kReadBytes = std::size_t{32} << 10;
constexpr std::size_t kMaxErrorText = std::size_t{64} << 10;
constexpr std::uint32_t kCancelStream = 5;

}  // namespace

std::optional<Result<void>> Forwarding::wait_for_open(std::stop_token stop) {
  const auto head = opening_.wait_for_head(std::move(stop));
  if (!head) return std::nullopt;
  return *head ? Result<void>() : Result<void>(head->error());
}

// Tasks hold no owner: those that remain when the context has stopped must not keep it alive.
void Forwarding::run_on_context(std::function<void(Forwarding&)> task) {
  boost::asio::post(*context_, [weak = weak_from_this(), task = std::move(task)] {
    if (const auto self = weak.lock()) task(*self);
  });
}

void Forwarding::on_open(std::string_view /*protocol*/) {
  opening_.begin({});
}

transport::Flow Forwarding::on_message(std::string_view message) {
  const std::size_t waiting = received_.fetch_add(message.size()) + message.size();
  const bool pause = waiting > kMaxBuffered;
  // Before the message can be consumed: its last byte then ends the pause.
  if (pause) {
    paused_ = true;
    ++pauses_;
  }
  run_on_context([bytes = std::string(message)](Forwarding& self) { self.receive(bytes); });
  return pause ? transport::Flow::Pause : transport::Flow::Continue;
}

void Forwarding::on_written() {
  run_on_context([](Forwarding& self) {
    self.unsent_ = 0;
    for (const LocalPtr& local : std::exchange(self.waiting_to_send_, {})) self.read_local(local);
  });
}

void Forwarding::on_end(Result<void> result) {
  opening_.end(result);
  Error why = result ? Error(ErrorCode::Unreachable, "the server has closed the connection")
                     : result.error();
  run_on_context([why](Forwarding& self) { self.lose(why); });
}

void Forwarding::lose(Error why) {
  if (const auto lost = std::exchange(lost_, nullptr)) lost(std::move(why));
}

void Forwarding::close() {
  lost_ = nullptr;
  for (const auto& [id, local] : std::exchange(streams_, {})) {
    error_code ignored;
    local->socket.close(ignored);
    local->answer_timer.reset();
  }
  waiting_to_send_.clear();
  socket_->close();
}

void Forwarding::consumed(std::size_t bytes) {
  const std::size_t left = received_.fetch_sub(bytes) - bytes;
  if (left <= kMaxBuffered / 2 && paused_.exchange(false)) socket_->resume();
}

void Forwarding::send(const std::string& frame) {
  unsent_ += frame.size();
  socket_->send(frame);
}

void Forwarding::add(Socket socket, ForwardedPort port) {
  const auto local = std::make_shared<Local>(std::move(socket), port);
  const std::string request = std::to_string(next_request_++);
  const auto open = [&](std::string_view type) {
    const std::uint32_t stream = std::exchange(next_stream_, next_stream_ + 2);
    streams_.emplace(stream, local);
    send(encoder_.syn_stream(stream, {{"streamtype", std::string(type)},
                                      {"port", std::to_string(port.remote)},
                                      {"requestid", request}}));
    return stream;
  };
  local->error_stream = open("error");
  send(SpdyEncoder::data(local->error_stream, {}, true));  // nothing is written to it
  local->data_stream = open("data");
  local->answer_timer.emplace(*context_);
  await_answer(local);
}

// An answer that waits behind bytes for other connections, which nobody takes, is not late.
void Forwarding::await_answer(const LocalPtr& local) {
  local->answer_timer->expires_after(answer_timeout_);
  local->answer_timer->async_wait([weak = weak_from_this(), local,
                                   pauses = pauses_.load()](const error_code& cancelled) {
    const auto self = weak.lock();
    if (!self || cancelled || local->accepted) return;
    if (self->paused_ || self->pauses_ != pauses) {
      self->await_answer(local);
      return;
    }
    self->fail(local, "error creating forwarding stream", "the server has not answered in time");
  });
}

void Forwarding::receive(std::string_view bytes) {
  const Result<std::vector<SpdyFrame>> frames = decoder_.receive(bytes);
  std::size_t kept = 0;
  if (frames) {
    for (const SpdyFrame& frame : *frames) {
      const auto found = streams_.find(frame.stream);
      if (frame.type == SpdyFrame::Type::Data && found != streams_.end() &&
          found->second->data_stream == frame.stream) {
        kept += frame.data.size();
      }
      handle(frame);
    }
  }
  // What waits for a local connection is counted down as it is written.
  received_.fetch_add(kept);
  consumed(bytes.size());
  if (!frames) lose(frames.error());
}

void Forwarding::handle(const SpdyFrame& frame) {
  if (frame.type == SpdyFrame::Type::Ping) {
    if (frame.value % 2 == 0) send(SpdyEncoder::ping(frame.value));  // the server's
    return;
  }
  if (frame.type == SpdyFrame::Type::GoAway) {
    lose(Error(ErrorCode::Unreachable, "the server goes away"));
    return;
  }
  const auto found = streams_.find(frame.stream);
  if (found == streams_.end()) return;
  handle_stream(LocalPtr(found->second), frame);
}

void Forwarding::handle_stream(const LocalPtr& local, const SpdyFrame& frame) {
  const bool is_data_stream = frame.stream == local->data_stream;
  const bool is_reset = frame.type == SpdyFrame::Type::RstStream;
  if (frame.type == SpdyFrame::Type::SynReply && is_data_stream && !local->accepted) {
    local->accepted = true;
    local->answer_timer.reset();
    read_local(local);
  }
  if (is_reset && !local->accepted) {
    fail(local, "error creating forwarding stream", "the server has refused the stream");
    return;
  }
  if (frame.type == SpdyFrame::Type::Data && !frame.data.empty()) {
    if (is_data_stream) {
      local->to_write.push_back(frame.data);
      write_local(local);
    } else {
      local->error_text.append(frame.data, 0, kMaxErrorText - local->error_text.size());
    }
  }
  if (!frame.fin && !is_reset) return;
  if (is_data_stream) {
    local->remote_ended = true;
  } else {
    local->error_ended = true;
    if (!local->error_text.empty()) {
      fail(local, "An error occurred forwarding", local->error_text);
      return;
    }
    if (is_reset) {
      fail(local, "Error reading from error stream", "the server has reset it");
      return;
    }
  }
  end_if_done(local);
}

void Forwarding::read_local(const LocalPtr& local) {
  if (local->local_ended || !local->accepted) return;
  if (unsent_ > kMaxBuffered) {
    waiting_to_send_.push_back(local);
    return;
  }
  local->read_buffer.resize(kReadBytes);
  local->socket.async_read_some(
      boost::asio::buffer(local->read_buffer),
      [weak = weak_from_this(), local](const error_code& failed, std::size_t size) {
        const auto self = weak.lock();
        if (!self || !self->streams_.contains(local->data_stream)) return;
        if (failed) {
          local->local_ended = true;
          self->send(SpdyEncoder::data(local->data_stream, {}, true));
          return;
        }
        self->send(SpdyEncoder::data(local->data_stream,
                                     std::string_view(local->read_buffer.data(), size), false));
        self->read_local(local);
      });
}

void Forwarding::write_local(const LocalPtr& local) {
  if (local->writing || local->to_write.empty()) return;
  local->writing = true;
  boost::asio::async_write(
      local->socket, boost::asio::buffer(local->to_write.front()),
      [weak = weak_from_this(), local](const error_code& failed, std::size_t /*size*/) {
        const auto self = weak.lock();
        if (!self) return;
        local->writing = false;
        self->consumed(local->to_write.front().size());
        local->to_write.pop_front();
        if (failed) {
          self->forget(local);
          return;
        }
        self->write_local(local);
        self->end_if_done(local);
      });
}

// The server's end of the data ends the connection, once it was written.
void Forwarding::end_if_done(const LocalPtr& local) {
  if (local->remote_ended && local->error_ended && local->to_write.empty()) forget(local);
}

void Forwarding::forget(const LocalPtr& local) {
  if (streams_.erase(local->data_stream) == 0) return;
  streams_.erase(local->error_stream);
  // What the server still wants to send has no reader.
  send(SpdyEncoder::rst_stream(local->data_stream, kCancelStream));
  error_code ignored;
  local->socket.shutdown(Socket::shutdown_both, ignored);
  local->socket.close(ignored);
  local->answer_timer.reset();
  // The one that is being written belongs to the handler of the write.
  std::size_t unwritten = 0;
  while (local->to_write.size() > (local->writing ? 1U : 0U)) {
    unwritten += local->to_write.back().size();
    local->to_write.pop_back();
  }
  consumed(unwritten);
}

// As client-go: one error ends the whole connection, since the streams share a kubelet's.
void Forwarding::fail(const LocalPtr& local, std::string_view what, std::string_view text) {
  KUBE_LOG(logger_, LogLevel::Error, "portforward", what,
           {"local_port", std::to_string(local->port.local)},
           {"remote_port", std::to_string(local->port.remote)}, {"error", printable(text)});
  lose(Error(ErrorCode::Unreachable, std::string(what) + " " + std::to_string(local->port.local) +
                                         " -> " + std::to_string(local->port.remote) + ": " +
                                         printable(text)));
}

}  // namespace kube::portforward
