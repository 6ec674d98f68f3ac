// SPDX-License-Identifier: Apache-2.0
//
// What a status is refused for. Only kinds that are here have their status checked, and only by
// these rules: what is below a status is not walked.
#include <algorithm>
#include <iterator>
#include <set>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

const json::Value& kind_of(const Place& status) {
  return status.root().value();
}

void check_common_conditions(const Place& status) {
  check_conditions_of(status, "conditions");
}

// A count that is part of another one.
void check_part(const Place& status, std::string_view part, std::string_view whole,
                std::string_view shown_whole) {
  const std::int64_t count = status.number(part).value_or(0);
  if (count > status.number(whole).value_or(0))
    status.invalid(part, count, "cannot be greater than " + std::string(shown_whole));
}

void check_parts(const Place& status, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) check_part(status, part, "replicas", "status.replicas");
}

void check_replicas(const Place& status) {
  check_parts(status, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"});
  check_part(status, "availableReplicas", "readyReplicas", "readyReplicas");
}

// Which ReplicationControllers do not count.
void check_ended_replicas(const Place& status) {
  constexpr std::string_view kField = "terminatingReplicas";
  if (status.number(kField).value_or(0) < 0)
    status.invalid(kField, "must be greater than or equal to 0");
}

void check_deployed_replicas(const Place& status) {
  check_parts(status, {"updatedReplicas", "readyReplicas", "availableReplicas"});
  check_part(status, "availableReplicas", "readyReplicas", "readyReplicas");
}

void check_stateful_replicas(const Place& status) {
  check_parts(status, {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"});
  check_part(status, "availableReplicas", "readyReplicas", "status.readyReplicas");
}

// The count of collisions only grows.
void check_collisions(const Place& status) {
  constexpr std::string_view kField = "collisionCount";
  const json::Value* before = status.walk().before;
  const auto old = before == nullptr ? std::nullopt : before->int_at({"status", kField});
  const std::int64_t count = status.number(kField).value_or(0);
  if (old && (!status.has(kField) || count < *old))
    status.invalid(kField, count, "cannot be decremented");
}

void check_balancer(const Place& status) {
  if (kind_of(status).string_at({"spec", "type"}) == "LoadBalancer") return;
  status.each("loadBalancer", [](const Place& balancer) {
    if (!balancer.is_empty("ingress"))
      balancer.forbidden("ingress", "may only be used when `spec.type` is 'LoadBalancer'");
  });
}

void check_balancer_addresses(const Place& status) {
  constexpr std::string_view kModes[] = {"Proxy", "VIP"};
  if (kind_of(status).string_at({"spec", "type"}) != "LoadBalancer") return;
  status.each("loadBalancer", [&](const Place& balancer) {
    balancer.each("ingress", [&](const Place& ingress) {
      const std::string_view ip = ingress.text("ip");
      if (!ip.empty()) ingress.problems("ip", ip_problems(ip));
      if (!ip.empty() && !ingress.has("ipMode")) {
        ingress.required("ipMode", "must be specified when `ip` is set");
      } else if (ip.empty() && ingress.has("ipMode")) {
        ingress.forbidden("ipMode", "may not be specified when `ip` is not set");
      } else if (ingress.has("ipMode") &&
                 std::ranges::find(kModes, ingress.text("ipMode")) == std::end(kModes)) {
        ingress.not_supported("ipMode", kModes);
      }
      const std::string_view host = ingress.text("hostname");
      if (host.empty()) return;
      ingress.problems("hostname", meta::validate_dns1123_subdomain(host));
      if (parse_ip(host)) ingress.invalid("hostname", "must be a DNS name, not an IP address");
    });
  });
}

void check_namespace_phase(const Place& status) {
  const std::string_view phase = status.text("phase");
  const bool deleted = kind_of(status).at_path({"metadata", "deletionTimestamp"}) != nullptr;
  const std::string_view wanted = deleted ? "Terminating" : "Active";
  if (phase.empty() || phase == wanted) return;
  status.report(FieldError::invalid(status.path("Phase"), phase,
                                    "may only be '" + std::string(wanted) +
                                        "' if `deletionTimestamp` is " +
                                        (deleted ? "not empty" : "empty")));
}

bool is_feature_name(std::string_view name) {
  bool first = true;
  for (const std::string_view part : go::split(name, '/')) {
    if (part.empty() || !std::ranges::all_of(part, ascii::is_alnum)) return false;
    if (first && !ascii::is_upper(part.front())) return false;
    first = false;
  }
  return true;
}

void check_declared_features(const Place& status) {
  const json::Array& features = status.list("declaredFeatures");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::string_view name = features[i].string_or_empty();
    if (!seen.insert(name).second)
      status.report(FieldError::duplicate(status.path("declaredFeatures", i), name));
    if (is_feature_name(name)) continue;
    status.report(FieldError::invalid(
        status.path("declaredFeatures", i), name,
        "invalid feature name " + go::quote(name) +
            ": must start with an UpperCamelCase segment, with subsequent segments separated by "
            "'/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric "
            "characters and slashes"));
  }
}

void check_claim_amounts(const Place& status) {
  constexpr std::string_view kStates[] = {"ControllerResizeInProgress",
                                          "ControllerResizeInfeasible", "NodeResizeInProgress",
                                          "NodeResizeInfeasible", "NodeResizePending"};
  for (const std::string_view field : {"allocatedResources", "allocatedResourceStatuses"}) {
    for (const auto& [name, value] : status.map(field)) {
      if (name != "storage" && name.find('/') == std::string::npos)
        status.report(FieldError::not_supported(status.path(field), name, {"storage"}));
      // The server names the resource, not its state.
      if (field == "allocatedResourceStatuses" &&
          std::ranges::find(kStates, value.string_or_empty()) == std::end(kStates))
        status.report(FieldError::not_supported(status.path(field), name, texts_of(kStates)));
    }
  }
}

void check_expression_warnings(const Place& status) {
  status.each("typeChecking", [](const Place& checking) {
    checking.each("expressionWarnings", [](const Place& warning) {
      for (const std::string_view field : {"warning", "fieldRef"})
        if (warning.is_empty(field)) warning.required(field);
    });
  });
}

void check_migrated_version(const Place& status) {
  const std::string_view version = status.text("resourceVersion");
  if (version.empty() || std::ranges::all_of(version, ascii::is_digit)) return;
  status.invalid("resourceVersion", "resource version is not well formed: " + std::string(version));
}

constexpr Rule kReplicaStatusRules[] = {rules::not_negative("replicas"),
                                        rules::not_negative("fullyLabeledReplicas"),
                                        rules::not_negative("readyReplicas"),
                                        rules::not_negative("availableReplicas"),
                                        rules::not_negative("observedGeneration"),
                                        rules::call(check_ended_replicas),
                                        rules::call(check_replicas)};
constexpr Rule kDaemonStatusRules[] = {
    rules::not_negative("currentNumberScheduled"), rules::not_negative("numberMisscheduled"),
    rules::not_negative("desiredNumberScheduled"), rules::not_negative("numberReady"),
    rules::not_negative("observedGeneration"),     rules::not_negative("updatedNumberScheduled"),
    rules::not_negative("numberAvailable"),        rules::not_negative("numberUnavailable"),
    rules::not_negative("collisionCount"),         rules::call(check_collisions)};
constexpr Rule kAutoscalerStatusRules[] = {rules::not_negative("currentReplicas"),
                                           rules::not_negative("desiredReplicas")};
constexpr Rule kDeployedStatusRules[] = {
    rules::not_negative("observedGeneration"),  rules::not_negative("replicas"),
    rules::not_negative("updatedReplicas"),     rules::not_negative("readyReplicas"),
    rules::not_negative("availableReplicas"),   rules::not_negative("unavailableReplicas"),
    rules::not_negative("terminatingReplicas"), rules::not_negative("collisionCount"),
    rules::call(check_deployed_replicas),       rules::call(check_collisions)};
constexpr Rule kStatefulStatusRules[] = {rules::not_negative("replicas"),
                                         rules::not_negative("readyReplicas"),
                                         rules::not_negative("currentReplicas"),
                                         rules::not_negative("updatedReplicas"),
                                         rules::not_negative("availableReplicas"),
                                         rules::not_negative("observedGeneration"),
                                         rules::not_negative("collisionCount"),
                                         rules::call(check_stateful_replicas),
                                         rules::call(check_collisions)};
constexpr Rule kServiceStatusRules[] = {rules::call(check_balancer),
                                        rules::call(check_balancer_addresses)};
constexpr Rule kNamespaceStatusRules[] = {rules::call(check_namespace_phase)};
constexpr Rule kNodeStatusRules[] = {rules::call(check_declared_features)};
constexpr Rule kClaimStatusRules[] = {rules::call(check_claim_amounts)};
constexpr Rule kConditionRules[] = {rules::call(check_common_conditions)};
constexpr Rule kBudgetStatusRules[] = {
    rules::call(check_common_conditions), rules::not_negative("disruptionsAllowed"),
    rules::not_negative("currentHealthy"), rules::not_negative("desiredHealthy"),
    rules::not_negative("expectedPods")};
constexpr Rule kPolicyStatusRules[] = {rules::call(check_expression_warnings),
                                       rules::call(check_common_conditions)};
constexpr Rule kMigrationStatusRules[] = {rules::call(check_common_conditions),
                                          rules::call(check_migrated_version)};

constexpr TypeRules kStatusTypes[] = {
    {"core.v1.ReplicationControllerStatus", kReplicaStatusRules},
    {"apps.v1.ReplicaSetStatus", kReplicaStatusRules},
    {"apps.v1.DeploymentStatus", kDeployedStatusRules},
    {"apps.v1.StatefulSetStatus", kStatefulStatusRules},
    {"apps.v1.DaemonSetStatus", kDaemonStatusRules},
    {"autoscaling.v1.HorizontalPodAutoscalerStatus", kAutoscalerStatusRules},
    {"autoscaling.v2.HorizontalPodAutoscalerStatus", kAutoscalerStatusRules},
    {"core.v1.ServiceStatus", kServiceStatusRules},
    {"core.v1.NamespaceStatus", kNamespaceStatusRules},
    {"core.v1.NodeStatus", kNodeStatusRules},
    {"core.v1.PersistentVolumeClaimStatus", kClaimStatusRules},
    {"policy.v1.PodDisruptionBudgetStatus", kBudgetStatusRules},
    {"admissionregistration.v1.ValidatingAdmissionPolicyStatus", kPolicyStatusRules},
    {"resource.v1.DeviceTaintRuleStatus", kConditionRules},
    {"storagemigration.v1.StorageVersionMigrationStatus", kMigrationStatusRules},
};

}  // namespace

std::span<const TypeRules> status_types() {
  return kStatusTypes;
}

meta::FieldErrors validate_status(const meta::TypeDescriptor& type, const json::Value& object,
                                  const json::Value& before, bool approves) {
  Walk walk;
  walk.before = &before;
  walk.approves = approves;
  const Place root(walk, type, object);
  root.each("status",
            [](const Place& status) { check_rules(status, find_rules(status.type().name)); });
  std::ranges::move(walk.late_errors, std::back_inserter(walk.errors));
  return std::move(walk.errors);
}

}  // namespace kube::apiserver
