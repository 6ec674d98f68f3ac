// SPDX-License-Identifier: Apache-2.0
//
// The containers of a pod, and which one a command means that names none.
#pragma once

#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/result.hpp>

namespace kubecpp {

struct PodContainer {
  enum class Kind { Regular, Init, Ephemeral };
  std::string name{};
  Kind kind = Kind::Regular;
  bool tty = false;  ///< The container has a terminal.
};

/// Returns all of them: regular, ephemeral, init.
std::vector<PodContainer> containers_of(const kube::core::v1::Pod& pod);

/// Returns the container with that name. Without a name, that of the annotation
/// kubectl.kubernetes.io/default-container, or else the first one; then it prints "Defaulted
/// container "a" out of: a, b" on standard error unless `quiet`.
/// @par Errors   InvalidArgument: "container c is not valid for pod p out of: a, b (init)".
kube::Result<PodContainer> choose_container(const kube::core::v1::Pod& pod, const std::string& name,
                                            bool quiet = false);

/// The same for logs: a container in the annotation that is none of the pod's is no error.
/// @par Errors   As choose_container().
kube::Result<PodContainer> choose_container_for_logs(const kube::core::v1::Pod& pod,
                                                     const std::string& name, bool quiet);

}  // namespace kubecpp
