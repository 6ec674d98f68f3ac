// SPDX-License-Identifier: Apache-2.0
#include "validation/changes.hpp"

#include <set>
#include <string>
#include <utility>

#include "validation/own_diff.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kStays = "field is immutable";

const json::Value& value_at(const json::Value& object, json::Value::Path path) {
  static const json::Value absent;
  const json::Value* found = object.at_path(path);
  return found == nullptr ? absent : *found;
}

bool is_given(const json::Value& object, json::Value::Path path) {
  return !value_at(object, path).is_null();
}

// Makes a member equal to that of another object.
void make_equal(const json::Value& from, json::Value& to, std::string_view member) {
  json::Object& members = *to.if_object();
  const json::Value& value = value_at(from, {member});
  if (value.is_null()) {
    members.erase(member);
  } else {
    members.set(member, value);
  }
}

bool is_balancer(const json::Value& service) {
  return service.string_at({"spec", "type"}) == "LoadBalancer";
}

bool has_health_check(const json::Value& service) {
  return is_balancer(service) && service.string_at({"spec", "externalTrafficPolicy"}) == "Local";
}

void check_addresses_change(const Place& spec, const json::Value& before) {
  constexpr std::string_view kExternal = "ExternalName";
  if (spec.text("type") == kExternal || before.string_at({"spec", "type"}) == kExternal) return;
  const json::Array& old = before.array_at({"spec", "clusterIPs"});
  const json::Array& next = spec.list("clusterIPs");
  for (std::size_t i = 0; i < old.size() && i < next.size(); ++i) {
    if (next[i] != old[i])
      spec.report(FieldError::invalid(spec.path("clusterIPs", i), spec.shown("clusterIPs"),
                                      "may not change once set"));
  }
}

// Labels of nodes that have a newer name.
constexpr std::pair<std::string_view, std::string_view> kNewLabels[] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"}};

bool is_new_label(std::string_view old, std::string_view next) {
  for (const auto& [beta, stable] : kNewLabels)
    if (old == beta && next == stable) return true;
  return false;
}

// Renames the labels of an old list of requirements that the new one calls by their newer names.
void rename_labels(json::Value& old, const json::Value& next, std::string_view list) {
  json::Value* requirements = old.if_object() == nullptr ? nullptr : old.if_object()->find(list);
  if (requirements == nullptr || !requirements->is_array()) return;
  const json::Array& others = next.array_at({list});
  for (std::size_t i = 0; i < others.size() && i < requirements->if_array()->size(); ++i) {
    json::Value& requirement = (*requirements->if_array())[i];
    if (requirement.is_object() &&
        is_new_label(requirement.string_at({"key"}), others[i].string_at({"key"})))
      requirement.if_object()->set("key", others[i].string_at({"key"}));
  }
}

json::Value renamed_affinity(json::Value old, const json::Value& next) {
  if (old.array_at({"required", "nodeSelectorTerms"}).empty()) return old;
  json::Array& terms = *old.ensure_path({"required", "nodeSelectorTerms"}).if_array();
  const json::Array& others = next.array_at({"required", "nodeSelectorTerms"});
  for (std::size_t i = 0; i < terms.size() && i < others.size(); ++i) {
    for (const std::string_view list : {"matchExpressions", "matchFields"})
      rename_labels(terms[i], others[i], list);
  }
  return old;
}

// Whether a Job has no pods, so that those that it will have may still be told how to run.
bool has_no_pods(const json::Value& job) {
  bool is_suspended = false;
  for (const json::Value& each : job.array_at({"status", "conditions"}))
    is_suspended = is_suspended || (each.string_at({"type"}) == "Suspended" &&
                                    each.string_at({"status"}) == "True");
  return job.true_at({"spec", "suspend"}) &&
         (is_suspended || !is_given(job, {"status", "startTime"})) &&
         job.int_at({"status", "active"}).value_or(0) == 0;
}

// Where the pods may run.
void level_scheduling(const json::Value& next, json::Value& old) {
  for (const std::string_view member : {"nodeSelector", "tolerations", "schedulingGates"})
    make_equal(next, old, member);
  const json::Value& wanted = value_at(next, {"affinity"});
  json::Value affinity = value_at(old, {"affinity"});
  if (wanted.is_null() && affinity.is_null()) return;
  if (affinity.is_null()) affinity = json::Object{};
  make_equal(wanted, affinity, "nodeAffinity");
  if (wanted.is_null() && affinity.if_object()->empty()) {
    old.if_object()->erase("affinity");
  } else {
    old.if_object()->set("affinity", std::move(affinity));
  }
}

void level_resources(const json::Value& next, json::Value& old, std::string_view list) {
  json::Value* containers = old.if_object()->find(list);
  const json::Array& others = next.array_at({list});
  if (containers == nullptr || !containers->is_array() ||
      containers->if_array()->size() != others.size())
    return;
  for (std::size_t i = 0; i < others.size(); ++i) {
    json::Value& container = (*containers->if_array())[i];
    if (container.is_object() && container.string_at({"name"}) == others[i].string_at({"name"}))
      make_equal(others[i], container, "resources");
  }
}

}  // namespace

void check_service_change(const Place& spec, const json::Value& before) {
  check_addresses_change(spec, before);
  const json::Value& service = spec.root().value();
  if (is_balancer(before) && is_balancer(service) &&
      value_at(spec.value(), {"loadBalancerClass"}) !=
          value_at(before, {"spec", "loadBalancerClass"}))
    spec.report(FieldError::invalid(spec.path("loadBalancerClass"),
                                    value_at(spec.value(), {"loadBalancerClass"}),
                                    "may not change once set"));
  if (has_health_check(before) && has_health_check(service) &&
      spec.number("healthCheckNodePort").value_or(0) !=
          before.int_at({"spec", "healthCheckNodePort"}).value_or(0))
    spec.forbidden("healthCheckNodePort", std::string(kStays));
}

void check_node_change(const Place& spec, const json::Value& before) {
  constexpr std::string_view kRanges =
      R"(node updates may not change podCIDR except from "" to valid)";
  const json::Array& old = before.array_at({"spec", "podCIDRs"});
  const json::Array& next = spec.list("podCIDRs");
  if (!old.empty() && old.size() != next.size()) {
    spec.forbidden("podCIDRs", std::string(kRanges));
  } else {
    for (std::size_t i = 0; i < old.size(); ++i)
      if (old[i] != next[i]) spec.forbidden("podCIDRs", std::string(kRanges));
  }
  const std::string_view provider = before.string_at({"spec", "providerID"});
  if (provider.empty() || spec.text("providerID") == provider) return;
  spec.invalid("providerID", json::Value{},
               spec.is_empty("providerID") ? "field cannot be cleared once set"
                                           : "field cannot be modified once set");
}

// What a volume is stays; the secret for its expansion may be added. The source's fields are those
// of the spec.
void check_volume_source(const Place& spec, const json::Value& before) {
  constexpr std::string_view kSecret = "controllerExpandSecretRef";
  const json::Value* old = before.at_path({"spec"});
  if (old == nullptr) return;
  json::Value next = spec.value();
  if (is_given(*old, {"csi"}) && !is_given(*old, {"csi", kSecret}) &&
      is_given(next, {"csi", kSecret}))
    next.ensure_path({"csi"}).if_object()->erase(kSecret);
  Walk plain;
  const Place as_stored(plain, spec.type(), *old);
  for (const meta::FieldDescriptor& field : spec.type().fields) {
    if (!field.inline_) continue;
    const json::Value was = as_stored.shown_part(field, *old);
    if (was == as_stored.shown_part(field, next)) continue;
    const json::Value is = spec.shown_part(field, next);
    spec.report(FieldError::forbidden(
        spec.path("persistentvolumesource"),
        "spec.persistentvolumesource is immutable after creation\n" + own_diff(was, is)));
  }
}

void check_volume_placement(const Place& spec, const json::Value& before) {
  constexpr std::string_view kClass = "volumeAttributesClassName";
  const json::Value& old = value_at(before, {"spec", "nodeAffinity"});
  const json::Value& next = value_at(spec.value(), {"nodeAffinity"});
  if (!old.is_null() && renamed_affinity(old, next) != next)
    spec.report(
        FieldError::invalid(FieldPath("nodeAffinity"), spec.shown_own("nodeAffinity"),
                            std::string(kStays) + ", except for updating from beta label to GA"));
  if (is_given(before, {"spec", kClass}) && !spec.has(kClass))
    spec.forbidden(kClass, "update from non-nil value to nil is forbidden");
}

void check_quota_scopes(const Place& spec, const json::Value& before) {
  const auto scopes = [](const json::Array& list) {
    std::set<std::string_view> out;
    for (const json::Value& each : list) out.insert(each.string_or_empty());
    return out;
  };
  if (scopes(spec.list("scopes")) != scopes(before.array_at({"spec", "scopes"})))
    spec.report(
        FieldError::invalid(spec.path("scopes"), spec.shown_own("scopes"), std::string(kStays)));
}

// What can be attached to a node may be counted anew.
void check_node_drivers_change(const Place& spec, const json::Value& before) {
  const auto without_count = [](json::Value driver) {
    if (json::Object* members = driver.if_object()) members->erase("allocatable");
    return driver;
  };
  for (const json::Value& old : before.array_at({"spec", "drivers"})) {
    spec.each("drivers", [&](const Place& driver) {
      if (driver.text("name") != old.string_at({"name"})) return;
      const json::Value next = without_count(driver.value());
      if (next != without_count(old))
        driver.report(
            FieldError::invalid(spec.path("drivers"), driver.shown_as(next), std::string(kStays)));
    });
  }
}

// The number of indexes follows the parallelism.
void check_completions_change(const Place& spec, const json::Value& before) {
  const json::Value& next = value_at(spec.value(), {"completions"});
  if (next == value_at(before, {"spec", "completions"})) return;
  if (spec.text("completionMode") != "Indexed") {
    spec.invalid("completions", next, std::string(kStays));
  } else if (!next.is_null() && next != value_at(spec.value(), {"parallelism"})) {
    spec.invalid("completions", next, "can only be modified in tandem with spec.parallelism");
  }
}

void check_job_template_change(const Place& spec, const json::Value& before) {
  json::Value old = value_at(before, {"spec", "template"});
  const json::Value& next = value_at(spec.value(), {"template"});
  if (old == next || !old.is_object() || !next.is_object()) return;
  if (!has_no_pods(before))
    return spec.report(FieldError::invalid(spec.path("template"), spec.shown_own("template"),
                                           std::string(kStays)));
  json::Value& pod = old.ensure_path({"spec"});
  const json::Value& wanted = value_at(next, {"spec"});
  level_scheduling(wanted, pod);
  for (const std::string_view list : {"containers", "initContainers"})
    level_resources(wanted, pod, list);
  if (pod == wanted) return;
  spec.each("template", [](const Place& pods) {
    pods.report(
        FieldError::invalid(pods.path("spec"), pods.shown_own("spec"), std::string(kStays)));
  });
}

void check_frozen(const Place& object, const json::Value& before) {
  constexpr std::string_view kText = "field is immutable when `immutable` is set";
  if (!before.true_at({"immutable"})) return;
  if (!object.is_true("immutable")) object.forbidden("immutable", std::string(kText));
  for (const std::string_view field : {"data", "binaryData"}) {
    // For the server, an empty map is not what an unset one is, but for the texts of a ConfigMap.
    const bool is_exact = field != "data" || object.type().name != "core.v1.ConfigMap";
    const json::Value& old = value_at(before, {field});
    if (value_at(object.value(), {field}) != old ||
        (is_exact && old.is_null() && object.is_emptied(field)))
      object.forbidden(field, std::string(kText));
  }
}

// The class of a claim's storage as it was named at first; it may move to the spec.
void check_claim_annotation(const Place& claim, const json::Value& before) {
  constexpr std::string_view kKey = "volume.beta.kubernetes.io/storage-class";
  const std::string_view old = before.string_at({"metadata", "annotations", kKey});
  const std::string_view next = claim.value().string_at({"metadata", "annotations", kKey});
  const bool moves = is_given(before, {"metadata", "annotations", kKey}) &&
                     !is_given(before, {"spec", "storageClassName"}) &&
                     claim.value().string_at({"spec", "storageClassName"}) == old &&
                     !is_given(claim.value(), {"metadata", "annotations", kKey});
  if (next != old && !moves)
    claim.report(FieldError::invalid(claim.path("metadata").child("annotations").child(kKey), next,
                                     std::string(kStays)));
}

}  // namespace kube::apiserver
