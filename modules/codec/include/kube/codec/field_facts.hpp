// SPDX-License-Identifier: Apache-2.0
//
// What a schema states about fields beyond their types. Types made from CRDs and OpenAPI documents
// have it: T::field_facts(), RuntimeSchema::field_facts().
#pragma once

#include <span>
#include <string_view>

namespace kube::meta {

/// What a schema states about one field.
struct FieldFacts {
  std::string_view json;  ///< Key.
  bool required;
  bool nullable;
  std::string_view default_json;                    ///< Empty: no default.
  std::span<const std::string_view> values;         ///< The enumeration, as JSON; empty: any value.
  std::string_view list_type;                       ///< "atomic", "set", "map"; empty: not stated.
  std::span<const std::string_view> list_map_keys;  ///< For the list type "map".
  std::string_view map_type;                        ///< "atomic", "granular"; empty: not stated.
};

/// Returns the facts of the field with this key; null if it has none.
constexpr const FieldFacts* find_facts(std::span<const FieldFacts> facts, std::string_view key) {
  for (const FieldFacts& each : facts) {
    if (each.json == key) return &each;
  }
  return nullptr;
}
/// The same for a generated type.
template <class T>
const FieldFacts* find_facts(std::string_view key) {
  return find_facts(T::field_facts(), key);
}

}  // namespace kube::meta
