// SPDX-License-Identifier: Apache-2.0
//
// Controllers of pods, services, nodes, storage.
#include <algorithm>

#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/validation.hpp>
#include <kube/validation/definition_validation.hpp>

#include "validation/checks.hpp"
#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

/// A label of nodes that has another name today.
struct OldLabel {
  std::string_view name;
  std::string_view text;
};

constexpr OldLabel kOldLabels[] = {
    {"beta.kubernetes.io/arch", R"(deprecated since v1.14; use "kubernetes.io/arch" instead)"},
    {"beta.kubernetes.io/os", R"(deprecated since v1.14; use "kubernetes.io/os" instead)"},
    {"failure-domain.beta.kubernetes.io/region",
     R"(deprecated since v1.17; use "topology.kubernetes.io/region" instead)"},
    {"failure-domain.beta.kubernetes.io/zone",
     R"(deprecated since v1.17; use "topology.kubernetes.io/zone" instead)"},
    {"beta.kubernetes.io/instance-type",
     R"(deprecated since v1.17; use "node.kubernetes.io/instance-type" instead)"}};

// A new pod's host name is the name of the pod, or begins with its controller's.
void warn_of_host_name(const Place& object, std::string_view used, Warnings& out) {
  const std::string_view name = object.value().string_at({"metadata", "name"});
  const meta::Problems problems = meta::validate_dns1123_label(name);
  if (object.walk().before != nullptr || problems.empty()) return;
  out.push_back("metadata.name: this is used in " + std::string(used) +
                ", which can result in surprising behavior; a DNS label is recommended: [" +
                join(problems, " ") + "]");
}

void warn_of_pod_name(const Place& pod, Warnings& out) {
  warn_of_host_name(pod, "the Pod's hostname", out);
}

void warn_of_controller_name(const Place& controller, Warnings& out) {
  warn_of_host_name(controller, "Pod names and hostnames", out);
}

// The path that the reference server writes has no "spec", or another one in an update.
void warn_of_claims(const Place& spec, Warnings& out) {
  const bool is_new = spec.walk().before == nullptr;
  spec.each("volumeClaimTemplates", [&](const Place& claim) {
    const meta::FieldPath path = is_new ? claim.path() : claim.path("Spec");
    for (const std::string_view field : {"requests", "limits"})
      warn_of_fraction(path.child("resources").child(field).key("storage"),
                       claim.value().at_path({"spec", "resources", field, "storage"}), out);
  });
}

void warn_of_history(const Place& spec, Warnings& out) {
  if (spec.number("revisionHistoryLimit").value_or(0) < 0)
    out.push_back(warning_at(
        spec.path("revisionHistoryLimit"),
        "a negative value retains all historical revisions; a value >= 0 is recommended"));
}

void warn_of_service(const Place& spec, Warnings& out) {
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  if (spec.root().value().at_path({"metadata", "annotations", kHints}) != nullptr)
    out.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  const bool has_addresses = !spec.is_empty("externalIPs");
  const bool is_named = spec.text("type") == "ExternalName";
  const bool is_headless =
      spec.text_or("type", "ClusterIP") == "ClusterIP" && spec.text("clusterIP") == "None";
  if (!is_headless) warn_of_ip(spec, "clusterIPs", out);
  if (is_headless) {
    if (!spec.is_empty("loadBalancerIP"))
      out.emplace_back("spec.loadBalancerIP is ignored for headless services");
    if (has_addresses) out.emplace_back("spec.externalIPs is ignored for headless services");
    if (spec.text_or("sessionAffinity", "None") != "None")
      out.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
  warn_of_ip(spec, "externalIPs", out);
  if (has_addresses && !is_headless && !is_named)
    out.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if (!spec.is_empty("loadBalancerIP")) warn_of_ip(spec, "loadBalancerIP", out);
  warn_of_range(spec, "loadBalancerSourceRanges", out);
  if (has_addresses && is_named)
    out.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (!spec.is_empty("externalName") && !is_named)
    out.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  if (spec.text("trafficDistribution") == "PreferClose")
    out.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
}

// An update is warned of new requests alone.
void warn_of_tokens(const Place& spec, Warnings& out) {
  const json::Value* before = spec.walk().before;
  const bool same = before != nullptr &&
                    before->array_at({"spec", "tokenRequests"}) == spec.list("tokenRequests");
  if (!same && !spec.is_empty("tokenRequests") && !spec.has("serviceAccountTokenInSecrets"))
    out.emplace_back(
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
        "to prevent possible logging of tokens in volume attributes");
}

void warn_of_address_type(const Place& slice, Warnings& out) {
  if (slice.text("addressType") == "FQDN")
    out.emplace_back("spec.addressType: FQDN endpoints are deprecated");
}

void warn_of_ingress_class(const Place& ingress, Warnings& out) {
  constexpr std::string_view kClass = "kubernetes.io/ingress.class";
  if (ingress.walk().before == nullptr &&
      ingress.value().at_path({"metadata", "annotations", kClass}) != nullptr &&
      ingress.value().at_path({"spec", "ingressClassName"}) == nullptr)
    out.emplace_back(
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
        "'spec.ingressClassName' instead");
}

// The controller of Endpoints writes canonical addresses.
void warn_of_endpoint(const Place& address, Warnings& out) {
  constexpr std::string_view kManager = "endpoints.kubernetes.io/managed-by";
  if (address.root().value().string_at({"metadata", "labels", kManager}) != "endpoint-controller")
    warn_of_ip(address, "ip", out);
}

void warn_of_ranges(const Place& block, Warnings& out) {
  warn_of_range(block, "cidr", out);
  warn_of_range(block, "except", out);
}

// A new quota that lets more be requested than its limits are.
void warn_of_requests(const Place& quota, Warnings& out) {
  if (quota.walk().before != nullptr) return;
  quota.each("spec", [&](const Place& spec) {
    const json::Object& hard = spec.map("hard");
    for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
      std::string requests = "requests." + std::string(name);
      if (!hard.contains(requests) && name != "ephemeral-storage") requests = name;
      const std::string limits = "limits." + std::string(name);
      const json::Value* request = hard.find(requests);
      const json::Value* limit = hard.find(limits);
      if (request == nullptr || limit == nullptr) continue;
      const auto asked = quantity_of(*request);
      const auto most = quantity_of(*limit);
      if (asked && most && *most < *asked)
        out.push_back("ResourceQuota " + requests + " (" + asked->to_string() +
                      ") should be less than " + limits + " (" + most->to_string() + ")");
    }
  });
}

void warn_of_many_indexes(const Place& spec, Warnings& out) {
  if (spec.text("completionMode") == "Indexed" &&
      spec.number("completions").value_or(0) > 100'000 &&
      spec.number("parallelism").value_or(0) > 10'000)
    out.push_back(warning_at(
        spec.path(),
        "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher "
        "than 10^4, Kubernetes might not be able to track completedIndexes when a big number of "
        "indexes fail"));
}

void warn_of_runtime_nodes(const Place& scheduling, Warnings& out) {
  for (const auto& [label, value] : scheduling.map("nodeSelector")) {
    const std::string_view text = node_label_warning(label);
    if (!text.empty()) out.push_back(warning_at(scheduling.path("nodeSelector"), text));
  }
}

void warn_of_topology_label(const Place& requirement, Warnings& out) {
  const std::string_view text = node_label_warning(requirement.text("key"));
  if (!text.empty()) out.push_back(warning_at(requirement.path("key"), text));
}

void warn_of_topology(const Place& capacity, Warnings& out) {
  capacity.each("nodeTopology", [&](const Place& selector) {
    warn_of_node_expressions(selector, out);
    for (const auto& [label, value] : selector.map("matchLabels")) {
      const std::string_view text = node_label_warning(label);
      if (!text.empty()) out.push_back(warning_at(selector.path("matchLabels").child(label), text));
    }
  });
}

void warn_of_pod_ranges(const Place& spec, Warnings& out) {
  warn_of_range(spec, "podCIDRs", out);
}

// Adds the first formats in a schema, and in those inside of it, that are not looked at.
void find_other_formats(const json::Value& schema, std::vector<std::string_view>& out) {
  constexpr std::size_t kMost = 100;
  if (out.size() >= kMost) return;
  const std::string_view format = schema.string_at({"format"});
  if (!format.empty() && !meta::is_known_format(format) &&
      std::ranges::find(out, format) == out.end())
    out.push_back(format);
  if (const json::Value* members = schema.at_path({"properties"});
      members != nullptr && members->is_object()) {
    for (const auto& [name, member] : *members->if_object()) find_other_formats(member, out);
  }
  for (const std::string_view below : {"items", "additionalProperties"}) {
    if (const json::Value* inner = schema.at_path({below})) find_other_formats(*inner, out);
  }
}

void warn_of_formats(const Place& definition, Warnings& out) {
  std::vector<std::string_view> formats;
  definition.each("versions", [&](const Place& version) {
    if (const json::Value* schema = version.value().at_path({"schema", "openAPIV3Schema"}))
      find_other_formats(*schema, formats);
  });
  for (const std::string_view format : formats)
    out.push_back("unrecognized format " + go::quote(format));
}

constexpr Warning kDefinitionSpec[] = {warn_with(warn_of_formats)};
constexpr Warning kPod[] = {warn_with(warn_of_pod_name)};
constexpr Warning kController[] = {warn_with(warn_of_controller_name)};
constexpr Warning kStatefulSetSpec[] = {{"template"},
                                        {.field = "volumeClaimTemplates", .warn = warn_of_claims},
                                        warn_with(warn_of_history)};
constexpr Warning kSecret[] = {warn_with(warn_of_key_pair)};
constexpr Warning kServiceSpec[] = {warn_with(warn_of_service)};
constexpr Warning kNodeSpec[] = {
    {"externalID", "this field is deprecated, and is unused by Kubernetes"},
    warn_with(warn_of_pod_ranges)};
constexpr Warning kDriverSpec[] = {warn_with(warn_of_tokens)};
constexpr Warning kSlice[] = {warn_with(warn_of_address_type)};
constexpr Warning kIngress[] = {warn_with(warn_of_ingress_class)};
constexpr Warning kEndpointAddress[] = {warn_with(warn_of_endpoint)};
constexpr Warning kIpBlock[] = {warn_with(warn_of_ranges)};
constexpr Warning kQuota[] = {warn_with(warn_of_requests)};
constexpr Warning kJobSpec[] = {warn_with(warn_of_many_indexes)};
constexpr Warning kNetworkPolicySpec[] = {{"ingress"}, {"egress"}};
constexpr Warning kEndpointSubset[] = {{"addresses"}, {"notReadyAddresses"}};
constexpr Warning kRuntimeScheduling[] = {warn_with(warn_of_runtime_nodes)};
constexpr Warning kStorageCapacity[] = {warn_with(warn_of_topology)};
constexpr Warning kTopologyLabel[] = {warn_with(warn_of_topology_label)};

constexpr TypeWarnings kKindWarnings[] = {
    {"apiextensions.v1.CustomResourceDefinitionSpec", kDefinitionSpec},
    {"core.v1.Pod", kPod},
    {"core.v1.ReplicationController", kController},
    {"apps.v1.Deployment", kController},
    {"apps.v1.ReplicaSet", kController},
    {"batch.v1.Job", kController},
    {"batch.v1.CronJob", kController},
    {"batch.v1.JobSpec", kJobSpec},
    {"core.v1.EndpointSubset", kEndpointSubset},
    {"core.v1.EndpointAddress", kEndpointAddress},
    {"networking.v1.NetworkPolicySpec", kNetworkPolicySpec},
    {"networking.v1.IPBlock", kIpBlock},
    {"core.v1.ResourceQuota", kQuota},
    {"apps.v1.StatefulSetSpec", kStatefulSetSpec},
    {"core.v1.Secret", kSecret},
    {"core.v1.ServiceSpec", kServiceSpec},
    {"core.v1.NodeSpec", kNodeSpec},
    {"storage.v1.CSIStorageCapacity", kStorageCapacity},
    {"storage.v1.CSIDriverSpec", kDriverSpec},
    {"discovery.v1.EndpointSlice", kSlice},
    {"networking.v1.Ingress", kIngress},
    {"node.v1.Scheduling", kRuntimeScheduling},
    {"core.v1.TopologySelectorLabelRequirement", kTopologyLabel},
};

}  // namespace

std::string_view node_label_warning(std::string_view label) {
  const auto* found = std::ranges::find(kOldLabels, label, &OldLabel::name);
  return found == std::end(kOldLabels) ? std::string_view{} : found->text;
}

void warn_of_node_expressions(const Place& term, Warnings& out) {
  term.each("matchExpressions", [&](const Place& expression) {
    const std::string_view key = expression.text("key");
    const std::string_view text = node_label_warning(key);
    if (text.empty()) return;
    out.push_back(
        warning_at(expression.path("key"), std::string(key) + " is " + std::string(text)));
  });
}

std::span<const TypeWarnings> kind_warnings() {
  return kKindWarnings;
}

}  // namespace kube::apiserver
