// SPDX-License-Identifier: Apache-2.0
//
// What an update does not change in objects of single built-in kinds: what the server keeps though
// the new document leaves it out, and what it refuses.
#pragma once

#include <kube/json/value.hpp>
#include <kube/meta/field_error.hpp>

#include "resources/resource.hpp"

namespace kube::apiserver {

/// Keeps what a write to the main part may leave out: the finalizers of a namespace's spec, which
/// only its subresource finalize changes, and the addresses and node ports of a service. `after`
/// has its defaults.
void keep_allocated(const Resource& resource, const json::Value& before, json::Value& after);

/// Keeps what a write to the status may leave out: a pod's quality of service.
void keep_in_status(const Resource& resource, const json::Value& before, json::Value& after);

/// What may not change from `before` to `after`, whatever part is written.
meta::FieldErrors validate_change(const Resource& resource, const json::Value& after,
                                  const json::Value& before);

/// What a write to the main part may not change beside that, though subresources may.
meta::FieldErrors validate_main_change(const Resource& resource, const json::Value& after,
                                       const json::Value& before);

}  // namespace kube::apiserver
