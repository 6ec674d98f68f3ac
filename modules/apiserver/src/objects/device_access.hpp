// SPDX-License-Identifier: Apache-2.0
//
// Admin access to devices, which the label of a namespace allows.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "names/serving_names.hpp"
#include "objects/object_rules.hpp"
#include "storage/store.hpp"

namespace kube::apiserver {

/// Returns the first place where a claim or a template of claims asks for admin access, or where a
/// claim gets it, in a namespace without the label.
meta::FieldErrors device_access_errors(const Write& write, Store& store, const json::Value& object);

}  // namespace kube::apiserver
