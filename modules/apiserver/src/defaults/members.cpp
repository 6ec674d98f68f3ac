// SPDX-License-Identifier: Apache-2.0
#include "defaults/members.hpp"

namespace kube::apiserver {

std::string_view text_in(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? std::string_view{} : value->string_or_empty();
}

std::int64_t number_in(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->is_int() ? *value->if_int() : 0;
}

const json::Object* object_in(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr ? nullptr : value->if_object();
}

json::Object& ensure_object(json::Object& object, std::string_view key) {
  json::Value& value = object[key];
  if (!value.is_object()) value = json::Object{};
  return *value.if_object();
}

bool is_empty_in(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value == nullptr || value->is_null()) return true;
  if (value->is_string()) return value->if_string()->empty();
  if (value->is_array()) return value->if_array()->empty();
  return value->is_object() && value->if_object()->empty();
}

void add_missing(const json::Object& from, json::Object& to) {
  for (const auto& [name, value] : from) {
    if (!to.contains(name)) to.append(name, value);
  }
}

}  // namespace kube::apiserver
