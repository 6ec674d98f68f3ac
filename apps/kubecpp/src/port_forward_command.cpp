// SPDX-License-Identifier: Apache-2.0
#include "port_forward_command.hpp"

#include <memory>
#include <utility>

#include <kube/api/core/v1/service.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/codec/converter.hpp>
#include <kube/remote/port_forward.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "forwarded_ports.hpp"
#include "pod_choice.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::Service;

Result<std::vector<std::string>> ports_of(const std::vector<std::string>& words,
                                          const PodChoice& choice) {
  const auto& pod = choice.pods.front();
  if (!choice.owner || choice.owner->gvk().kind != "Service") return ports_of_pod(words, pod);
  const auto service = kube::meta::from_unstructured<Service>(*choice.owner);
  if (!service) return service.error();
  return ports_of_service(words, *service, pod);
}

int forward(const Cluster& cluster, const kube::core::v1::Pod& pod,
            std::vector<kube::portforward::ForwardedPort> ports,
            const PortForwardCommandOptions& options, Output& out, const std::stop_token& stop) {
  kube::portforward::Options how;
  how.addresses = options.addresses;
  how.out = [&out](std::string_view line) { out.write(printable(line) + "\n"); };
  how.err = [](std::string_view line) { print_note(line); };
  auto forwarder = kube::portforward::PortForwarder::start(
      cluster.client().rest(), pod.metadata.namespace_, pod.metadata.name, std::move(ports),
      std::move(how), stop);
  if (!forwarder) return report_server(forwarder.error());
  const auto ended = (*forwarder)->wait(stop);
  return ended ? out.exit_status(0) : report_server(ended.error());
}

}  // namespace

int run_port_forward(const PortForwardCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const std::stop_token stop = signal.token();
  if (options.words.size() < 2) {
    return report(usage_error_of("port-forward",
                                 "TYPE/NAME and list of ports are required for port-forward"));
  }
  const auto timeout = parse_duration("--pod-running-timeout", options.pod_running_timeout);
  if (!timeout) return report(timeout.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, stop);
  if (!cluster) return report(cluster.error());
  const auto choice =
      choose_pods(*cluster, {.words = {options.words.front()}, .timeout = *timeout}, stop);
  if (!choice) return report_server(choice.error());
  const auto& pod = choice->pods.front();
  const auto words = ports_of({options.words.begin() + 1, options.words.end()}, *choice);
  if (!words) return report_server(words.error());
  if (pod.status.phase != "Running") {
    return report_server(Error(
        ErrorCode::InvalidArgument,
        "unable to forward port because pod is not running. Current status=" + pod.status.phase));
  }
  auto ports = kube::portforward::parse_ports(*words);
  if (!ports) return report_server(ports.error());
  return forward(*cluster, pod, *std::move(ports), options, out, stop);
}

Runner add_port_forward(CLI::App& command) {
  const auto options = std::make_shared<PortForwardCommandOptions>();
  PortForwardCommandOptions& forward = *options;
  command.add_option("pod", forward.words, "POD or TYPE/NAME, then [LOCAL_PORT:]REMOTE_PORT...");
  command
      .add_option("--address", forward.addresses,
                  "IP addresses to listen on, separated by commas; localhost is 127.0.0.1 and ::1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(kNotEmpty)
      ->default_str("localhost");
  add_running_timeout(command, forward.pod_running_timeout);
  add_namespace(command, forward.namespace_);
  add_connection(command, forward.connection);
  return [options](Output& out) { return run_port_forward(*options, out); };
}

}  // namespace kubecpp
