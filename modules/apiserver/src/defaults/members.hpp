// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes members of objects, for the functions in the tables of defaults.
#pragma once

#include <cstdint>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Returns the text of a member; empty when there is none.
std::string_view text_in(const json::Object& object, std::string_view key);
/// Returns the integer of a member; 0 when there is none.
std::int64_t number_in(const json::Object& object, std::string_view key);
/// Returns the object of a member; null when there is none.
const json::Object* object_in(const json::Object& object, std::string_view key);
/// Returns the object of a member, which is made when there is none.
json::Object& ensure_object(json::Object& object, std::string_view key);
/// Whether a member is absent, null, or an empty text, list or object.
bool is_empty_in(const json::Object& object, std::string_view key);
/// Sets the members that `to` does not have.
void add_missing(const json::Object& from, json::Object& to);

/// Calls f for the objects of a list.
template <class F>
void for_each_object(json::Object& object, std::string_view key, const F& f) {
  json::Value* list = object.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (json::Value& item : *list->if_array()) {
    if (item.is_object()) f(*item.if_object());
  }
}

}  // namespace kube::apiserver
