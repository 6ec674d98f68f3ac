// SPDX-License-Identifier: Apache-2.0
//
// The course of a session: channels, input with back pressure, the end.
#include "session_state.hpp"

#include <algorithm>
#include <utility>

#include <kube/transport/no_waiting.hpp>

#include "error_stream.hpp"

namespace kube::remotecommand {
namespace {

constexpr std::size_t kMaxErrorStream = std::size_t{64} << 10;
constexpr std::size_t kMaxUnsent = std::size_t{1} << 20;
// As client-go copies; larger messages would hold up a resize.
constexpr std::size_t kInputPiece = std::size_t{32} << 10;
constexpr std::string_view kProtocolThatCloses = "v5.channel.k8s.io";

Error stream_is_closed(const std::string& what) {
  return {ErrorCode::InvalidArgument, what};
}

}  // namespace

void Session::State::connect(std::shared_ptr<transport::WebSocket> socket) {
  const MutexLock lock(mutex_);
  if (!outcome_) socket_ = std::move(socket);
}

std::shared_ptr<transport::WebSocket> Session::State::socket() const {
  const MutexLock lock(mutex_);
  return socket_;
}

void Session::State::on_open(std::string_view protocol) {
  protocol_ = protocol;
  body_.begin({});
}

transport::Flow Session::State::on_message(std::string_view message) {
  if (message.empty()) {
    on_end(Error(ErrorCode::Decode, "read stream id: the message is empty"));
    if (const auto connection = socket()) connection->cancel();
    return transport::Flow::Continue;
  }
  switch (message.front()) {
    case kStdout:
    case kStderr:
      return body_.put({std::string(message)});
    case kError:
      error_stream_.append(message.substr(1, kMaxErrorStream - error_stream_.size()));
      break;
    case kCloseSignal:
      // The ends of the other streams come with the end of the connection.
      if (message.size() == 2 && message[1] == kStdin) {
        const MutexLock lock(mutex_);
        input_closed_ = true;
      }
      break;
    default:
      note_unknown(message);
  }
  return transport::Flow::Continue;
}

void Session::State::note_unknown(std::string_view message) {
  if (!unknown_channels_.insert(message.front()).second) return;
  KUBE_LOG(logger_, LogLevel::Warning, "remotecommand",
           "unknown stream id, discarding its messages",
           {"stream", std::to_string(static_cast<unsigned char>(message.front()))});
}

void Session::State::on_written() {
  {
    const MutexLock lock(mutex_);
    unsent_ = 0;
  }
  changed_.notify_all();
}

void Session::State::on_end(Result<void> result) {
  std::shared_ptr<transport::WebSocket> socket;
  Result<void> end;
  {
    const MutexLock lock(mutex_);
    socket = std::exchange(socket_, nullptr);
    if (outcome_) return;
    if (!result && error_stream_.empty()) {
      // A handshake that failed has its own context.
      const Error& failed = result.error();
      outcome_ = protocol_.empty() ? failed : failed.with_context("next reader");
    } else {
      // Once the server has reported the end, it does not matter how the connection ends.
      outcome_ = decode_error_stream(protocol_, error_stream_);
    }
    if (!*outcome_) end = outcome_->error();
  }
  changed_.notify_all();
  body_.end(std::move(end));
}

Optional<Result<Output>> Session::State::next(std::stop_token stop) {
  auto taken = body_.take(std::move(stop));
  if (!taken) return Result<Output>(taken.error());
  if (taken->resume) {
    if (const auto connection = socket()) connection->resume();
  }
  if (taken->piece) {
    const Stream stream = taken->piece->front() == kStderr ? Stream::Err : Stream::Out;
    taken->piece->erase(0, 1);
    return Result<Output>(Output{stream, *std::move(taken->piece)});
  }
  if (!taken->end) {
    return Result<Output>(Error(ErrorCode::Cancelled, "stopped while waiting for output"));
  }
  const MutexLock lock(mutex_);
  read_to_end_ = true;
  return std::nullopt;
}

Result<int> Session::State::exit_code() const {
  const MutexLock lock(mutex_);
  if (!read_to_end_) {
    return Error(ErrorCode::InvalidArgument,
                 "the exit code is known after next() has returned the end of the output");
  }
  if (!outcome_) return Error(ErrorCode::Cancelled, "the session was stopped");
  return *outcome_;
}

Result<void> Session::State::check_input() const {
  if (!streams_.in) return stream_is_closed("the session has no stdin: it was not requested");
  return {};
}

Result<void> Session::State::write(std::string_view bytes, std::stop_token stop) {
  MutexLock lock(mutex_);
  if (Result<void> input = check_input(); !input) return input;
  while (!bytes.empty()) {
    if (unsent_ >= kMaxUnsent) {
      if (auto allowed = transport::may_wait(); !allowed) return allowed;
    }
    const WaitStatus waited =
        clock_->wait_until(lock, changed_, TimePoint::max(), stop, [this]() KUBE_REQUIRES(mutex_) {
          return unsent_ < kMaxUnsent || outcome_ || input_closed_ || !socket_;
        });
    if (waited != WaitStatus::Ready) {
      return Error(ErrorCode::Cancelled, "stopped while waiting to send input");
    }
    if (outcome_ && !*outcome_) return outcome_->error();
    if (input_closed_ || !socket_) return stream_is_closed("write on closed stream 0");
    const std::string_view piece = bytes.substr(0, kInputPiece);
    bytes.remove_prefix(piece.size());
    unsent_ += piece.size();
    // Under the lock, so that pieces of two writers stay whole writes; it only queues.
    socket_->send(std::string(1, kStdin).append(piece));
  }
  return {};
}

Result<void> Session::State::close_input() {
  const MutexLock lock(mutex_);
  if (Result<void> input = check_input(); !input) return input;
  if (protocol_ != kProtocolThatCloses) {
    return Error(ErrorCode::InvalidArgument, "the protocol " + protocol_ +
                                                 " can't close stdin; expected " +
                                                 std::string(kProtocolThatCloses));
  }
  if (std::exchange(input_closed_, true) || !socket_) {
    return stream_is_closed("Close() on already closed stream 0");
  }
  socket_->send(std::string{kCloseSignal, kStdin});
  return {};
}

Result<void> Session::State::resize(TerminalSize size) {
  if (!streams_.tty) {
    return Error(ErrorCode::InvalidArgument, "the session has no terminal: it was not requested");
  }
  if (const auto connection = socket()) {
    connection->send(std::string(1, kResize)
                         .append("{\"Width\":" + std::to_string(size.width) +
                                 ",\"Height\":" + std::to_string(size.height) + "}\n"));
  }
  return {};
}

void Session::State::stop() {
  body_.stop();
  if (const auto connection = socket()) connection->close();
}

Session::Session(RestClient client, std::shared_ptr<State> state)
    : client_(std::move(client)), state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    stop();
    client_ = std::move(other.client_);
    state_ = std::move(other.state_);
  }
  return *this;
}
Session::~Session() {
  stop();
}
void Session::stop() {
  if (state_) state_->stop();  // not moved from
}
Optional<Result<Output>> Session::next(std::stop_token stop) {
  return state_->next(std::move(stop));
}
Result<int> Session::exit_code() const {
  return state_->exit_code();
}
Result<void> Session::write(std::string_view bytes, std::stop_token stop) {
  return state_->write(bytes, std::move(stop));
}
Result<void> Session::close_input() {
  return state_->close_input();
}
Result<void> Session::resize(TerminalSize size) {
  return state_->resize(size);
}
const std::string& Session::protocol() const& {
  return state_->protocol();
}

}  // namespace kube::remotecommand
