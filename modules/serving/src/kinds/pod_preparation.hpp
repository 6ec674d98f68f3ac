// SPDX-License-Identifier: Apache-2.0
//
// What the server completes in a new pod beyond the defaults of its fields.
#pragma once

#include <kube/json/value.hpp>

namespace kube::serving {

/// Sets the status, what labels add to selectors, and the resources of the whole pod. `pod` has its
/// defaults.
void prepare_pod(json::Value& pod);

}  // namespace kube::serving
