// SPDX-License-Identifier: Apache-2.0
#include "attach_command.hpp"

#include <memory>

#include <kube/base/stop_signal.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "pod_containers.hpp"
#include "remote_streams.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::core::v1::Pod;

Error wrong_attach(const std::string& text) {
  return Error(ErrorCode::InvalidArgument, text);
}

// The text of a terminal that the container has not, or that -t did not ask for.
bool wants_terminal(const SessionOptions& options, const PodContainer& container) {
  if (options.tty && !container.tty && !options.quiet) {
    print_note("error: Unable to use a TTY - container " + container.name +
               " did not allocate one");
  }
  return container.tty;
}

void print_end(const Pod& pod, const PodContainer& container, Output& out) {
  const std::string how = "'kubecpp attach " + pod.metadata.name + " -c " + container.name +
                          " -n " + pod.metadata.namespace_ + " -i -t'";
  const bool once = container.kind == PodContainer::Kind::Ephemeral;
  out.write(printable(once ? "Session ended, the ephemeral container will not be restarted but may "
                             "be reattached using " +
                                 how + " if it is still running"
                           : "Session ended, resume using " + how + " command") +
            "\n");
}

int attach_to(const Cluster& cluster, const Pod& pod, const PodContainer& container,
              const SessionOptions& options, Output& out, const std::stop_token& stop) {
  const bool tty = wants_terminal(options, container);
  const InputPlan plan = plan_input(options.stdin_, tty, options.quiet);
  if (!options.quiet) {
    print_note(
        "All commands and output from this session will be recorded in container logs, including "
        "credentials and sensitive information passed through the command prompt.");
    print_note("If you don't see a command prompt, try pressing enter.");
  }
  kube::core::v1::PodAttachOptions request{
      .stdin_ = plan.pass, .stdout = true, .stderr = !plan.terminal, .tty = plan.terminal};
  request.container = container.name;
  auto session = kube::remotecommand::attach(cluster.client().rest(), pod.metadata.namespace_,
                                             pod.metadata.name, request, {}, stop);
  if (!session) return report_server(session.error());
  const auto ended = run_streams(*session, plan, true, out, stop);
  if (ended && *ended == 0 && plan.terminal && !options.quiet) print_end(pod, container, out);
  return report_session(ended, out);
}

}  // namespace

int run_attach(const SessionOptions& options, Output& out) {
  const kube::StopSignal signal;
  const std::stop_token stop = signal.token();
  if (options.words.empty()) {
    return report(wrong_attach("at least 1 argument is required for attach"));
  }
  if (options.words.size() > 2) {
    std::string words;
    for (const std::string& each : options.words) words += (words.empty() ? "" : " ") + each;
    return report(wrong_attach("expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw " +
                               std::to_string(options.words.size()) + ": [" + words + "]"));
  }
  return with_session_pod(options, "attach", stop, [&](const Cluster& cluster, const Pod& pod) {
    const auto container = choose_container(pod, options.container, options.quiet);
    if (!container) {
      return report_server(container.error().with_context("cannot attach to the container"));
    }
    return attach_to(cluster, pod, *container, options, out, stop);
  });
}

Runner add_attach(CLI::App& command) {
  const auto options = std::make_shared<SessionOptions>();
  SessionOptions& attach = *options;
  command.add_option("pod", attach.words, "POD, TYPE/NAME, or TYPE and NAME");
  add_session_flags(command, attach);
  add_namespace(command, attach.namespace_);
  add_connection(command, attach.connection);
  return [options](Output& out) { return run_attach(*options, out); };
}

}  // namespace kubecpp
