// SPDX-License-Identifier: Apache-2.0
//
// The defaults of a pod's spec, for all kinds that create pods.
#pragma once

#include <kube/json/value.hpp>

namespace kube::serving {

void default_pod_spec(json::Object& spec);
/// Sets the defaults of the pod in "template", if there is one.
void default_template(json::Object& spec);

}  // namespace kube::serving
