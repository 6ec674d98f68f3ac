// SPDX-License-Identifier: Apache-2.0
//
// The streams of one remote command, between the WebSocket and the threads that use the Session.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/remote/remote_command.hpp>
#include <kube/transport/body_queue.hpp>
#include <kube/transport/websocket.hpp>

namespace kube::remotecommand {

/// The streams that were requested.
struct Session::Streams {
  bool in = false;
  bool out = false;
  bool err = false;
  bool tty = false;
};

class Session::State final : public transport::WebSocketHandler {
 public:
  State(const Streams& streams, const Runtime& runtime)
      : streams_(streams), clock_(runtime.clock()), logger_(runtime.logger), body_(clock_) {}

  /// Called before the connection is opened. The socket holds this, and this the socket, until the
  /// end of the connection.
  void connect(std::shared_ptr<transport::WebSocket> socket);

  // Called by the connection.
  void on_open(std::string_view protocol) override;
  transport::Flow on_message(std::string_view message) override;
  void on_written() override;
  void on_end(Result<void> result) override;

  // Called by the user's threads; see Session.
  std::optional<Result<transport::ResponseHead>> wait_for_open(std::stop_token stop) {
    return body_.wait_for_head(std::move(stop));
  }
  Optional<Result<Output>> next(std::stop_token stop);
  Result<int> exit_code() const;
  Result<void> write(std::string_view bytes, std::stop_token stop);
  Result<void> close_input();
  Result<void> resize(TerminalSize size);
  void stop();
  const std::string& protocol() const { return protocol_; }

 private:
  // The channels: the first byte of a message.
  static constexpr char kStdin = 0;
  static constexpr char kStdout = 1;
  static constexpr char kStderr = 2;
  static constexpr char kError = 3;
  static constexpr char kResize = 4;
  static constexpr char kCloseSignal = static_cast<char>(0xff);

  std::shared_ptr<transport::WebSocket> socket() const KUBE_EXCLUDES(mutex_);
  Result<void> check_input() const KUBE_REQUIRES(mutex_);
  void note_unknown(std::string_view message);

  const Streams streams_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Logger> logger_;
  transport::BodyQueue body_;  // of messages of stdout and stderr
  std::string protocol_;       // set before body_ has a head

  // Used only by the connection.
  std::string error_stream_;
  std::set<char> unknown_channels_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<transport::WebSocket> socket_ KUBE_GUARDED_BY(mutex_);  // null after the end
  bool input_closed_ KUBE_GUARDED_BY(mutex_) = false;
  std::size_t unsent_ KUBE_GUARDED_BY(mutex_) = 0;  // bytes since the last on_written()
  std::optional<Result<int>> outcome_ KUBE_GUARDED_BY(mutex_);
  bool read_to_end_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kube::remotecommand
