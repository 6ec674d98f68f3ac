// SPDX-License-Identifier: Apache-2.0
//
// The defaults of a pod's spec, which the kinds that make pods share.
#pragma once

#include <kube/json/value.hpp>

namespace kube::apiserver {

void default_pod_spec(json::Object& spec);
/// Of the pod in "template", where there is one.
void default_template(json::Object& spec);

}  // namespace kube::apiserver
