// SPDX-License-Identifier: Apache-2.0
//
// What a server checks of a value beside kube-openapi's rules.
#pragma once

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// What a server checks beside kube-openapi's rules: lists that are sets or maps, and resources in
/// resources.
void check_structure(const SchemaNode& node, const json::Value& value, FieldErrors& errors);

}  // namespace kube::meta::detail
