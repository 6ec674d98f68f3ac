// SPDX-License-Identifier: Apache-2.0
//
// kube-openapi's rules for a value, node by node.
#pragma once

#include <string>

#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>

#include "schema_node.hpp"

namespace kube::meta::detail {

/// Returns the errors of kube-openapi's validators for a value. `parts`: the schema's nodes.
FieldErrors check_by_openapi(const SchemaNode& node, std::size_t parts, const json::Value& value);

/// Returns a text that is the same for equal values.
std::string identity_of(const json::Value& value);

}  // namespace kube::meta::detail
