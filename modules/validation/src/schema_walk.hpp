// SPDX-License-Identifier: Apache-2.0
//
// kube-openapi's rules for a value, node by node.
#pragma once

#include <string>

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// What kube-openapi's validators say of a value. `parts`: the nodes of the whole schema.
FieldErrors check_by_openapi(const SchemaNode& node, std::size_t parts, const json::Value& value);

/// A text that equal values have in common.
std::string identity_of(const json::Value& value);

}  // namespace kube::meta::detail
