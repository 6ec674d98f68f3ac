// SPDX-License-Identifier: Apache-2.0
//
// The statuses of pods.
#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

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
    if (condition.number("observedGeneration").value_or(0) < 0)
      condition.invalid("observedGeneration", "must be a non-negative integer");
    report_problems(condition, condition.path("Type"), type, meta::validate_qualified_name(type));
  });
}

// A node that a pod hopes for is written before the pod is bound.
void check_nominated_node(const Place& status) {
  constexpr std::string_view kField = "nominatedNodeName";
  const json::Value* before = status.walk().before;
  const std::string_view name = status.text(kField);
  if (before == nullptr || name.empty() || name == before->string_at({"status", kField})) return;
  status.problems(kField, meta::validate_dns1123_subdomain(name));
  if (!before->string_at({"spec", "nodeName"}).empty())
    status.forbidden(kField, "may not be set on pods that are already bound to a node");
}

void check_claim_statuses(const Place& status) {
  std::set<std::string_view> names;
  status.each("resourceClaimStatuses", [&](const Place& claim) {
    const std::string_view name = claim.text("name");
    if (!has_named(status.root().value(), "resourceClaims", name))
      claim.invalid("name", name, "must match the name of an entry in `spec.resourceClaims`");
    if (!names.insert(name).second) claim.duplicate("name");
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

// At most one address of each family.
void check_families(const Place& status, std::string_view field) {
  const json::Array& ips = status.list(field);
  std::size_t v4 = 0;
  for (const json::Value& each : ips) {
    const auto ip = parse_ip(each.string_at({"ip"}));
    if (!ip) return;
    v4 += ip->is_v4 ? 1 : 0;
  }
  if (v4 > 1 || ips.size() - v4 > 1)
    status.report(FieldError::invalid(status.path(field), status.shown_own(field),
                                      "may specify no more than one IP for each IP family"));
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
  check_families(status, "hostIPs");
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
  check_families(status, "podIPs");
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

/// A list of the states of containers; no list of containers: they can't run again, and have no
/// resources.
struct StatusList {
  std::string_view statuses;
  std::string_view containers;
};

constexpr StatusList kStatusLists[] = {{"containerStatuses", "containers"},
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
bool may_restart(const json::Value& pod, const StatusList& list, const json::Value& ended) {
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
  for (const StatusList& list : kStatusLists) {
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

void check_container_users(const Place& status) {
  const std::string_view system = status.root().value().string_at({"spec", "os", "name"});
  const auto check = [&](const Place& user) {
    if (system == "windows") {
      if (user.has("linux")) user.forbidden("linux", "cannot be set for a windows pod");
    } else {
      user.into("linux");
    }
  };
  for (const StatusList& list : kStatusLists)
    status.each(list.statuses, [&](const Place& container) { container.each("user", check); });
}

void check_linux_groups(const Place& user) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const json::Array& groups = user.list("supplementalGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int64_t* group = groups[i].if_int();
    if (group != nullptr && (*group < 0 || *group > kMost))
      user.report(FieldError::invalid(user.path("supplementalGroups", i), *group,
                                      "must be between 0 and 2147483647, inclusive"));
  }
}

// Whether the container asks for a resource, or has a claim of that name.
bool has_resource(const json::Value& container, std::string_view name) {
  const json::Value* requests = container.at_path({"resources", "requests", name});
  if (!name.starts_with("claim:")) return requests != nullptr;
  return std::ranges::any_of(
      container.array_at({"resources", "claims"}), [&](const json::Value& claim) {
        std::string known = "claim:" + std::string(claim.string_at({"name"}));
        const std::string_view request = claim.string_at({"request"});
        if (!request.empty()) known.append("/").append(request);
        return known == name;
      });
}

void check_allocated_name(const Place& resources, const StatusList& list) {
  const json::Value& pod = resources.root().value();
  const std::string_view name = resources.text("name");
  const std::string_view owner = resources.parent()->text("name");
  const json::Array& containers = pod.array_at({"spec", list.containers});
  const auto found = std::ranges::find_if(
      containers, [&](const json::Value& each) { return each.string_at({"name"}) == owner; });
  if (found == containers.end() || has_resource(*found, name)) return;
  if (name.starts_with("claim:") &&
      pod.at_path({"status", "extendedResourceClaimStatus"}) != nullptr)
    return;
  resources.invalid(
      "name", name,
      name.starts_with("claim:")
          ? "must match one of the container's resource claims as "
            "'claim:<claimName>/<requestName>' when container.resources.claims[*].request is set "
            "or 'claim:<claimName>' when it is empty"
          : "must match one of the container's resource requests");
}

void check_resource_health(const Place& resources) {
  constexpr std::string_view kHealth[] = {"Healthy", "Unhealthy", "Unknown"};
  std::set<std::string_view> seen;
  resources.each("resources", [&](const Place& resource) {
    const std::string_view health = resource.text("health");
    if (std::ranges::find(kHealth, health) == std::end(kHealth))
      resource.report(
          FieldError::not_supported(resource.path("health"), health, texts_of(kHealth)));
    if (!seen.insert(resource.text("resourceID")).second) resource.duplicate("resourceID");
  });
}

void check_allocated_resources(const Place& status) {
  for (const StatusList& list : kStatusLists) {
    status.each(list.statuses, [&](const Place& container) {
      if (list.containers.empty() && !container.is_empty("allocatedResourcesStatus"))
        container.forbidden("allocatedResourcesStatus",
                            "must not be specified in container status");
      if (list.containers.empty()) return;
      container.each("allocatedResourcesStatus", [&](const Place& resources) {
        check_allocated_name(resources, list);
        check_resource_health(resources);
      });
    });
  }
}

constexpr Rule kLinuxUserRules[] = {
    rules::range("uid", 0, std::numeric_limits<std::uint32_t>::max()), rules::id("gid"),
    rules::call(check_linux_groups)};
constexpr Rule kPodStatusRules[] = {
    rules::call(check_pod_conditions),
    rules::call(check_nominated_node),
    rules::at_least("observedGeneration", 0, "must be a non-negative integer"),
    rules::call(check_quality),
    rules::call(check_ended_containers),
    rules::call(check_claim_statuses),
    rules::call(check_extended_claim),
    rules::call(check_pod_ips),
    rules::call(check_host_ips),
    rules::call(check_container_users),
    rules::call(check_allocated_resources)};

constexpr TypeRules kPodStatusTypes[] = {{"core.v1.PodStatus", kPodStatusRules},
                                         {"core.v1.LinuxContainerUser", kLinuxUserRules}};

}  // namespace

std::span<const TypeRules> pod_status_types() {
  return kPodStatusTypes;
}

}  // namespace kube::apiserver
