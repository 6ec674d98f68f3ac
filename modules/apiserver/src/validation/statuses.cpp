// SPDX-License-Identifier: Apache-2.0
//
// What a status is refused for. Only kinds that are here have their status checked, and only by
// these rules: what is below a status is not walked.
#include <algorithm>
#include <iterator>
#include <set>

#include <kube/base/ascii.hpp>
#include <kube/json/json_path_template.hpp>
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

void check_ingress_address(const Place& ingress) {
  if (!ingress.is_empty("ip")) ingress.problems("ip", ip_problems(ingress.text("ip")));
  const std::string_view host = ingress.text("hostname");
  if (host.empty()) return;
  ingress.problems("hostname", meta::validate_dns1123_subdomain(host));
  if (parse_ip(host)) ingress.invalid("hostname", "must be a DNS name, not an IP address");
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

bool check_claim_resource(const Place& status, std::string_view field, std::string_view name) {
  const meta::Problems problems = meta::validate_qualified_name(name);
  report_problems(status, status.path(field), name, problems);
  if (!problems.empty()) return false;
  if (name == "storage" || !is_native_resource(name)) return true;
  status.report(FieldError::not_supported(status.path(field), name, {"storage"}));
  return false;
}

// Returns whether an amount is one, and reports it as a number.
bool check_claim_amount(const Place& status, const FieldPath& path, const json::Value& amount) {
  const auto quantity = quantity_of(amount);
  if (!quantity || quantity->value() >= 0) return true;
  status.report(FieldError::invalid(path, quantity->value(), "must be a valid resource quantity"));
  return false;
}

void check_claim_amounts(const Place& status) {
  constexpr std::string_view kStates[] = {"ControllerResizeInProgress",
                                          "ControllerResizeInfeasible", "NodeResizeInProgress",
                                          "NodeResizeInfeasible", "NodeResizePending"};
  constexpr std::string_view kResizes = "allocatedResourceStatuses";
  constexpr std::string_view kSizes = "allocatedResources";
  for (const auto& [name, amount] : status.map("capacity"))
    check_claim_amount(status, status.path("capacity").key(name), amount);
  for (const auto& [name, state] : status.map(kResizes)) {
    check_claim_resource(status, kResizes, name);
    // The server names the resource, not its state.
    if (std::ranges::find(kStates, state.string_or_empty()) == std::end(kStates))
      status.report(FieldError::not_supported(status.path(kResizes), name, texts_of(kStates)));
  }
  for (const auto& [name, amount] : status.map(kSizes)) {
    const FieldPath path = status.path(kSizes).key(name);
    if (check_claim_resource(status, kSizes, name) && check_claim_amount(status, path, amount))
      check_amount(status, path, "storage", amount);
  }
}

// Without the place that the error of a path begins with.
std::string json_path_problem(const Error& error) {
  const std::string& text = error.message();
  const std::size_t place = text.rfind(", offset ");
  const std::size_t why = place == std::string::npos ? place : text.find(": ", place);
  return why == std::string::npos ? text : text.substr(why + 2);
}

void check_expression_warnings(const Place& status) {
  status.each("typeChecking", [](const Place& checking) {
    checking.each("expressionWarnings", [](const Place& warning) {
      if (warning.is_empty("warning")) warning.required("warning");
      if (warning.is_empty("fieldRef")) return warning.required("fieldRef");
      const auto path =
          json::JsonPathTemplate::parse("{." + std::string(warning.text("fieldRef")) + "}");
      if (!path)
        warning.invalid("fieldRef", "invalid JSONPath: " + json_path_problem(path.error()));
    });
  });
}

void check_migrated_version(const Place& status) {
  const std::string_view version = status.text("resourceVersion");
  if (version.empty() || (version[0] != '0' && std::ranges::all_of(version, ascii::is_digit)))
    return;
  status.invalid("resourceVersion", "resource version is not well formed: " + std::string(version));
}

bool is_condition_true(const json::Value& status, std::string_view type) {
  return std::ranges::any_of(status.array_at({"conditions"}), [&](const json::Value& each) {
    return each.string_at({"type"}) == type && each.string_at({"status"}) == "True";
  });
}

// A migration ends once, and stays at the version to which it went.
void check_migration_end(const Place& status) {
  static const json::Value none;
  const json::Value* found = status.walk().before->at_path({"status"});
  const json::Value& before = found == nullptr ? none : *found;
  const std::string_view version = before.string_at({"resourceVersion"});
  if (!version.empty() && version != status.text("resourceVersion"))
    status.invalid("resourceVersion", "field is immutable");
  const auto refuse = [&](std::string detail) {
    status.invalid("conditions",
                   status.has("conditions") ? status.shown("conditions") : json::Array{},
                   std::move(detail));
  };
  if (is_condition_true(status.value(), "Succeeded") && is_condition_true(status.value(), "Failed"))
    refuse("Both success and failed conditions cannot be true at the same time");
  if (is_condition_true(before, "Succeeded") && !is_condition_true(status.value(), "Succeeded"))
    refuse("Success condition cannot be set to false once it is true");
  if (is_condition_true(before, "Failed") && !is_condition_true(status.value(), "Failed"))
    refuse("Failed condition cannot be set to false once it is true");
}

void check_scaling_conditions(const Place& status) {
  status.each("conditions", [](const Place& condition) {
    if (condition.number("observedGeneration").value_or(0) < 0)
      condition.invalid("observedGeneration", "must be greater than or equal to 0");
  });
}

void check_attachment_errors(const Place& status) {
  constexpr std::size_t kMaxMessage = 1024;
  for (const std::string_view field : {"attachError", "detachError"}) {
    status.each(field, [](const Place& error) {
      if (error.text("message").size() > kMaxMessage)
        error.report(FieldError::too_long(error.path("message"), kMaxMessage));
      if (error.number("errorCode").value_or(0) < 0)
        error.invalid("errorCode", "must be between 0 and 2147483647, inclusive");
    });
  }
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
                                           rules::not_negative("desiredReplicas"),
                                           rules::call(check_scaling_conditions)};
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
constexpr Rule kIngressStatusRules[] = {rules::into("loadBalancer")};
constexpr Rule kIngressAddressRules[] = {rules::call(check_ingress_address)};
constexpr Rule kNamespaceStatusRules[] = {rules::call(check_namespace_phase)};
constexpr Rule kClaimStatusRules[] = {rules::call(check_claim_amounts)};
constexpr Rule kConditionRules[] = {rules::call(check_common_conditions)};
constexpr Rule kBudgetStatusRules[] = {
    rules::call(check_common_conditions), rules::not_negative("disruptionsAllowed"),
    rules::not_negative("currentHealthy"), rules::not_negative("desiredHealthy"),
    rules::not_negative("expectedPods")};
constexpr Rule kPolicyStatusRules[] = {rules::call(check_expression_warnings),
                                       rules::call(check_common_conditions)};
constexpr Rule kMigrationStatusRules[] = {rules::call(check_migrated_version),
                                          rules::call(check_common_conditions),
                                          rules::call(check_migration_end)};
constexpr Rule kAttachmentStatusRules[] = {rules::call(check_attachment_errors)};

constexpr TypeRules kStatusTypes[] = {
    {"core.v1.ReplicationControllerStatus", kReplicaStatusRules},
    {"apps.v1.ReplicaSetStatus", kReplicaStatusRules},
    {"apps.v1.DeploymentStatus", kDeployedStatusRules},
    {"apps.v1.StatefulSetStatus", kStatefulStatusRules},
    {"apps.v1.DaemonSetStatus", kDaemonStatusRules},
    {"autoscaling.v1.HorizontalPodAutoscalerStatus", kAutoscalerStatusRules},
    {"autoscaling.v2.HorizontalPodAutoscalerStatus", kAutoscalerStatusRules},
    {"core.v1.ServiceStatus", kServiceStatusRules},
    {"networking.v1.IngressStatus", kIngressStatusRules},
    {"networking.v1.IngressLoadBalancerIngress", kIngressAddressRules},
    {"core.v1.NamespaceStatus", kNamespaceStatusRules},
    {"core.v1.PersistentVolumeClaimStatus", kClaimStatusRules},
    {"policy.v1.PodDisruptionBudgetStatus", kBudgetStatusRules},
    {"admissionregistration.v1.ValidatingAdmissionPolicyStatus", kPolicyStatusRules},
    {"resource.v1.DeviceTaintRuleStatus", kConditionRules},
    {"storage.v1.VolumeAttachmentStatus", kAttachmentStatusRules},
    {"storagemigration.v1.StorageVersionMigrationStatus", kMigrationStatusRules},
};

}  // namespace

std::span<const TypeRules> status_types() {
  return kStatusTypes;
}

meta::FieldErrors validate_status(const meta::TypeDescriptor& type, const WrittenStatus& written) {
  Walk walk;
  walk.before = &written.before;
  walk.approves = written.approves;
  walk.now = written.now;
  const Place root(walk, type, written.object);
  root.each("status",
            [](const Place& status) { check_rules(status, find_rules(status.type().name)); });
  std::ranges::move(walk.late_errors, std::back_inserter(walk.errors));
  return std::move(walk.errors);
}

}  // namespace kube::apiserver
