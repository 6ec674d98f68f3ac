// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp describe` prints of pods, and of the templates of pods in other objects.
#pragma once

#include <kube/json/value.hpp>

#include "description.hpp"

namespace kubecpp {

/// Adds a pod, without its events.
void describe_pod(const kube::json::Value& pod, Description& out);

/// Adds the template of a Deployment's pods.
void describe_pod_template(const kube::json::Value& pod_template, Description& out);

}  // namespace kubecpp
