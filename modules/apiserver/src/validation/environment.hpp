// SPDX-License-Identifier: Apache-2.0
//
// References to a pod's fields and a container's resources, in variables and in volumes.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// Checks a reference to one of the fields; `path` is where the server reports it.
void check_field_reference(const Place& reference, const meta::FieldPath& path, Words fields);
/// The same for the fields that a volume may show.
void check_volume_field(const Place& reference, const meta::FieldPath& path);
/// `list` is where the server reports a file of a volume; null for the reference itself.
void check_resource_reference(const Place& reference, bool in_volume,
                              const meta::FieldPath* list = nullptr);

}  // namespace kube::apiserver
