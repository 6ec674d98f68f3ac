// SPDX-License-Identifier: Apache-2.0
#include "session_pod.hpp"

#include "flags.hpp"
#include "pod_choice.hpp"

namespace kubecpp {

int with_session_pod(
    const SessionOptions& options, const std::string& doing, const std::stop_token& stop,
    const std::function<int(const Cluster& cluster, const kube::core::v1::Pod& pod)>& run) {
  const auto timeout = parse_duration("--pod-running-timeout", options.pod_running_timeout);
  if (!timeout) return report(timeout.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, stop);
  if (!cluster) return report(cluster.error());
  const auto choice = choose_pods(*cluster, {.words = options.words, .timeout = *timeout}, stop);
  if (!choice) return report_server(choice.error());
  const auto& pod = choice->pods.front();
  const std::string& phase = pod.status.phase;
  if (phase != "Succeeded" && phase != "Failed") return run(*cluster, pod);
  return report_server(kube::Error(
      kube::ErrorCode::InvalidArgument,
      "cannot " + doing + " a container in a completed pod; current phase is " + phase));
}

}  // namespace kubecpp
