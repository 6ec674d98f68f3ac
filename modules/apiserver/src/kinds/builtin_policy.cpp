// SPDX-License-Identifier: Apache-2.0
#include "kinds/builtin_policy.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace kube::apiserver {
namespace {

using Name = std::pair<std::string_view, std::string_view>;  // group, plural; "" stands for all

constexpr Name returns_object[] = {
    {"", "namespaces"},
    {"", "persistentvolumeclaims"},
    {"", "persistentvolumes"},
    {"", "pods"},
    {"", "podtemplates"},
    {"", "resourcequotas"},
    {"", "serviceaccounts"},
    {"", "services"},
    {"resource.k8s.io", "resourceclaims"},
    {"storage.k8s.io", "csidrivers"},
    {"storage.k8s.io", "csinodes"},
    {"storage.k8s.io", "storageclasses"},
    {"storage.k8s.io", "volumeattachments"},
};

constexpr Name creates_on_update[] = {
    {"", "endpoints"},
    {"", "events"},
    {"", "limitranges"},
    {"", "services"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicies"},
    {"admissionregistration.k8s.io", "mutatingadmissionpolicybindings"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicybindings"},
    {"coordination.k8s.io", "leases"},
    {"events.k8s.io", "events"},
    {"node.k8s.io", "runtimeclasses"},
    {"rbac.authorization.k8s.io", ""},
};

constexpr Name needs_version[] = {
    {"apiextensions.k8s.io", "customresourcedefinitions"},
    {"apiregistration.k8s.io", "apiservices"},
    {"coordination.k8s.io", "leases"},
    {"policy", "poddisruptionbudgets"},
};

// Kinds with a spec and a status whose generation the server does not count.
constexpr Name without_generation[] = {
    {"", "namespaces"},
    {"", "nodes"},
    {"", "persistentvolumeclaims"},
    {"", "persistentvolumes"},
    {"", "resourcequotas"},
    {"", "services"},
    {"apiregistration.k8s.io", ""},
    {"autoscaling", ""},
    {"certificates.k8s.io", "certificatesigningrequests"},
    {"internal.apiserver.k8s.io", ""},
    {"resource.k8s.io", ""},
    {"storage.k8s.io", ""},
};

constexpr Name with_generation[] = {
    {"admissionregistration.k8s.io", ""},    {"discovery.k8s.io", "endpointslices"},
    {"networking.k8s.io", "ingressclasses"}, {"networking.k8s.io", "networkpolicies"},
    {"resource.k8s.io", "resourceslices"},   {"scheduling.k8s.io", "priorityclasses"},
};

bool in(std::span<const Name> names, std::string_view group, std::string_view plural) {
  return std::ranges::any_of(names, [&](const Name& name) {
    return name.first == group && (name.second.empty() || name.second == plural);
  });
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    out.emplace_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  return out;
}

}  // namespace

WritePolicy builtin_policy(std::string_view group, std::string_view plural, bool has_status) {
  WritePolicy policy;
  if (group.empty() && plural == "namespaces") policy.name_rule = meta::NameRule::DnsLabel;
  if (group.empty() && plural == "services") policy.name_rule = meta::NameRule::Dns1035Label;
  // Recorders name events after objects of any kind; only events.k8s.io asks for more.
  if (group == "rbac.authorization.k8s.io" || (group.empty() && plural == "events"))
    policy.name_rule = meta::NameRule::PathSegment;
  policy.has_generation =
      in(with_generation, group, plural) || (has_status && !in(without_generation, group, plural));
  policy.create_on_update = in(creates_on_update, group, plural);
  policy.unconditional_update = !in(needs_version, group, plural);
  policy.returns_deleted_object = in(returns_object, group, plural);
  policy.graceful_deletion = group.empty() && plural == "pods";
  return policy;
}

std::optional<ScalePaths> builtin_scale(std::string_view group, std::string_view plural) {
  const bool scalable = (group == "apps" && (plural == "deployments" || plural == "replicasets" ||
                                             plural == "statefulsets")) ||
                        (group.empty() && plural == "replicationcontrollers");
  if (!scalable) return std::nullopt;
  return ScalePaths{{"spec", "replicas"}, {"status", "replicas"}, {"spec", "selector"}};
}

StoredField builtin_field(std::string_view group, std::string_view plural, std::string_view label) {
  if (plural == "jobs" && label == "status.successful") return {{"status", "succeeded"}, "0"};
  if (plural == "events" && label == "source") return {{"source", "component"}, ""};
  if (group.empty() && plural == "pods" && label == "spec.hostNetwork") {
    return {{"spec", "hostNetwork"}, "false"};
  }
  if (group.empty() && plural == "nodes" && label == "spec.unschedulable") {
    return {{"spec", "unschedulable"}, "false"};
  }
  if (label == "status.replicas") return {{"status", "replicas"}, "0"};
  return {split(label), ""};
}

bool is_served_subresource(std::string_view name) {
  constexpr std::array<std::string_view, 5> needs_kubelet = {"attach", "exec", "log", "portforward",
                                                             "proxy"};
  return std::ranges::find(needs_kubelet, name) == needs_kubelet.end();
}

std::string_view storage_group(std::string_view group, std::string_view plural) {
  return group == "events.k8s.io" && plural == "events" ? std::string_view{} : group;
}

}  // namespace kube::apiserver
