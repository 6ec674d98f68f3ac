// SPDX-License-Identifier: Apache-2.0
#include "kinds/fields.hpp"

namespace kube::serving {

json::Object& child(json::Object& object, std::string_view key) {
  json::Value& value = object[key];
  if (!value.is_object()) value = json::Object{};
  return *value.if_object();
}

json::Object& spec_in(json::Value& object) {
  return child(*object.if_object(), "spec");
}

json::Object spec_of(const json::Value& object) {
  const json::Value* spec = object.at_path({"spec"});
  return spec != nullptr && spec->is_object() ? *spec->if_object() : json::Object{};
}

bool same_member(const json::Value& a, const json::Value& b,
                 std::initializer_list<std::string_view> path) {
  static const json::Value absent;
  const json::Value* left = a.at_path(path);
  const json::Value* right = b.at_path(path);
  return (left == nullptr ? absent : *left) == (right == nullptr ? absent : *right);
}

void set_pending(json::Value& object) {
  object.if_object()->set("status", json::Object{{"phase", "Pending"}});
}

}  // namespace kube::serving
