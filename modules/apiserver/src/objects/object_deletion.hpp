// SPDX-License-Identifier: Apache-2.0
//
// The rules by which objects end: protection, preconditions, finalizers, grace.
#pragma once

#include <optional>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/object_key.hpp>

#include "resources/resource.hpp"
#include "storage/stored_object.hpp"

namespace kube::apiserver {

/// A 403 for the few objects that cannot be deleted.
Result<void> refuse_protected(const Resource& resource, const ObjectKey& key);
/// A 409 for another uid or resourceVersion than the request asks for.
Result<void> check_preconditions(const Resource& resource, const StoredObject& object,
                                 const DeleteOptions& request);
/// The object as a deletion leaves it. Not set: nothing to change, it is terminating already.
std::optional<json::Value> mark_terminating(const Resource& resource, const json::Value& current,
                                            const DeleteOptions& request, WallTime now);

}  // namespace kube::apiserver
