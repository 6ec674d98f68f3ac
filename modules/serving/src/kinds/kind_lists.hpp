// SPDX-License-Identifier: Apache-2.0
//
// The rules of kinds, by source file.
#pragma once

#include <span>

#include "kinds/kind.hpp"

namespace kube::serving {

using Kinds = std::span<const KindRules>;

Kinds access_kinds();
Kinds admission_kinds();
Kinds autoscaler_kinds();
Kinds cluster_kinds();
Kinds config_kinds();
Kinds definition_kinds();
Kinds device_kinds();
Kinds event_kinds();
Kinds eviction_kinds();
Kinds job_kinds();
Kinds namespace_kinds();
Kinds network_kinds();
Kinds node_kinds();
Kinds pod_kinds();
Kinds pod_group_kinds();
Kinds service_kinds();
Kinds volume_kinds();
Kinds workload_kinds();

}  // namespace kube::serving
