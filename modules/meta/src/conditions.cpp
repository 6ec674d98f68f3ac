// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/conditions.hpp>

#include <kube/codec/converter.hpp>
#include <kube/codec/nested.hpp>

namespace kube {

Result<std::vector<meta::Condition>> status_conditions(const Unstructured& object) {
  const auto list = nested_slice(object.content, {"status", "conditions"});
  if (!list) return list.error();
  std::vector<meta::Condition> conditions;
  for (const json::Value& item : list->value_or(json::Array{})) {
    Result<meta::Condition> condition = meta::from_value<meta::Condition>(item);
    if (!condition) return condition.error().with_context("status.conditions");
    conditions.push_back(*std::move(condition));
  }
  return conditions;
}

void set_status_conditions(Unstructured& object, const std::vector<meta::Condition>& conditions) {
  json::Array list;
  for (const meta::Condition& condition : conditions) list.push_back(meta::to_value(condition));
  object.content.ensure_path({"status", "conditions"}) = std::move(list);
}

}  // namespace kube
