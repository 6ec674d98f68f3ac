// SPDX-License-Identifier: Apache-2.0
//
// The conversion of a CustomResourceDefinition.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

namespace kube::meta {

/// Appends the errors in spec.conversion.
void check_conversion(const json::Value& definition, FieldErrors& errors);

}  // namespace kube::meta
