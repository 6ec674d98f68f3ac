// SPDX-License-Identifier: Apache-2.0
//
// The values that the server gives to unset fields of built-in kinds. They belong to types, so they
// are the same wherever a type is used: a container of a pod and one in a template have the same
// defaults.
#pragma once

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Sets the unset fields of an object of `type`, and of all objects in it, to their defaults. A
/// value that the type does not distinguish from an unset one counts as unset. A part of another
/// type is left as it is. Returns whether a field of a feature that is off was dropped.
///
/// @par Thread safety   May be called from any thread.
bool apply_defaults(const meta::TypeDescriptor& type, json::Value& object);

}  // namespace kube::apiserver
