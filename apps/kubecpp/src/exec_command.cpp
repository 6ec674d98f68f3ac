// SPDX-License-Identifier: Apache-2.0
#include "exec_command.hpp"

#include <memory>

#include <kube/base/stop_signal.hpp>

#include "arguments.hpp"
#include "cluster.hpp"
#include "flags.hpp"
#include "pod_containers.hpp"
#include "remote_streams.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

Error wrong_exec(const std::string& text) {
  return Error(ErrorCode::InvalidArgument, text);
}

Result<void> check_exec(const ExecCommandOptions& options) {
  if (options.words.size() > 1) {
    return usage_error_of(
        "exec",
        "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead");
  }
  if (options.words.empty()) return wrong_exec("pod, type/name or --filename must be specified");
  if (options.command.empty()) {
    return wrong_exec("you must specify at least one command for the container");
  }
  return {};
}

int exec_in(const Cluster& cluster, const kube::core::v1::Pod& pod,
            const ExecCommandOptions& options, Output& out, const std::stop_token& stop) {
  const auto container = choose_container(pod, options.container, options.quiet);
  if (!container) return report_server(container.error());
  const InputPlan plan = plan_input(options.stdin_, options.tty, options.quiet);
  kube::core::v1::PodExecOptions request{
      .stdin_ = plan.pass, .stdout = true, .stderr = !plan.terminal, .tty = plan.terminal};
  request.container = container->name;
  request.command = options.command;
  auto session = kube::remotecommand::exec(cluster.client().rest(), pod.metadata.namespace_,
                                           pod.metadata.name, request, {}, stop);
  if (!session) return report_server(session.error());
  return report_session(run_streams(*session, plan, false, out, stop), out);
}

}  // namespace

int run_exec(const ExecCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const std::stop_token stop = signal.token();
  if (const auto right = check_exec(options); !right) return report(right.error());
  return with_session_pod(options, "exec into", stop,
                          [&](const Cluster& cluster, const kube::core::v1::Pod& pod) {
                            return exec_in(cluster, pod, options, out, stop);
                          });
}

Runner add_exec(CLI::App& command) {
  const auto options = std::make_shared<ExecCommandOptions>();
  ExecCommandOptions& exec = *options;
  command.add_option("pod", exec.words, "POD or TYPE/NAME; the command comes after --");
  take_words_after_dashes(command, exec.command);
  add_session_flags(command, exec);
  add_namespace(command, exec.namespace_);
  add_connection(command, exec.connection);
  return [options](Output& out) { return run_exec(*options, out); };
}

}  // namespace kubecpp
