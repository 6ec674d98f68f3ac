// SPDX-License-Identifier: Apache-2.0
//
// What counts as the zero of a field, whatever its type.
#pragma once

#include <cstdint>

#include <kube/json/value.hpp>

namespace kube {

/// True for null, false, 0, "", [] and {}.
inline bool is_zero_value(const json::Value& value) {
  if (value.is_null()) return true;
  if (const bool* flag = value.if_bool()) return !*flag;
  if (const std::int64_t* number = value.if_int()) return *number == 0;
  if (value.is_string()) return value.string_or_empty().empty();
  if (const json::Array* list = value.if_array()) return list->empty();
  if (const json::Object* object = value.if_object()) return object->empty();
  return value == json::Value(0.0);
}

}  // namespace kube
