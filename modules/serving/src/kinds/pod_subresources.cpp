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

// Sets the condition that the pod has a node.
void set_scheduled(json::Value& pod, std::string now) {
  json::Value& conditions = pod.ensure_path({"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array{};
  json::Object scheduled{{"type", "PodScheduled"},
                         {"status", "True"},
                         {"lastProbeTime", nullptr},
                         {"lastTransitionTime", std::move(now)}};
  for (json::Value& condition : *conditions.if_array()) {
    if (condition.string_at({"type"}) != "PodScheduled") continue;
    if (condition.string_at({"status"}) != "True") condition = std::move(scheduled);
    return;
  }
  conditions.if_array()->emplace_back(std::move(scheduled));
}

// Copies labels and annotations of a binding to the pod; existing ones stay.
void add_missing(const json::Value& from, json::Value& to, std::string_view member) {
  const json::Value* added = from.at_path({"metadata", member});
  if (added == nullptr || !added->is_object() || added->if_object()->empty()) return;
  json::Value& present = to.ensure_path({"metadata", member});
  if (!present.is_object()) present = json::Object{};
  for (const auto& [key, value] : *added->if_object())
    set_default(*present.if_object(), key, value);
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
  const std::string_view uid = metadata_text(binding, "uid");
  if (!uid.empty() && uid != metadata_text(pod, "uid")) {
    return meta::conflict_error(
        subject, name,
        "Precondition failed: UID in precondition: " + std::string(uid) +
            ", UID in object meta: " + std::string(metadata_text(pod, "uid")));
  }
  if (!metadata_text(pod, "deletionTimestamp").empty()) {
    return meta::conflict_error(subject, name,
                                "pod " + name + " is being deleted, cannot be assigned to a host");
  }
  if (const std::string_view taken = pod.string_at({"spec", "nodeName"}); !taken.empty()) {
    return meta::conflict_error(
        subject, name,
        "pod " + name + " is already assigned to node \"" + std::string(taken) + "\"");
  }
  json::Value next = pod;
  next.ensure_path({"spec", "nodeName"}) = binding.string_at({"target", "name"});
  add_missing(binding, next, "labels");
  add_missing(binding, next, "annotations");
  set_scheduled(next, now);
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
     .allow = check_budgets},
    {.name = "ephemeralcontainers", .form = SubresourceForm::Containers},
    {.name = "resize", .form = SubresourceForm::Containers},
};

}  // namespace

std::span<const SubresourceRules> pod_subresources() {
  return kSubresources;
}

}  // namespace kube::serving
