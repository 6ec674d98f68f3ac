// SPDX-License-Identifier: Apache-2.0
//
// Pods and pod templates.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/pod_cells.hpp"
#include "kinds/pod_preparation.hpp"
#include "kinds/pod_subresources.hpp"

namespace kube::serving {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

// Returns a text that is the same for equal objects that contain no objects.
std::string canonical_text(const json::Value& value) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return json::dump(value);
  std::map<std::string_view, const json::Value*> members;
  for (const auto& [name, member] : *object) members.emplace(name, &member);
  std::string out;
  for (const auto& [name, member] : members)
    out.append(json::dump(json::Value(name))).append(":").append(json::dump(*member)).append(",");
  return out;
}

// Copies the images to the containers at the same index; returns false when the numbers differ.
bool take_images(const json::Object& from, json::Object& to, std::string_view member) {
  const json::Value* given = from.find(member);
  json::Value* taken = to.find(member);
  const std::size_t size = given == nullptr || !given->is_array() ? 0 : given->if_array()->size();
  const std::size_t own = taken == nullptr || !taken->is_array() ? 0 : taken->if_array()->size();
  if (size != own) return false;
  for (std::size_t i = 0; i < size; ++i) {
    json::Value& container = (*taken->if_array())[i];
    const json::Value& old = (*given->if_array())[i];
    if (!container.is_object() || !old.is_object()) continue;
    copy_member(*old.if_object(), *container.if_object(), "image");
  }
  return true;
}

FieldErrors validate_active_deadline(const json::Value& after, const json::Value& before) {
  const FieldPath path = FieldPath("spec").child("activeDeadlineSeconds");
  const auto next = after.int_at({"spec", "activeDeadlineSeconds"});
  const auto old = before.int_at({"spec", "activeDeadlineSeconds"});
  if (!next && old) {
    return {FieldError::invalid(path, json::Value{},
                                "must not update from a positive integer to nil value")};
  }
  if (!next) return {};
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (*next < 0 || *next > kMax) {
    return {FieldError::invalid(path, *next,
                                "must be between 0 and " + std::to_string(kMax) + ", inclusive")};
  }
  if (old && *old < *next) {
    return {FieldError::invalid(path, *next, "must be less than or equal to previous value")};
  }
  return {};
}

// Each old toleration must remain, except for its time.
FieldErrors validate_tolerations(const json::Value& after, const json::Value& before) {
  const auto timeless = [](json::Value toleration) {
    if (json::Object* members = toleration.if_object()) members->erase("tolerationSeconds");
    return canonical_text(toleration);
  };
  std::set<std::string> kept;
  for (const json::Value& next : after.array_at({"spec", "tolerations"}))
    kept.insert(timeless(next));
  for (const json::Value& old : before.array_at({"spec", "tolerations"})) {
    if (kept.contains(timeless(old))) continue;
    return {FieldError::forbidden(
        FieldPath("spec").child("tolerations"),
        "existing toleration can not be modified except its tolerationSeconds")};
  }
  return {};
}

FieldErrors validate_gates(const json::Value& after, const json::Value& before) {
  FieldErrors errors;
  const json::Array& old = before.array_at({"spec", "schedulingGates"});
  const json::Array& next = after.array_at({"spec", "schedulingGates"});
  std::set<std::string> known;
  for (const json::Value& each : old) known.insert(canonical_text(each));
  for (std::size_t i = 0; i < next.size() && !meta::has_enough(errors); ++i) {
    if (known.contains(canonical_text(next[i]))) continue;
    errors.push_back(
        FieldError::forbidden(FieldPath("spec").child("schedulingGates").index(i).child("name"),
                              "only deletion is allowed, but found new scheduling gate '" +
                                  std::string(next[i].string_at({"name"})) + "'"));
  }
  return errors;
}

// The choice of nodes can be narrowed while a pod waits at a gate.
void keep_node_choice(const json::Object& old, json::Object& next) {
  copy_member(old, next, "nodeSelector");
  static const json::Object none;
  const json::Value* had = old.find("affinity");
  json::Object& affinity = child(next, "affinity");
  copy_member(had == nullptr || !had->is_object() ? none : *had->if_object(), affinity,
              "nodeAffinity");
  if (affinity.empty() && had == nullptr) next.erase("affinity");
}

constexpr std::string_view kContainerLists[] = {"containers", "initContainers"};

FieldErrors validate_pod_change(const json::Value& after, const json::Value& before) {
  for (const std::string_view member : kContainerLists) {
    if (after.array_at({"spec", member}).size() == before.array_at({"spec", member}).size())
      continue;
    return {FieldError::forbidden(FieldPath("spec").child(member),
                                  "pod updates may not add or remove containers")};
  }
  FieldErrors errors = validate_active_deadline(after, before);
  for (FieldErrors more : {validate_tolerations(after, before), validate_gates(after, before)}) {
    std::ranges::move(more, std::back_inserter(errors));
  }
  return errors;
}

constexpr std::string_view kFixedPod =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
    "set to 1 if it was previously negative)";

void level_pods(json::Object& next, json::Object& old, const json::Value& before) {
  for (const std::string_view member : kContainerLists) {
    if (take_images(old, next, member)) continue;
    // That is an error of its own, and the only one.
    next = old;
    return;
  }
  for (const std::string_view member :
       {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    copy_member(old, next, member);
  }
  constexpr std::string_view kGrace = "terminationGracePeriodSeconds";
  const json::Value* grace = next.find(kGrace);
  if (before.int_at({"spec", kGrace}).value_or(0) < 0 && grace != nullptr &&
      *grace == json::Value(1)) {
    copy_member(old, next, kGrace);
  }
  if (!before.array_at({"spec", "schedulingGates"}).empty()) keep_node_choice(old, next);
}

// Clients that know of no resources of a whole pod leave them out.
void keep_pod_resources(const json::Value& before, json::Value& after) {
  const json::Value* resources = before.at_path({"spec", "resources"});
  if (resources != nullptr) set_default(spec_in(after), "resources", *resources);
}

void keep_pod_status(const json::Value& before, json::Value& after) {
  const std::string_view quality = before.string_at({"status", "qosClass"});
  if (quality.empty() || !after.string_at({"status", "qosClass"}).empty()) return;
  after.ensure_path({"status", "qosClass"}) = quality;
}

bool is_over(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed";
}

std::int64_t pod_grace(const json::Value& pod, std::optional<std::int64_t> wanted) {
  // No container runs that could be ended gracefully.
  if (pod.string_at({"spec", "nodeName"}).empty()) return 0;
  if (is_over(pod.string_at({"status", "phase"}))) return 0;
  const std::int64_t grace =
      wanted.value_or(pod.int_at({"spec", "terminationGracePeriodSeconds"}).value_or(30));
  // A negative period was valid once and means the shortest period.
  return grace < 0 ? 1 : grace;
}

// Marks finished pods, so that a client can skip them.
std::string_view pod_row_conditions(const json::Value& pod) {
  const std::string_view phase = pod.string_at({"status", "phase"});
  if (!is_over(phase)) return {};
  return phase == "Failed" ? R"([{"type":"Completed","status":"True","reason":"Failed",)"
                             R"("message":"The pod failed."}])"
                           : R"([{"type":"Completed","status":"True","reason":"Succeeded",)"
                             R"("message":"The pod has completed successfully."}])";
}

constexpr Cell kPodCells[] = {
    {"Ready", pod_ready},
    {"Status", pod_status},
    {"Restarts", pod_restarts},
    {"IP", pod_ip},
    {"Node", cells::text, "<none>"},
    {"Nominated Node", cells::text, "<none>"},
    {"Readiness Gates", readiness_gates},
};
constexpr FieldRule kPodFields[] = {{"spec.hostNetwork", "spec.hostNetwork", "false"}};

constexpr Cell kPodTemplateCells[] = {
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Pod Labels", cells::labels},
};

}  // namespace

Kinds pod_kinds() {
  static const KindRules pod_rules[] = {
      {.group = "",
       .resource = "pods",
       .returns_deleted_object = true,
       .deleted_first = true,
       .fields = kPodFields,
       .cells = kPodCells,
       .subresources = pod_subresources(),
       .prepare_create = prepare_pod,
       .keep_main = keep_pod_resources,
       .keep_status = keep_pod_status,
       .validate_main = validate_pod_change,
       .level_specs = level_pods,
       .fixed_spec = kFixedPod,
       .grace = pod_grace,
       .row_conditions = pod_row_conditions},
      {.group = "",
       .resource = "podtemplates",
       .generation = Generation::Always,
       .returns_deleted_object = true,
       .cells = kPodTemplateCells},
      {.group = "", .resource = "bindings", .posted_to = &builtin::kPods, .posted_as = "binding"},
  };
  return pod_rules;
}

}  // namespace kube::serving
