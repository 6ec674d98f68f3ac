// SPDX-License-Identifier: Apache-2.0
#include "kinds/fields.hpp"

#include <algorithm>

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

std::string_view class_of_claim(const json::Value& claim) {
  const json::Value* annotation =
      claim.at_path({"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return annotation != nullptr ? annotation->string_or_empty()
                               : claim.string_at({"spec", "storageClassName"});
}

meta::Quantity size_of_claim(const json::Value& claim) {
  return meta::Quantity::parse(claim.string_at({"spec", "resources", "requests", "storage"}))
      .value_or(meta::Quantity{});
}

void set_pending(json::Value& object) {
  object.if_object()->set("status", json::Object{{"phase", "Pending"}});
}

}  // namespace kube::serving
