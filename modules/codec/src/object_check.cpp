// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/object_check.hpp>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace kube::meta {
namespace {

Error wrong_object(const std::string& what) {
  return Error(ErrorCode::Decode, what);
}

// API servers do not distinguish absent and null.
const json::Value* set_member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.at_path({key});
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<void> check_string(const json::Value* value, const std::string& field) {
  if (value == nullptr || value->is_string()) return {};
  return wrong_object(field + ": expected a string, found " + described(*value));
}

}  // namespace

std::string described(const json::Value& value) {
  std::string name(value.type_name());
  if (value.is_null()) return name;
  return (value.is_array() || value.is_object() ? "an " : "a ") + name;
}

Result<void> check_kind(const json::Value& value) {
  if (!value.is_object()) return wrong_object("expected an object, found " + described(value));
  for (const auto& [key, article] : {std::pair{"kind", "a "}, std::pair{"apiVersion", "an "}}) {
    const json::Value* found = set_member(value, key);
    if (auto is_string = check_string(found, key); !is_string) return is_string;
    if (found == nullptr || found->string_or_empty().empty()) {
      return wrong_object(std::string("expected an object with ") + article + key + ", found none");
    }
  }
  return {};
}

Result<void> check_metadata(const json::Value& value) {
  const json::Value* metadata = set_member(value, "metadata");
  if (metadata == nullptr) return {};
  if (!metadata->is_object()) {
    return wrong_object("metadata: expected an object, found " + described(*metadata));
  }
  for (const char* key : {"name", "namespace"}) {
    if (auto is_string = check_string(set_member(*metadata, key), std::string("metadata.") + key);
        !is_string) {
      return is_string;
    }
  }
  return {};
}

}  // namespace kube::meta
