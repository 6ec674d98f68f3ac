// SPDX-License-Identifier: Apache-2.0
//
// What an update may not change, where the rule says more than that a field stays.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// Reports what differs from `before`, the whole object. The place is the object or its spec.
using ChangeCheck = void (*)(const Place& owner, const json::Value& before);

// Of the spec.
void check_service_change(const Place& spec, const json::Value& before);
void check_node_change(const Place& spec, const json::Value& before);
void check_volume_source(const Place& spec, const json::Value& before);
void check_volume_placement(const Place& spec, const json::Value& before);
void check_quota_scopes(const Place& spec, const json::Value& before);
void check_node_drivers_change(const Place& spec, const json::Value& before);
void check_completions_change(const Place& spec, const json::Value& before);
void check_job_template_change(const Place& spec, const json::Value& before);

// Of the object.
void check_frozen(const Place& object, const json::Value& before);
void check_pod_annotations_change(const Place& pod, const json::Value& before);
void check_claim_annotation(const Place& claim, const json::Value& before);

}  // namespace kube::apiserver
