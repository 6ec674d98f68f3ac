// SPDX-License-Identifier: Apache-2.0
//
// Sets of fields in the form FieldsV1: {"f:spec":{".":{},"f:replicas":{}}}.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// @par Errors   Decode, naming the path, when it is not FieldsV1.
Result<void> check_field_set(const json::Value& set);
/// Whether all fields of `part` are in `whole`. Both are FieldsV1.
bool has_all_fields(const json::Value& whole, const json::Value& part);
/// Returns the fields of either. Both are FieldsV1.
json::Value united_fields(const json::Value& a, const json::Value& b);

}  // namespace kube::meta
