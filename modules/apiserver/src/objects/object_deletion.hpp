// SPDX-License-Identifier: Apache-2.0
//
// The rules of deletion: protection, preconditions, finalizers, grace periods.
#pragma once

#include <optional>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/object_key.hpp>

#include "names/serving_names.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

/// Fails with a 403 for the few objects that cannot be deleted.
Result<void> refuse_protected(const Resource& resource, const ObjectKey& key);
/// Fails with a 409 when the object's uid or resourceVersion is not the requested one.
Result<void> check_preconditions(const Resource& resource, const json::Value& object,
                                 const DeleteOptions& request);
/// Returns the object marked as deleted; empty when it is terminating already and does not change.
std::optional<json::Value> mark_terminating(const Resource& resource, const json::Value& current,
                                            const DeleteOptions& request, WallTime now);

}  // namespace kube::apiserver
