// SPDX-License-Identifier: Apache-2.0
#include "kinds/kind_updates.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "documents/metadata.hpp"
#include "kinds/kind_rules.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

constexpr std::string_view immutable_text = "field is immutable";

bool is_frozen(const json::Value& object) {
  return bool_at(object, {"immutable"});
}

bool same_member(const json::Value& a, const json::Value& b,
                 std::initializer_list<std::string_view> path) {
  static const json::Value absent;
  const json::Value* left = a.at_path(path);
  const json::Value* right = b.at_path(path);
  return (left == nullptr ? absent : *left) == (right == nullptr ? absent : *right);
}

FieldError immutable_field(const json::Value& object, std::string_view member) {
  const json::Value* value = object.at_path({"spec", member});
  return FieldError::invalid(FieldPath("spec").child(member),
                             value == nullptr ? json::Value{} : *value,
                             std::string(immutable_text));
}

json::Object spec_of(const json::Value& object) {
  const json::Value* spec = object.at_path({"spec"});
  return spec != nullptr && spec->is_object() ? *spec->if_object() : json::Object{};
}

// A text that equal objects without objects in them have in common.
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

// Services.

bool wants_cluster_ip(const json::Value& service) {
  return service.string_at({"spec", "type"}) != "ExternalName";
}

bool wants_node_ports(const json::Value& service) {
  const std::string_view type = service.string_at({"spec", "type"});
  return type == "NodePort" || type == "LoadBalancer";
}

bool wants_health_port(const json::Value& service) {
  return service.string_at({"spec", "type"}) == "LoadBalancer" &&
         service.string_at({"spec", "externalTrafficPolicy"}) == "Local";
}

void keep_cluster_ips(const json::Value& before, json::Value& after) {
  const json::Object old = spec_of(before);
  const std::string_view given = after.string_at({"spec", "clusterIP"});
  const bool same_list = same_member(after, before, {"spec", "clusterIPs"});
  const bool no_list = list_at(after, {"spec", "clusterIPs"}).empty();
  const bool same_policy = same_member(after, before, {"spec", "ipFamilyPolicy"});
  json::Object& spec = *after.ensure_path({"spec"}).if_object();
  const bool kept = given.empty() || given == before.string_at({"spec", "clusterIP"});
  if (kept) copy_member(old, spec, "clusterIP");
  if (kept && (no_list || same_list)) copy_member(old, spec, "clusterIPs");
  const bool no_policy = spec.find("ipFamilyPolicy") == nullptr;
  if (no_policy) copy_member(old, spec, "ipFamilyPolicy");
  if ((no_policy || same_policy) && spec.find("ipFamilies") == nullptr) {
    copy_member(old, spec, "ipFamilies");
  }
}

// By the names of the ports: whatever else of a port has changed, its node port stays.
void keep_node_ports(const json::Value& before, json::Value& after) {
  json::Value* ports = after.ensure_path({"spec"}).if_object()->find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  std::set<std::int64_t> taken;
  for (const json::Value& port : *ports->if_array())
    taken.insert(port.int_at({"nodePort"}).value_or(0));
  std::map<std::string_view, std::int64_t> old;
  for (const json::Value& port : list_at(before, {"spec", "ports"}))
    old.emplace(port.string_at({"name"}), port.int_at({"nodePort"}).value_or(0));
  for (json::Value& port : *ports->if_array()) {
    if (!port.is_object() || port.int_at({"nodePort"}).value_or(0) != 0) continue;
    const auto same = old.find(port.string_at({"name"}));
    if (same == old.end() || same->second == 0 || !taken.insert(same->second).second) continue;
    port.if_object()->set("nodePort", same->second);
  }
}

FieldErrors validate_service_change(const json::Value& after, const json::Value& before) {
  const std::string_view old = before.string_at({"spec", "clusterIP"});
  const std::string_view next = after.string_at({"spec", "clusterIP"});
  if (!wants_cluster_ip(after) || !wants_cluster_ip(before) || old.empty() || next == old)
    return {};
  return {FieldError::invalid(FieldPath("spec").child("clusterIPs").index(0), json::Array{next},
                              "may not change once set")};
}

// Pods.

// Gives containers the images of those in their places; false when there are not as many.
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
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (*next < 0 || *next > most) {
    return {FieldError::invalid(path, *next,
                                "must be between 0 and " + std::to_string(most) + ", inclusive")};
  }
  if (old && *old < *next) {
    return {FieldError::invalid(path, *next, "must be less than or equal to previous value")};
  }
  return {};
}

// Each of the old ones must be there, but for how long it is tolerated.
FieldErrors validate_tolerations(const json::Value& after, const json::Value& before) {
  const auto timeless = [](json::Value toleration) {
    if (json::Object* members = toleration.if_object()) members->erase("tolerationSeconds");
    return canonical_text(toleration);
  };
  std::set<std::string> kept;
  for (const json::Value& next : list_at(after, {"spec", "tolerations"}))
    kept.insert(timeless(next));
  for (const json::Value& old : list_at(before, {"spec", "tolerations"})) {
    if (kept.contains(timeless(old))) continue;
    return {FieldError::forbidden(
        FieldPath("spec").child("tolerations"),
        "existing toleration can not be modified except its tolerationSeconds")};
  }
  return {};
}

FieldErrors validate_gates(const json::Value& after, const json::Value& before) {
  FieldErrors errors;
  const json::Array& old = list_at(before, {"spec", "schedulingGates"});
  const json::Array& next = list_at(after, {"spec", "schedulingGates"});
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

// Where a pod may go can be narrowed as long as it waits at a gate.
void drop_node_choice(json::Object& spec) {
  spec.erase("nodeSelector");
  json::Value* affinity = spec.find("affinity");
  if (affinity == nullptr || !affinity->is_object()) return;
  affinity->if_object()->erase("nodeAffinity");
  if (affinity->if_object()->empty()) spec.erase("affinity");
}

FieldErrors validate_pod_change(const json::Value& after, const json::Value& before) {
  json::Object old = spec_of(before);
  json::Object next = spec_of(after);
  for (const std::string_view member : {"containers", "initContainers"}) {
    if (take_images(old, next, member)) continue;
    return {FieldError::forbidden(FieldPath("spec").child(member),
                                  "pod updates may not add or remove containers")};
  }
  FieldErrors errors = validate_active_deadline(after, before);
  for (FieldErrors more : {validate_tolerations(after, before), validate_gates(after, before)}) {
    std::ranges::move(more, std::back_inserter(errors));
  }
  for (const std::string_view member :
       {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    copy_member(old, next, member);
  }
  constexpr std::string_view grace = "terminationGracePeriodSeconds";
  if (before.int_at({"spec", grace}).value_or(0) < 0 && after.int_at({"spec", grace}) == 1) {
    copy_member(old, next, grace);
  }
  if (!list_at(before, {"spec", "schedulingGates"}).empty()) {
    drop_node_choice(old);
    drop_node_choice(next);
  }
  if (!(json::Value(std::move(next)) == json::Value(std::move(old)))) {
    errors.push_back(FieldError::forbidden(
        FieldPath("spec"),
        "pod updates may not change fields other than `spec.containers[*].image`,"
        "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
        "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
        "set to 1 if it was previously negative)"));
  }
  return errors;
}

// Others.

FieldErrors validate_claim_change(const json::Value& after, const json::Value& before) {
  json::Object old = spec_of(before);
  json::Object next = spec_of(after);
  // Set once, by whoever binds the claim or gives it the default class.
  for (const std::string_view member : {"volumeName", "storageClassName"}) {
    if (old.find(member) == nullptr) copy_member(next, old, member);
  }
  copy_member(next, old, "volumeAttributesClassName");
  if (before.string_at({"status", "phase"}) == "Bound") copy_member(next, old, "resources");
  if (json::Value(std::move(next)) == json::Value(std::move(old))) return {};
  return {FieldError::forbidden(FieldPath("spec"),
                                "spec is immutable after creation except resources.requests and "
                                "volumeAttributesClassName for bound claims")};
}

FieldErrors validate_job_change(const json::Value& after, const json::Value& before) {
  FieldErrors errors;
  for (const std::string_view member : {"selector", "template", "completionMode"}) {
    // A job that has not begun may still be told where its pods go.
    if (member == "template" && bool_at(before, {"spec", "suspend"})) continue;
    if (same_member(after, before, {"spec", member})) continue;
    errors.push_back(immutable_field(after, member));
  }
  return errors;
}

FieldErrors validate_stateful_set_change(const json::Value& after, const json::Value& before) {
  json::Object old = spec_of(before);
  json::Object next = spec_of(after);
  for (const std::string_view member :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    old.erase(member);
    next.erase(member);
  }
  if (json::Value(std::move(next)) == json::Value(std::move(old))) return {};
  return {FieldError::forbidden(
      FieldPath("spec"),
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
      "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
      "'minReadySeconds' are forbidden")};
}

FieldErrors validate_frozen(const json::Value& after, const json::Value& before) {
  FieldErrors errors;
  if (!is_frozen(before)) return errors;
  constexpr std::string_view text = "field is immutable when `immutable` is set";
  if (!is_frozen(after)) {
    errors.push_back(FieldError::forbidden(FieldPath("immutable"), std::string(text)));
  }
  for (const std::string_view field : {"data", "binaryData"}) {
    if (same_member(after, before, {field})) continue;
    errors.push_back(FieldError::forbidden(FieldPath(field), std::string(text)));
  }
  return errors;
}

}  // namespace

void keep_allocated(const Resource& resource, const json::Value& before, json::Value& after) {
  if (is_core_kind(resource, "Namespace")) {
    json::Value& spec = after.ensure_path({"spec"});
    if (!spec.is_object()) spec = json::Object{};
    copy_member(spec_of(before), *spec.if_object(), "finalizers");
    return;
  }
  if (!is_core_kind(resource, "Service")) return;
  if (wants_cluster_ip(before) && wants_cluster_ip(after)) keep_cluster_ips(before, after);
  if (wants_node_ports(before) && wants_node_ports(after)) keep_node_ports(before, after);
  if (wants_health_port(before) && wants_health_port(after) &&
      after.int_at({"spec", "healthCheckNodePort"}).value_or(0) == 0) {
    copy_member(spec_of(before), *after.ensure_path({"spec"}).if_object(), "healthCheckNodePort");
  }
}

void keep_in_status(const Resource& resource, const json::Value& before, json::Value& after) {
  if (!is_core_kind(resource, "Pod")) return;
  const std::string_view quality = before.string_at({"status", "qosClass"});
  if (quality.empty() || !after.string_at({"status", "qosClass"}).empty()) return;
  after.ensure_path({"status", "qosClass"}) = quality;
}

FieldErrors validate_change(const Resource& resource, const json::Value& after,
                            const json::Value& before) {
  if (is_core_kind(resource, "ConfigMap")) return validate_frozen(after, before);
  if (is_core_kind(resource, "Secret")) {
    FieldErrors errors = validate_frozen(after, before);
    if (!same_member(after, before, {"type"})) {
      errors.push_back(FieldError::invalid(
          FieldPath("type"), std::string(after.string_at({"type"})), std::string(immutable_text)));
    }
    return errors;
  }
  if (is_core_kind(resource, "Service")) return validate_service_change(after, before);
  if (is_core_kind(resource, "PersistentVolumeClaim")) return validate_claim_change(after, before);
  if (resource.is_custom()) return {};
  const std::string& group = resource.gvk.group;
  if (group == "batch" && resource.gvk.kind == "Job") return validate_job_change(after, before);
  if (group != "apps") return {};
  if (resource.gvk.kind == "StatefulSet") return validate_stateful_set_change(after, before);
  if (same_member(after, before, {"spec", "selector"})) return {};
  return {immutable_field(after, "selector")};
}

FieldErrors validate_main_change(const Resource& resource, const json::Value& after,
                                 const json::Value& before) {
  if (!is_core_kind(resource, "Pod")) return {};
  return validate_pod_change(after, before);
}

}  // namespace kube::apiserver
