// SPDX-License-Identifier: Apache-2.0
//
// The tables of rules, a group of types in each file.
#pragma once

#include <span>

#include "validation/rule.hpp"

namespace kube::apiserver {

std::span<const TypeRules> access_types();
std::span<const TypeRules> affinity_types();
std::span<const TypeRules> amount_types();
std::span<const TypeRules> autoscaler_types();
std::span<const TypeRules> certificate_types();
std::span<const TypeRules> claim_types();
std::span<const TypeRules> cluster_network_types();
std::span<const TypeRules> cluster_types();
std::span<const TypeRules> config_types();
std::span<const TypeRules> container_types();
std::span<const TypeRules> device_slice_types();
std::span<const TypeRules> device_status_types();
std::span<const TypeRules> device_types();
std::span<const TypeRules> endpoint_types();
std::span<const TypeRules> environment_types();
std::span<const TypeRules> event_types();
std::span<const TypeRules> flow_types();
std::span<const TypeRules> ingress_types();
std::span<const TypeRules> job_status_types();
std::span<const TypeRules> job_types();
std::span<const TypeRules> network_policy_types();
std::span<const TypeRules> node_types();
std::span<const TypeRules> pod_status_types();
std::span<const TypeRules> pod_types();
std::span<const TypeRules> policy_types();
std::span<const TypeRules> probe_types();
std::span<const TypeRules> quota_types();
std::span<const TypeRules> review_types();
std::span<const TypeRules> security_types();
std::span<const TypeRules> selector_types();
std::span<const TypeRules> service_types();
std::span<const TypeRules> status_types();
std::span<const TypeRules> storage_types();
std::span<const TypeRules> trust_bundle_types();
std::span<const TypeRules> volume_types();
std::span<const TypeRules> volume_source_types();
std::span<const TypeRules> webhook_types();
std::span<const TypeRules> workload_types();

}  // namespace kube::apiserver
