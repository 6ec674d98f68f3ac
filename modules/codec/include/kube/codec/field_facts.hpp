// SPDX-License-Identifier: Apache-2.0
//
// What a schema says of fields beyond their types. Types made of CRDs and OpenAPI documents have
// it: T::field_facts(), RuntimeSchema::field_facts().
#pragma once

#include <span>
#include <string_view>

namespace kube::meta {

struct FieldFacts {
  std::string_view json;  ///< Key.
  bool required;
  bool nullable;
  std::string_view default_json;                    ///< Empty: none.
  std::span<const std::string_view> values;         ///< The only ones, as JSON; empty: any.
  std::string_view list_type;                       ///< "atomic", "set", "map"; empty: not said.
  std::span<const std::string_view> list_map_keys;  ///< Of the list type "map".
  std::string_view map_type;                        ///< "atomic", "granular"; empty: not said.
};

/// Those of the field with this key; null when there are none.
constexpr const FieldFacts* find_facts(std::span<const FieldFacts> facts, std::string_view key) {
  for (const FieldFacts& each : facts) {
    if (each.json == key) return &each;
  }
  return nullptr;
}
/// Those of a field of a generated type.
template <class T>
const FieldFacts* find_facts(std::string_view key) {
  return find_facts(T::field_facts(), key);
}

}  // namespace kube::meta
