// SPDX-License-Identifier: Apache-2.0
//
// What exec and attach have in common: their options, and the way to the pod.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>

#include "cluster.hpp"
#include "command.hpp"

namespace kubecpp {

struct SessionOptions {
  ConnectionOptions connection{};
  std::vector<std::string> words{};  ///< POD, TYPE/NAME, or TYPE and NAME.
  std::string namespace_{};
  std::string container{};  ///< Empty: the default one.
  bool stdin_ = false;
  bool tty = false;
  bool quiet = false;
  std::string pod_running_timeout = "1m0s";
};

/// Calls `run` with the pod that the options name, and returns the exit status. Reports what goes
/// wrong, in kubectl's words, with `doing` such as "exec into".
/// @par Blocks   Until the server has answered, for an object without pods until it has one.
int with_session_pod(
    const SessionOptions& options, const std::string& doing, const std::stop_token& stop,
    const std::function<int(const Cluster& cluster, const kube::core::v1::Pod& pod)>& run);

}  // namespace kubecpp
