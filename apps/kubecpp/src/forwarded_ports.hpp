// SPDX-License-Identifier: Apache-2.0
//
// The ports that `kubecpp port-forward` names, as ports of a pod: by number or name, of a pod or of
// a service.
#pragma once

#include <string>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/service.hpp>
#include <kube/base/result.hpp>

namespace kubecpp {

/// Returns "LOCAL:REMOTE" or "PORT", for kube::portforward::parse_ports(): names become numbers.
/// @par Errors   InvalidArgument: a name that no container has, a port that is UDP only.
kube::Result<std::vector<std::string>> ports_of_pod(const std::vector<std::string>& words,
                                                    const kube::core::v1::Pod& pod);

/// The same for ports of a service, whose target ports are the pod's. A headless service has none.
/// @par Errors   InvalidArgument: the service has no such port, and those of ports_of_pod().
kube::Result<std::vector<std::string>> ports_of_service(const std::vector<std::string>& words,
                                                        const kube::core::v1::Service& service,
                                                        const kube::core::v1::Pod& pod);

}  // namespace kubecpp
