// SPDX-License-Identifier: Apache-2.0
//
// What the server completes in a new pod beyond the defaults of its fields.
#pragma once

#include <string_view>

#include <kube/json/value.hpp>

namespace kube::serving {

/// Sets the status, what labels add to selectors, and the resources of the whole pod. `pod` has its
/// defaults.
void prepare_pod(json::Value& pod);

/// A pod that has some resources of its own gets the others from its containers.
void complete_pod_resources(json::Value& pod);

/// "Guaranteed": every container has equal limits and requests of cpu and memory. "BestEffort": no
/// container has any. "Burstable": all others. The resources of the pod itself count before those
/// of its containers.
std::string_view qos_class(const json::Value& pod);

}  // namespace kube::serving
