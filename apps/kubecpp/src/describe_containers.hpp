// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp describe` prints of the containers of pods, and of templates of pods.
#pragma once

#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

#include "description.hpp"

namespace kubecpp {

/// Adds containers, with their statuses from the field `statuses` of the pod's status. `pod` is
/// null for a template.
void describe_containers(std::string_view title, const kube::json::Array& containers,
                         const kube::json::Value* pod, std::string_view statuses, Description& out);

/// Adds `limits` and `requests`, each resource in a line.
void describe_resources(const kube::json::Value& resources, int level, Description& out);

/// Adds the seccomp profile of a pod (level 0) or of a container, if it has one.
void describe_profile(const kube::json::Value& owner, int level, Description& out);

/// Returns the objects in the order of the text of a field.
std::vector<kube::json::Value> objects_by(const kube::json::Array& objects, std::string_view field);

}  // namespace kubecpp
