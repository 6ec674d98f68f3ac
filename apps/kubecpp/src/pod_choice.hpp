// SPDX-License-Identifier: Apache-2.0
//
// The pods that "web-0", "pod/web-0", "deploy/web" or "svc/web" mean to logs, exec, attach and
// port-forward.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>

#include "cluster.hpp"

namespace kubecpp {

/// Which of several pods is the best one, as in kubectl.
enum class PodOrder {
  ForLogs,       ///< That has run for the longest time, or was restarted most often.
  ForAttaching,  ///< That has run for the longest time, and was restarted least often.
};

struct PodQuery {
  std::vector<std::string> words{};  ///< POD, TYPE/NAME, or TYPE and NAME.
  PodOrder order = PodOrder::ForAttaching;
  std::string doing = "cannot attach to";  ///< Before the error about an object without pods.
  std::chrono::nanoseconds timeout = std::chrono::minutes(1);  ///< To wait for the first pod.
};

struct PodChoice {
  std::vector<kube::core::v1::Pod> pods{};     ///< The best one first; not empty.
  kube::Optional<kube::Unstructured> owner{};  ///< The object whose pods they are, if not a pod.
};

/// @par Errors   Those of parse_targets(), Cluster::resolve() and of the server. InvalidArgument:
///   an object that has no pods. Timeout: no pod in time.
/// @par Blocks   Until the server has answered, for an object without pods until it has one.
kube::Result<PodChoice> choose_pods(const Cluster& cluster, const PodQuery& query,
                                    const std::stop_token& stop);

}  // namespace kubecpp
