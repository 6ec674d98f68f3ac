// SPDX-License-Identifier: Apache-2.0
//
// The statuses of pods.
#include <algorithm>
#include <iterator>

#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

// The names of containers, or of a pod's claims of resources.
bool has_named(const json::Value& pod, std::string_view list, std::string_view name) {
  return std::ranges::any_of(pod.array_at({"spec", list}), [&](const json::Value& each) {
    return each.string_at({"name"}) == name;
  });
}

void check_pod_conditions(const Place& status) {
  status.each("conditions", [](const Place& condition) {
    const std::string_view type = condition.text("type");
    report_problems(condition, condition.path("Type"), type, meta::validate_qualified_name(type));
  });
}

void check_claim_statuses(const Place& status) {
  status.each("resourceClaimStatuses", [&](const Place& claim) {
    const std::string_view name = claim.text("name");
    if (!has_named(status.root().value(), "resourceClaims", name))
      claim.invalid("name", name, "must match the name of an entry in `spec.resourceClaims`");
    if (!claim.is_empty("resourceClaimName"))
      claim.problems("resourceClaimName",
                     meta::validate_dns1123_subdomain(claim.text("resourceClaimName")));
  });
}

void check_extended_mapping(const Place& mapping) {
  const json::Value& pod = mapping.root().value();
  const std::string_view container = mapping.text("containerName");
  if (!has_named(pod, "initContainers", container) && !has_named(pod, "containers", container))
    mapping.invalid(
        "containerName", container,
        "must match the name of an entry in spec.initContainers.name or spec.containers.name");
  const std::string_view request = mapping.text("requestName");
  // The server reports it beside the list.
  report_problems(mapping, mapping.parent()->path("requestName"), request,
                  meta::validate_dns1123_label(request));
}

void check_extended_claim(const Place& status) {
  status.each("extendedResourceClaimStatus", [](const Place& claim) {
    if (claim.is_empty("requestMappings"))
      claim.required("requestMappings", "at least one request mapping is required");
    claim.each("requestMappings", check_extended_mapping);
    check_name(claim, "resourceClaimName", meta::validate_dns1123_subdomain);
  });
}

void check_host_ips(const Place& status) {
  const json::Array& ips = status.list("hostIPs");
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = ips[i].string_at({"ip"});
    if (i == 0 && ip != status.text("hostIP"))
      status.report(FieldError::invalid(status.path("hostIPs", i).child("ip"), ip,
                                        "must be equal to `hostIP`"));
    report_problems(status, status.path("hostIPs", i), ip, ip_problems(ip));
  }
}

void check_pod_ips(const Place& status) {
  const std::string_view first = status.text("podIP");
  const json::Array& ips = status.list("podIPs");
  if (ips.empty() && !first.empty())
    report_problems(status, status.path("podIPs", 0), first, ip_problems(first));
  for (std::size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = ips[i].string_at({"ip"});
    report_problems(status, status.path("podIPs", i), ip, ip_problems(ip));
  }
  if (!ips.empty() && first.empty())
    status.report(FieldError::invalid(status.path("podIPs"), status.shown_own("podIPs"),
                                      "podIP and podIPs must either both be set or both be unset"));
}

// Where the pod's quality of service was decided, it stays.
void check_quality(const Place& status) {
  const json::Value* before = status.walk().before;
  const std::string_view old =
      before == nullptr ? std::string_view{} : before->string_at({"status", "qosClass"});
  if (status.text("qosClass") != old) status.invalid("qosClass", "field is immutable");
}

/// A list of the states of containers that end.
struct EndedList {
  std::string_view statuses;
  std::string_view containers;
};

constexpr EndedList kEndedLists[] = {{"containerStatuses", "containers"},
                                     {"initContainerStatuses", "initContainers"},
                                     {"ephemeralContainerStatuses", {}}};

// Whether the end of one container may start all of the pod again.
bool may_restart_all(const json::Value& pod) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const json::Value& container : pod.array_at({"spec", list})) {
      for (const json::Value& rule : container.array_at({"restartPolicyRules"})) {
        if (rule.string_at({"action"}) == "RestartAllContainers") return true;
      }
    }
  }
  return false;
}

bool is_of_exit_code(const json::Value& rule, std::int64_t code) {
  const json::Value* codes = rule.at_path({"exitCodes"});
  if (codes == nullptr) return false;
  const bool is_named =
      std::ranges::any_of(codes->array_at({"values"}),
                          [&](const json::Value& each) { return each == json::Value(code); });
  const std::string_view op = codes->string_at({"operator"});
  return (op == "In" && is_named) || (op == "NotIn" && !is_named);
}

// By a rule of its own, by its own policy, or by that of the pod.
bool may_restart(const json::Value& pod, const json::Value& container, std::int64_t code) {
  std::string_view policy = container.string_at({"restartPolicy"});
  if (!policy.empty() &&
      std::ranges::any_of(container.array_at({"restartPolicyRules"}), [&](const json::Value& rule) {
        return is_of_exit_code(rule, code) && rule.string_at({"action"}) == "Restart";
      }))
    return true;
  if (policy.empty()) policy = pod.string_at({"spec", "restartPolicy"});
  return policy != "Never" && (policy != "OnFailure" || code != 0);
}

// Whether a container that has ended may run again.
bool may_restart(const json::Value& pod, const EndedList& list, const json::Value& ended) {
  if (list.containers.empty()) return false;
  if (may_restart_all(pod)) return true;
  const std::int64_t code = ended.int_at({"state", "terminated", "exitCode"}).value_or(0);
  for (const json::Value& each : pod.array_at({"spec", list.containers})) {
    if (each.string_at({"name"}) == ended.string_at({"name"})) return may_restart(pod, each, code);
  }
  return false;
}

// What has ended stays so, where containers are not started again. The paths count by the old list.
void check_ended_containers(const Place& status) {
  const json::Value* before = status.walk().before;
  if (before == nullptr) return;
  for (const EndedList& list : kEndedLists) {
    const json::Array& old = before->array_at({"status", list.statuses});
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (old[i].at_path({"state", "terminated"}) == nullptr || may_restart(*before, list, old[i]))
        continue;
      for (const json::Value& now : status.list(list.statuses)) {
        if (now.string_at({"name"}) == old[i].string_at({"name"}) &&
            now.at_path({"state", "terminated"}) == nullptr)
          status.report(FieldError::forbidden(status.path(list.statuses, i).child("state"),
                                              "may not be transitioned to non-terminated state"));
      }
    }
  }
}

void check_resource_health(const Place& status) {
  constexpr std::string_view kHealth[] = {"Healthy", "Unhealthy", "Unknown"};
  const auto check = [&](const Place& resource) {
    const std::string_view health = resource.text("health");
    if (std::ranges::find(kHealth, health) == std::end(kHealth))
      resource.report(
          FieldError::not_supported(resource.path("health"), health, texts_of(kHealth)));
  };
  for (const std::string_view list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    status.each(list, [&](const Place& container) {
      container.each("allocatedResourcesStatus",
                     [&](const Place& resources) { resources.each("resources", check); });
    });
  }
}

constexpr Rule kPodStatusRules[] = {
    rules::call(check_quality),        rules::call(check_ended_containers),
    rules::call(check_pod_conditions), rules::call(check_pod_ips),
    rules::call(check_host_ips),       rules::call(check_resource_health),
    rules::call(check_claim_statuses), rules::call(check_extended_claim)};

constexpr TypeRules kPodStatusTypes[] = {{"core.v1.PodStatus", kPodStatusRules}};

}  // namespace

std::span<const TypeRules> pod_status_types() {
  return kPodStatusTypes;
}

}  // namespace kube::apiserver
