// SPDX-License-Identifier: Apache-2.0
//
// Binding and eviction of pods.
#include "kinds/pod_subresources.hpp"

#include <string>
#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::serving {
namespace {

// Sets a condition that is true. How long it has been true stays.
void set_true(json::Value& pod, json::Object condition, std::string now) {
  json::Value& conditions = pod.ensure_path({"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array{};
  json::Object next{{"type", *condition.find("type")},
                    {"status", "True"},
                    {"lastProbeTime", nullptr},
                    {"lastTransitionTime", std::move(now)}};
  for (const auto& [name, member] : condition) next.set(name, member);
  for (json::Value& present : *conditions.if_array()) {
    if (present.string_at({"type"}) != condition.find("type")->string_or_empty()) continue;
    if (present.string_at({"status"}) == "True")
      copy_member(*present.if_object(), next, "lastTransitionTime");
    present = std::move(next);
    return;
  }
  conditions.if_array()->emplace_back(std::move(next));
}

// Copies labels or annotations of a binding to the pod, over those that it has.
void copy_texts(const json::Value& from, json::Value& to, std::string_view member) {
  const json::Value* added = from.at_path({"metadata", member});
  if (added == nullptr || !added->is_object() || added->if_object()->empty()) return;
  json::Value& present = to.ensure_path({"metadata", member});
  if (!present.is_object()) present = json::Object{};
  for (const auto& [key, value] : *added->if_object()) present.if_object()->set(key, value);
}

void mark_evicted(json::Value& pod, const std::string& now) {
  set_true(pod,
           {{"type", "DisruptionTarget"},
            {"reason", "EvictionByEvictionAPI"},
            {"message", "Eviction API: evicting"}},
           now);
}

meta::FieldErrors validate_binding(const json::Value& binding) {
  const std::string_view kind = binding.string_at({"target", "kind"});
  const meta::FieldPath target("target");
  meta::FieldErrors errors;
  if (!kind.empty() && kind != "Node") {
    errors.push_back(
        meta::FieldError::not_supported(target.child("kind"), std::string(kind), {"Node"}));
  }
  if (binding.string_at({"target", "name"}).empty()) {
    errors.push_back(meta::FieldError::required(target.child("name"), ""));
  }
  return errors;
}

Result<json::Value> bind(const json::Value& pod, const json::Value& binding,
                         const std::string& now) {
  const meta::GroupResource subject{"", "pods/binding"};
  const std::string name(metadata_text(pod, "name"));
  if (!metadata_text(pod, "deletionTimestamp").empty()) {
    return meta::conflict_error(subject, name,
                                "pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string_view taken = pod.string_at({"spec", "nodeName"}); !taken.empty()) {
    return meta::conflict_error(
        subject, name,
        "pod " + name + " is already assigned to node \"" + std::string(taken) + "\"");
  }
  if (!pod.array_at({"spec", "schedulingGates"}).empty()) {
    return meta::conflict_error(subject, name,
                                "pod " + name + " has non-empty .spec.schedulingGates");
  }
  json::Value next = pod;
  next.ensure_path({"spec", "nodeName"}) = binding.string_at({"target", "name"});
  if (json::Object* status = next.ensure_path({"status"}).if_object())
    status->erase("nominatedNodeName");
  copy_texts(binding, next, "labels");
  copy_texts(binding, next, "annotations");
  set_true(next, {{"type", "PodScheduled"}}, now);
  return next;
}

Result<void> check_budgets(const std::vector<json::Value>& budgets) {
  if (budgets.size() > 1) {
    return meta::internal_error(
        "This pod has more than one PodDisruptionBudget, which the eviction "
        "subresource does not support.");
  }
  if (budgets.empty()) return {};
  if (budgets.front().int_at({"status", "disruptionsAllowed"}).value_or(0) > 0) return {};
  return meta::error_from_status(meta::make_status(
      meta::StatusReason::TooManyRequests,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      meta::StatusDetails{
          .causes = {
              {"DisruptionBudget", "The disruption budget does not allow a disruption now", ""}}}));
}

constexpr SubresourceRules kSubresources[] = {
    {.name = "binding",
     .form = SubresourceForm::Change,
     .validate = validate_binding,
     .change = bind},
    {.name = "eviction",
     .form = SubresourceForm::Removal,
     .guards = &builtin::kDisruptionBudgets,
     .allow = check_budgets,
     .mark = mark_evicted},
    {.name = "ephemeralcontainers", .form = SubresourceForm::Ephemeral},
    {.name = "resize", .form = SubresourceForm::Resize},
};

}  // namespace

std::span<const SubresourceRules> pod_subresources() {
  return kSubresources;
}

}  // namespace kube::serving
