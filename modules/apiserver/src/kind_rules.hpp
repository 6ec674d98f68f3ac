// SPDX-License-Identifier: Apache-2.0
//
// What single built-in kinds do to their objects when they are written: the defaults that clients
// rely on, and fields that may not change.
#pragma once

#include <kube/json/value.hpp>
#include <kube/meta/field_error.hpp>

#include "resource.hpp"

namespace kube::apiserver {

/// Fills defaults in, on create and update alike. `object` is of the served version.
void apply_defaults(const Resource& resource, json::Value& object);

/// Whether a new object may come with its status: a kubelet registers its node with room and
/// addresses at once.
bool keeps_status(const Resource& resource);

/// What only a new object gets: a pod's phase, a namespace's finalizer.
void prepare_new(const Resource& resource, json::Value& object);

/// What may not change from `before` to `after`.
meta::FieldErrors validate_change(const Resource& resource, const json::Value& after,
                                  const json::Value& before);

}  // namespace kube::apiserver
