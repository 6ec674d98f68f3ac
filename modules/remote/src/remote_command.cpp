// SPDX-License-Identifier: Apache-2.0
//
// Requests for exec and attach, and what programs do with their sessions.
#include <kube/remote/remote_command.hpp>

#include <utility>

#include <kube/codec/query.hpp>
#include <kube/transport/no_waiting.hpp>

#include "pod_request.hpp"
#include "session_state.hpp"

namespace kube::remotecommand {
Result<Session> Session::open(const RestClient& client, Request request, const Streams& streams,
                              const SessionOptions& options, std::stop_token stop) {
  const std::string doing = request.verb + " " + request.subject;
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context(doing);
  }
  if (!streams.in && !streams.out && !streams.err) {
    return Error(ErrorCode::InvalidArgument,
                 "expected at least one of stdin, stdout and stderr to be requested")
        .with_context(doing);
  }
  if (options.protocols.empty()) {
    return Error(ErrorCode::InvalidArgument, "expected a protocol to offer").with_context(doing);
  }
  auto state = std::make_shared<State>(streams, client.runtime());
  auto socket = std::make_shared<transport::WebSocket>(
      transport::WebSocket::Options{.protocols = options.protocols}, state,
      client.runtime().executor);
  request.headers = socket->handshake_headers();
  state->connect(socket);
  Session session(client, state);
  socket->attach(client.start(request, socket, stop));
  const auto opened = state->wait_for_open(std::move(stop));
  if (!opened) {
    return Error(ErrorCode::Cancelled, "stopped while waiting for the server").with_context(doing);
  }
  if (!*opened) return opened->error();
  return session;
}

Result<Session> exec(const RestClient& client, std::string_view namespace_, std::string_view pod,
                     const core::v1::PodExecOptions& options, const SessionOptions& session_options,
                     std::stop_token stop) {
  core::v1::PodExecOptions wanted = options;
  if (wanted.tty) wanted.stderr = false;
  Result<Request> request = pod_request(namespace_, pod, "exec", meta::to_query(wanted));
  if (!request) return request.error();
  if (wanted.command.empty()) {
    return Error(ErrorCode::InvalidArgument, "expected a command")
        .with_context("exec " + request->subject);
  }
  return Session::open(client, *std::move(request),
                       {wanted.stdin_, wanted.stdout, wanted.stderr, wanted.tty}, session_options,
                       std::move(stop));
}

Result<Session> attach(const RestClient& client, std::string_view namespace_, std::string_view pod,
                       const core::v1::PodAttachOptions& options,
                       const SessionOptions& session_options, std::stop_token stop) {
  core::v1::PodAttachOptions wanted = options;
  if (wanted.tty) wanted.stderr = false;
  Result<Request> request = pod_request(namespace_, pod, "attach", meta::to_query(wanted));
  if (!request) return request.error();
  return Session::open(client, *std::move(request),
                       {wanted.stdin_, wanted.stdout, wanted.stderr, wanted.tty}, session_options,
                       std::move(stop));
}

Result<int> copy_output(Session& session, const Sinks& sinks, std::stop_token stop) {
  Result<void> sunk;
  while (const Optional<Result<Output>> output = session.next(stop)) {
    if (!*output) {
      session.stop();
      return output->error();
    }
    if (!sunk) continue;
    const auto& sink = (*output)->stream == Stream::Out ? sinks.out : sinks.err;
    if (sink) sunk = sink((*output)->bytes);
  }
  if (!sunk) return sunk.error();
  return session.exit_code();
}

std::string exit_code_text(int exit_code) {
  return "command terminated with exit code " + std::to_string(exit_code);
}

}  // namespace kube::remotecommand
