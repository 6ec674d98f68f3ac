// SPDX-License-Identifier: Apache-2.0
//
// The checks of a server beside kube-openapi's rules.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// Checks what a server checks beside kube-openapi's rules: lists that are sets or maps, and
/// embedded resources.
void check_structure(const SchemaNode& node, const json::Value& value, FieldErrors& errors);

/// Checks what a whole object says of its own type, and its metadata.
void check_type_names(const json::Object& object, FieldErrors& errors);

}  // namespace kube::meta::detail
