// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with an object that is about to be stored.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "objects/object_rules.hpp"

namespace kube::apiserver {

/// Returns the errors of an object that is complete, in the order of the reference server.
meta::FieldErrors object_errors(const Write& write, const json::Value& object);

}  // namespace kube::apiserver
