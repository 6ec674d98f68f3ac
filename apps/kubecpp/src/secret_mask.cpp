// SPDX-License-Identifier: Apache-2.0
#include "secret_mask.hpp"

#include <string>

#include <kube/client/client_side_apply.hpp>

namespace kubecpp {
namespace {

namespace json = kube::json;

constexpr const char* kMask = "***";
constexpr const char* kBefore = "*** (before)";
constexpr const char* kAfter = "*** (after)";

json::Object* members_of(json::Value& object, const char* name) {
  json::Object* members = object.if_object();
  json::Value* member = members == nullptr ? nullptr : members->find(name);
  return member == nullptr ? nullptr : member->if_object();
}

void mask_values(json::Object* before, json::Object* after) {
  if (before != nullptr) {
    for (auto& [name, value] : *before) {
      json::Value* other = after == nullptr ? nullptr : after->find(name);
      const bool differs = other != nullptr && !(*other == value);
      value = differs ? kBefore : kMask;
      if (other != nullptr) *other = differs ? kAfter : kMask;
    }
  }
  if (after == nullptr) return;
  for (auto& [name, value] : *after) {
    if (before == nullptr || !before->contains(name)) value = kMask;
  }
}

json::Value* last_applied_of(json::Value& object) {
  json::Object* metadata = members_of(object, "metadata");
  json::Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
  json::Object* members = annotations == nullptr ? nullptr : annotations->if_object();
  return members == nullptr ? nullptr : members->find(kube::kLastAppliedAnnotation);
}

}  // namespace

bool is_secret(const json::Value& object) {
  const std::string_view version = object.string_at({"apiVersion"});
  return object.string_at({"kind"}) == "Secret" && (version == "v1" || version.ends_with("/v1"));
}

void mask_secrets(json::Value& before, json::Value& after) {
  for (const char* name : {"data", "stringData"})
    mask_values(members_of(before, name), members_of(after, name));
  json::Value* one = last_applied_of(before);
  json::Value* other = last_applied_of(after);
  const bool differs = one != nullptr && other != nullptr && !(*one == *other);
  if (one != nullptr) *one = differs ? kBefore : kMask;
  if (other != nullptr) *other = differs ? kAfter : kMask;
}

}  // namespace kubecpp
