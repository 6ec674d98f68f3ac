// SPDX-License-Identifier: Apache-2.0
#include <kube/remote/pod_calls.hpp>

#include <utility>

#include <kube/base/time_limit.hpp>
#include <kube/names/time.hpp>
#include <kube/remote/remote_command.hpp>

namespace kube {
namespace {

using remotecommand::Output;
using remotecommand::Session;

Result<ExecResult> run(const RawApi& pods, std::string_view name,
                       const core::v1::PodExecOptions& command, std::size_t max_bytes,
                       const std::stop_token& stop) {
  Result<Session> session =
      remotecommand::exec(pods.rest(), pods.namespace_(), name, command, {}, stop);
  if (!session) return session.error();
  ExecResult result;
  while (const Optional<Result<Output>> output = session->next(stop)) {
    if (!*output) return output->error();
    std::string& text = (*output)->stream == remotecommand::Stream::Out ? result.out : result.err;
    text.append((*output)->bytes);
    if (result.out.size() + result.err.size() > max_bytes) {
      return Error(ErrorCode::Decode,
                   "the command's output is longer than " + std::to_string(max_bytes) + " bytes");
    }
  }
  const Result<int> exit_code = session->exit_code();
  if (!exit_code) return exit_code.error();
  result.exit_code = *exit_code;
  return result;
}

}  // namespace

Result<ExecResult> exec(const Api<core::v1::Pod>& pods, std::string_view name,
                        std::vector<std::string> command, const ExecOptions& options,
                        std::stop_token stop) {
  core::v1::PodExecOptions wanted{.stdout = true, .stderr = true, .container = options.container};
  wanted.command = std::move(command);
  const RawApi& api = pods.raw();
  const auto bound = api.bound();
  if (!bound) return run(api, name, wanted, options.max_bytes, stop);
  const Duration rest = bound->deadline - api.rest().runtime().clock()->now();
  const TimeLimit limit(*api.rest().runtime().executor, rest, std::move(stop));
  Result<ExecResult> result = run(api, name, wanted, options.max_bytes, limit.token());
  if (result || result.error().code() != ErrorCode::Cancelled || !limit.is_over()) return result;
  return Error(ErrorCode::Timeout,
               "the command did not end within " + meta::Duration(bound->within).to_string())
      .with_context("exec " + ResourcePath{.resource = api.resource(),
                                           .namespace_ = api.namespace_(),
                                           .name = std::string(name)}
                                  .to_string());
}

Result<std::unique_ptr<portforward::PortForwarder>> port_forward(const Api<core::v1::Pod>& pods,
                                                                 std::string_view name,
                                                                 std::uint16_t port,
                                                                 portforward::Options options,
                                                                 std::stop_token stop) {
  return portforward::PortForwarder::start(pods.raw().rest(), pods.namespace_(), name,
                                           {{.local = 0, .remote = port}}, std::move(options),
                                           std::move(stop));
}

}  // namespace kube
