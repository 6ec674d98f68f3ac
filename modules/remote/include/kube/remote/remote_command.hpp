// SPDX-License-Identifier: Apache-2.0
//
// Talks to commands in containers: `kubectl exec` and `kubectl attach`, over WebSocket
// (docs/reference/clients-and-config.md ch. 22). For a command without input see pod_calls.hpp.
//
//   kube::core::v1::PodExecOptions options{.stdin_ = true, .stdout = true};
//   options.command = {"sh"};
//   auto shell = kube::remotecommand::exec(client, "web", "front-0", options, {}, stop);
//   if (!shell) return shell.error();
//   if (auto sent = shell->write("date\n", stop); !sent) return sent.error();
//   if (auto closed = shell->close_input(); !closed) return closed.error();
//   while (auto output = shell->next(stop)) {
//     if (!*output) return output->error();
//     std::cout << (*output)->bytes;
//   }
//   return shell->exit_code();
//
// SPDY, which servers before Kubernetes 1.30 need for exec, is not spoken
// (docs/decisions/0022-remote-commands-over-websocket.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod_attach_options.hpp>
#include <kube/api/core/v1/pod_exec_options.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>

namespace kube::remotecommand {

/// How to talk to the server.
/// @par Thread safety   A value.
struct SessionOptions {
  /// Offered to the server, the best one first: "v5.channel.k8s.io" and its predecessors down to
  /// "channel.k8s.io". Only v5 can close the command's input.
  std::vector<std::string> protocols{"v5.channel.k8s.io", "v4.channel.k8s.io"};
};

/// In characters.
struct TerminalSize {
  std::uint16_t width = 0;
  std::uint16_t height = 0;
  bool operator==(const TerminalSize&) const = default;
};

enum class Stream { Out, Err };

/// A part of the output, as it arrived.
struct Output {
  Stream stream = Stream::Out;
  std::string bytes{};
};

/// A command that runs in a container.
///
/// Output that arrives before next() takes it is buffered up to 1 MiB; then the server has to wait,
/// and the command with it.
///
/// @par Thread safety   next() by one thread at a time; the other functions by any thread: a
///   message of one is never cut by one of another.
/// @par Stopping   stop(), the token of exec() or attach(), or the destructor. None of them ends
///   the command itself: a server kills it or not.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Returns the next output; nullopt at the end of the session, after all output.
  /// @par Errors   Cancelled when `stop` is requested; the session continues.
  /// @par Blocks   Until output arrives, the session ends, or `stop` is requested.
  Optional<Result<Output>> next(std::stop_token stop = {});

  /// Returns the command's exit code, 0 to 255, after next() has returned nullopt. For attach, 0
  /// means that the container has ended or the server has closed the streams.
  /// @par Errors   Server: the server could not run the command, with its message. Decode: "error
  ///   stream protocol error: ...". Unreachable, Timeout: the connection broke ("next reader:
  ///   ..."). Cancelled: stopped. InvalidArgument: next() has not returned nullopt yet.
  Result<int> exit_code() const;

  /// Sends bytes to the command's standard input.
  /// @par Errors   InvalidArgument: there is no input, or it was closed, here or by the server.
  ///   Cancelled when `stop` is requested; the bytes may have been sent. The session's end.
  /// @par Blocks   While more than 1 MiB waits to be sent.
  Result<void> write(std::string_view bytes, std::stop_token stop = {});
  /// Ends the command's standard input.
  /// @par Errors   InvalidArgument: there is no input, it was closed already, or the negotiated
  ///   protocol can't (older than v5).
  Result<void> close_input();
  /// @par Errors   InvalidArgument: the session has no terminal.
  Result<void> resize(TerminalSize size);

  /// Ends the session. Does not block.
  void stop();

  /// Returns the protocol that the server has chosen.
  const std::string& protocol() const&;

 private:
  class State;
  struct Streams;
  friend Result<Session> exec(const RestClient&, std::string_view, std::string_view,
                              const core::v1::PodExecOptions&, const SessionOptions&,
                              std::stop_token);
  friend Result<Session> attach(const RestClient&, std::string_view, std::string_view,
                                const core::v1::PodAttachOptions&, const SessionOptions&,
                                std::stop_token);
  static Result<Session> open(const RestClient& client, Request request, const Streams& streams,
                              const SessionOptions& options, std::stop_token stop);
  Session(RestClient client, std::shared_ptr<State> state);
  RestClient client_;  // whose transport the session needs
  std::shared_ptr<State> state_;
};

/// Starts a command in a pod's container. With a terminal (`tty`), which has one stream of output,
/// `stderr` is not requested.
/// @par Errors   InvalidArgument: no command, no stream, or names that can't be in a path. Server:
///   the server refuses, with its Status. "unable to upgrade streaming request: ..." for a server
///   or proxy that does not speak WebSocket. Those of the transport.
/// @par Blocks   Until the server has switched protocols, at most 30 s, or `stop` is requested,
///   which later ends the session.
Result<Session> exec(const RestClient& client, std::string_view namespace_, std::string_view pod,
                     const core::v1::PodExecOptions& options,
                     const SessionOptions& session_options = {}, std::stop_token stop = {});

/// Attaches to the process of a pod's container.
/// @par Errors   As exec(), but for the command.
/// @par Blocks   As exec().
Result<Session> attach(const RestClient& client, std::string_view namespace_, std::string_view pod,
                       const core::v1::PodAttachOptions& options,
                       const SessionOptions& session_options = {}, std::stop_token stop = {});

/// Where copy_output() writes. An empty function drops the output.
struct Sinks {
  std::function<Result<void>(std::string_view bytes)> out{};
  std::function<Result<void>(std::string_view bytes)> err{};
};

/// Passes the output on until the end of the session and returns the exit code. When a sink fails,
/// the remaining output is read and dropped, so that the command does not block, and the sink's
/// error is returned.
/// @par Errors   Those of the sinks, of Session::next() and of Session::exit_code().
/// @par Blocks   Until the session ends, or `stop` is requested, which stops it.
Result<int> copy_output(Session& session, const Sinks& sinks, std::stop_token stop = {});

/// Returns what kubectl prints of an exit code that is not 0: "command terminated with exit code
/// 42".
std::string exit_code_text(int exit_code);

}  // namespace kube::remotecommand
