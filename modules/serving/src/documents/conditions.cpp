// SPDX-License-Identifier: Apache-2.0
#include "documents/conditions.hpp"

#include <algorithm>

namespace kube::serving {
namespace {

json::Object& condition_of(json::Value& object, std::string_view type) {
  json::Value& conditions = object.ensure_path({"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array{};
  json::Array& list = *conditions.if_array();
  const auto found = std::ranges::find_if(list, [type](const json::Value& condition) {
    return condition.is_object() && condition.string_at({"type"}) == type;
  });
  json::Value& out = found == list.end() ? list.emplace_back(json::Object{{"type", type}}) : *found;
  return *out.if_object();
}

}  // namespace

void set_condition(json::Value& object, const Condition& condition, std::string_view now) {
  json::Object& out = condition_of(object, condition.type);
  const json::Value* status = out.find("status");
  const bool is_same = status != nullptr && status->string_or_empty() == condition.status;
  out.set("status", condition.status);
  if (!is_same) out.set("lastTransitionTime", now);
  out.set("reason", condition.reason);
  out.set("message", condition.message);
}

}  // namespace kube::serving
