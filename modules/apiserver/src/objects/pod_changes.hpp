// SPDX-License-Identifier: Apache-2.0
//
// What a write may change of a pod beyond what its kind says: the parts of its subresources, and
// its choice of nodes while it waits at a gate.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "objects/object_rules.hpp"

namespace kube::apiserver {

/// Restores in `next` all that a write to one of the containers' subresources may not change.
void keep_but_containers(const Write& write, json::Value& next);

/// Returns the changes that may not be made.
meta::FieldErrors pod_change_errors(const Write& write, const json::Value& object);

}  // namespace kube::apiserver
