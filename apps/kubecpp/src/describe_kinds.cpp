// SPDX-License-Identifier: Apache-2.0
//
// Describer: the layouts of Deployments, Services, Namespaces and Nodes.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/meta/errors.hpp>

#include "describe_pod.hpp"
#include "describe_volumes.hpp"
#include "describer.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using kube::Result;
using kube::Unstructured;
using kube::meta::ResourceInfo;
using Words = std::string;

constexpr std::size_t kShownEndpoints = 3;

const ResourceInfo kReplicaSets{
    .group = "apps", .version = "v1", .kind = "ReplicaSet", .plural = "replicasets"};
const ResourceInfo kEndpointSlices{.group = "discovery.k8s.io",
                                   .version = "v1",
                                   .kind = "EndpointSlice",
                                   .plural = "endpointslices"};
const ResourceInfo kLeases{
    .group = "coordination.k8s.io", .version = "v1", .kind = "Lease", .plural = "leases"};
const ResourceInfo kPods{.version = "v1", .kind = "Pod", .plural = "pods"};
const ResourceInfo kQuotas{.version = "v1", .kind = "ResourceQuota", .plural = "resourcequotas"};
const ResourceInfo kLimitRanges{.version = "v1", .kind = "LimitRange", .plural = "limitranges"};

Words count_at(const Value& object, json::Value::Path path) {
  return std::to_string(object.int_at(path).value_or(0));
}

Words joined(const json::Array& texts) {
  std::vector<std::string_view> parts;
  for (const Value& each : texts) parts.push_back(each.string_or_empty());
  return kube::join(parts, ",");
}

Words or_none(const Words& text) {
  return text.empty() ? "<none>" : text;
}

// The template of a ReplicaSet without the label that its Deployment adds.
Value template_of(const Value& object) {
  const Value* found = object.at_path({"spec", "template"});
  Value copy = found == nullptr ? Value(json::Object{}) : *found;
  if (Value* labels =
          copy.if_object() == nullptr ? nullptr : &copy.ensure_path({"metadata", "labels"});
      labels != nullptr && labels->is_object())
    labels->if_object()->erase("pod-template-hash");
  return copy;
}

bool is_controlled_by(const Value& object, std::string_view uid) {
  return std::ranges::any_of(
      object.array_at({"metadata", "ownerReferences"}), [uid](const Value& owner) {
        return owner.true_at({"controller"}) && owner.string_at({"uid"}) == uid;
      });
}

Words replica_set_text(const Value& set) {
  return Words(set.string_at({"metadata", "name"})) + " (" + count_at(set, {"status", "replicas"}) +
         "/" + count_at(set, {"spec", "replicas"}) + " replicas created)";
}

void add_replica_sets(const Unstructured& deployment, const std::vector<Unstructured>& sets,
                      Description& out) {
  const Value wanted = template_of(deployment.content);
  const Value* current = nullptr;
  std::vector<const Value*> own;
  for (const Unstructured& set : sets) {
    if (!is_controlled_by(set.content, deployment.uid())) continue;
    own.push_back(&set.content);
    // The oldest of those that are equal is the current one.
    const bool older =
        current == nullptr || set.content.string_at({"metadata", "creationTimestamp"}) <
                                  current->string_at({"metadata", "creationTimestamp"});
    if (older && template_of(set.content) == wanted) current = &set.content;
  }
  if (own.empty()) return;
  std::vector<Words> old;
  for (const Value* set : own) {
    if (set != current) old.push_back(replica_set_text(*set));
  }
  out.field(0, "OldReplicaSets", or_none(kube::join(old, ", ")));
  out.field(0, "NewReplicaSet", current == nullptr ? "<none>" : replica_set_text(*current));
}

// The addresses that are ready, of one port by its name, of a few and the number of the others.
class EndpointText {
 public:
  void add_slice(const Value& slice, std::string_view port_name) {
    const json::Array& ports = slice.array_at({"ports"});
    if (ports.empty()) add_endpoints(slice, "");
    for (const Value& port : ports) {
      if (port.string_at({"name"}) == port_name) add_endpoints(slice, count_at(port, {"port"}));
    }
  }
  Words text() const {
    const Words shown = kube::join(shown_, ",");
    return more_ ? shown + " + " + std::to_string(ready_ - kShownEndpoints) + " more..." : shown;
  }

 private:
  void add_endpoints(const Value& slice, const Words& port) {
    for (const Value& endpoint : slice.array_at({"endpoints"})) {
      more_ = more_ || shown_.size() == kShownEndpoints;
      const Value* ready = endpoint.at_path({"conditions", "ready"});
      if (ready != nullptr && ready->is_bool() && !*ready->if_bool()) continue;
      const json::Array& addresses = endpoint.array_at({"addresses"});
      if (addresses.empty()) continue;
      const Words address(addresses.front().string_or_empty());
      const bool v6 = address.find(':') != Words::npos && !port.empty();
      if (!more_)
        shown_.push_back((v6 ? "[" + address + "]" : address) + (port.empty() ? "" : ":" + port));
      ++ready_;
    }
  }

  std::vector<Words> shown_{};
  bool more_ = false;
  std::size_t ready_ = 0;
};

Words endpoints_text(const std::vector<Unstructured>& slices, std::string_view port_name) {
  if (slices.empty()) return "<none>";
  EndpointText text;
  for (const Unstructured& slice : slices) text.add_slice(slice.content, port_name);
  return text.text();
}

Words ingress_text(const json::Array& ingress) {
  std::vector<Words> parts;
  for (const Value& each : ingress) {
    const Words ip(each.string_at({"ip"}));
    const Words mode(each.string_at({"ipMode"}));
    parts.push_back(ip.empty() ? Words(each.string_at({"hostname"}))
                               : ip + (mode.empty() ? "" : " (" + mode + ")"));
  }
  return kube::join(parts, ", ");
}

void add_service_port(const Value& port, const std::vector<Unstructured>& slices,
                      Description& out) {
  const Words protocol = "/" + Words(port.string_at({"protocol"}));
  const std::string_view name = port.string_at({"name"});
  const Words shown = name.empty() ? "<unset>" : Words(name);
  out.field(0, "Port", shown + "\t" + count_at(port, {"port"}) + protocol);
  const Value* target = port.at_path({"targetPort"});
  out.field(0, "TargetPort", (target == nullptr ? "0" : go_text(*target)) + protocol);
  out.optional_field(0, "AppProtocol", port.string_at({"appProtocol"}));
  if (port.int_at({"nodePort"}).value_or(0) != 0)
    out.field(0, "NodePort", shown + "\t" + count_at(port, {"nodePort"}) + protocol);
  out.field(0, "Endpoints", endpoints_text(slices, name));
}

void add_service_addresses(const Value& service, Description& out) {
  out.optional_field(0, "IP Family Policy", service.string_at({"spec", "ipFamilyPolicy"}));
  out.field(0, "IP Families", or_none(joined(service.array_at({"spec", "ipFamilies"}))));
  out.field(0, "IP", service.string_at({"spec", "clusterIP"}));
  out.field(0, "IPs", or_none(joined(service.array_at({"spec", "clusterIPs"}))));
  out.optional_field(0, "External IPs", joined(service.array_at({"spec", "externalIPs"})));
  out.optional_field(0, "Desired LoadBalancer IP", service.string_at({"spec", "loadBalancerIP"}));
  out.optional_field(0, "External Name", service.string_at({"spec", "externalName"}));
  const json::Array& ingress = service.array_at({"status", "loadBalancer", "ingress"});
  if (!ingress.empty()) out.field(0, "LoadBalancer Ingress", ingress_text(ingress));
}

Words roles_of(const Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<Words> roles;
  const Value* labels = node.at_path({"metadata", "labels"});
  if (labels == nullptr || !labels->is_object()) return "<none>";
  for (const auto& [key, value] : *labels->if_object()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.string_or_empty().empty()) {
      roles.emplace(value.string_or_empty());
    }
  }
  return or_none(kube::join(roles, ","));
}

void add_taints(const Value& node, Description& out) {
  std::vector<std::pair<Words, Words>> taints;  // in the order of effect and key
  for (const Value& taint : node.array_at({"spec", "taints"})) {
    const Words key(taint.string_at({"key"}));
    const Words value(taint.string_at({"value"}));
    const Words effect(taint.string_at({"effect"}));
    taints.emplace_back(effect + "," + key, key + (value.empty() ? "" : "=" + value) +
                                                (effect.empty() ? "" : ":" + effect));
  }
  std::ranges::stable_sort(taints, {}, &std::pair<Words, Words>::first);
  std::vector<Words> lines;
  lines.reserve(taints.size());
  for (const auto& [order, text] : taints) lines.push_back(text);
  out.lines("Taints", lines);
}

void add_node_conditions(const Value& node, Description& out) {
  const json::Array& conditions = node.array_at({"status", "conditions"});
  if (!conditions.empty()) {
    out.add(
        0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n");
    out.add(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  }
  for (const Value& each : conditions) {
    out.add(1, Words(each.string_at({"type"})) + " \t" + Words(each.string_at({"status"})) + " \t" +
                   rfc1123_time(each.string_at({"lastHeartbeatTime"})) + " \t" +
                   rfc1123_time(each.string_at({"lastTransitionTime"})) + " \t" +
                   Words(each.string_at({"reason"})) + " \t" + Words(each.string_at({"message"})) +
                   "\n");
  }
}

void add_amounts(std::string_view title, const Value* amounts, Description& out) {
  if (amounts == nullptr || !amounts->is_object() || amounts->if_object()->empty()) return;
  out.add(0, Words(title) + ":\n");
  const Value sorted = json::sorted_members(*amounts);
  for (const auto& [name, amount] : *sorted.if_object()) out.field(1, name, go_text(amount));
}

void add_node_system(const Value& node, Description& out) {
  out.add(0, "Addresses:\n");
  for (const Value& each : node.array_at({"status", "addresses"}))
    out.field(1, each.string_at({"type"}), each.string_at({"address"}));
  add_amounts("Capacity", node.at_path({"status", "capacity"}), out);
  add_amounts("Allocatable", node.at_path({"status", "allocatable"}), out);
  out.add(0, "System Info:\n");
  for (const auto& [title, field] : {std::pair("Machine ID", "machineID"),
                                     {"System UUID", "systemUUID"},
                                     {"Boot ID", "bootID"},
                                     {"Kernel Version", "kernelVersion"},
                                     {"OS Image", "osImage"},
                                     {"Operating System", "operatingSystem"},
                                     {"Architecture", "architecture"},
                                     {"Container Runtime Version", "containerRuntimeVersion"},
                                     {"Kubelet Version", "kubeletVersion"}})
    out.field(1, title, node.string_at({"status", "nodeInfo", field}));
  out.optional_field(0, "PodCIDR", node.string_at({"spec", "podCIDR"}));
  out.optional_field(0, "PodCIDRs", joined(node.array_at({"spec", "podCIDRs"})));
  out.optional_field(0, "ProviderID", node.string_at({"spec", "providerID"}));
}

}  // namespace

void Describer::add_deployment(const Unstructured& object, Description& out) const {
  const Value& content = object.content;
  static const Value none = json::Object{};
  const Value* found = content.at_path({"spec", "selector"});
  const Words selector = label_selector_text(found == nullptr ? none : *found);
  out.field(0, "Name", object.name());
  out.field(0, "Namespace", object.namespace_());
  out.field(0, "CreationTimestamp", rfc1123_time(object.creation_timestamp()));
  out.labels("Labels", content.at_path({"metadata", "labels"}));
  out.annotations("Annotations", content.at_path({"metadata", "annotations"}));
  out.field(0, "Selector", selector);
  out.field(0, "Replicas",
            count_at(content, {"spec", "replicas"}) + " desired | " +
                count_at(content, {"status", "updatedReplicas"}) + " updated | " +
                count_at(content, {"status", "replicas"}) + " total | " +
                count_at(content, {"status", "availableReplicas"}) + " available | " +
                count_at(content, {"status", "unavailableReplicas"}) + " unavailable");
  out.field(0, "StrategyType", content.string_at({"spec", "strategy", "type"}));
  out.field(0, "MinReadySeconds", count_at(content, {"spec", "minReadySeconds"}));
  if (const Value* rolling = content.at_path({"spec", "strategy", "rollingUpdate"});
      rolling != nullptr && rolling->is_object()) {
    const Value* unavailable = rolling->at_path({"maxUnavailable"});
    const Value* surge = rolling->at_path({"maxSurge"});
    out.field(0, "RollingUpdateStrategy",
              (unavailable == nullptr ? "<nil>" : go_text(*unavailable)) + " max unavailable, " +
                  (surge == nullptr ? "<nil>" : go_text(*surge)) + " max surge");
  }
  const Value* pod_template = content.at_path({"spec", "template"});
  describe_pod_template(pod_template == nullptr ? none : *pod_template, out);
  const json::Array& conditions = content.array_at({"status", "conditions"});
  if (!conditions.empty())
    out.add(0, "Conditions:\n  Type\tStatus\tReason\n  ----\t------\t------\n");
  for (const Value& each : conditions) {
    out.add(1, Words(each.string_at({"type"})) + " \t" + Words(each.string_at({"status"})) + "\t" +
                   Words(each.string_at({"reason"})) + "\n");
  }
  const auto sets = list(kReplicaSets, object.namespace_(), selector, "");
  if (sets) add_replica_sets(object, *sets, out);
}

void Describer::add_service(const Unstructured& object, Description& out) const {
  const Value& content = object.content;
  auto found = list(kEndpointSlices, object.namespace_(),
                    "kubernetes.io/service-name=" + Words(object.name()), "");
  const Objects slices = found ? *std::move(found) : Objects();
  out.field(0, "Name", object.name());
  out.field(0, "Namespace", object.namespace_());
  out.labels("Labels", content.at_path({"metadata", "labels"}));
  out.annotations("Annotations", content.at_path({"metadata", "annotations"}));
  static const Value none = json::Object{};
  const Value* selector = content.at_path({"spec", "selector"});
  out.field(
      0, "Selector",
      label_selector_text(json::Object{{"matchLabels", selector == nullptr ? none : *selector}}));
  out.field(0, "Type", content.string_at({"spec", "type"}));
  add_service_addresses(content, out);
  for (const Value& port : content.array_at({"spec", "ports"})) add_service_port(port, slices, out);
  out.field(0, "Session Affinity", content.string_at({"spec", "sessionAffinity"}));
  out.optional_field(0, "External Traffic Policy",
                     content.string_at({"spec", "externalTrafficPolicy"}));
  out.optional_field(0, "Internal Traffic Policy",
                     content.string_at({"spec", "internalTrafficPolicy"}));
  if (content.int_at({"spec", "healthCheckNodePort"}).value_or(0) != 0)
    out.field(0, "HealthCheck NodePort", count_at(content, {"spec", "healthCheckNodePort"}));
  out.optional_field(0, "LoadBalancer Source Ranges",
                     joined(content.array_at({"spec", "loadBalancerSourceRanges"})));
  out.optional_field(0, "Traffic Distribution", content.string_at({"spec", "trafficDistribution"}));
}

void Describer::add_namespace(const Unstructured& object, Description& out) const {
  const Value& content = object.content;
  out.field(0, "Name", object.name());
  out.labels("Labels", content.at_path({"metadata", "labels"}));
  out.annotations("Annotations", content.at_path({"metadata", "annotations"}));
  out.field(0, "Status", content.string_at({"status", "phase"}));
  const json::Array& conditions = content.array_at({"status", "conditions"});
  if (!conditions.empty()) {
    out.add(0, "Conditions:\n  Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
    out.add(1, "----\t------\t------------------\t------\t-------\n");
  }
  for (const Value& each : conditions) {
    out.add(1, Words(each.string_at({"type"})) + "\t" + Words(each.string_at({"status"})) + "\t" +
                   rfc1123_time(each.string_at({"lastTransitionTime"})) + "\t" +
                   Words(each.string_at({"reason"})) + "\t" + Words(each.string_at({"message"})) +
                   "\n");
  }
  for (const auto& [resource, none] :
       {std::pair(&kQuotas, "No resource quota."), {&kLimitRanges, "No LimitRange resource."}}) {
    const auto found = list(*resource, object.name(), "", "");
    if (!found) continue;
    if (found->empty()) {
      out.add(0, "\n" + Words(none) + "\n");
      continue;
    }
    std::vector<Words> names;
    for (const Unstructured& each : *found) names.emplace_back(each.name());
    out.add(0, "\n");
    out.field(0, resource->kind + "s", kube::join(names, ", "));
  }
}

void Describer::add_lease(std::string_view node, Description& out) const {
  const auto lease = cluster_.api(kLeases, "kube-node-lease").get(Words(node), {}, stop_);
  if (!lease) return out.field(0, "Lease", "Failed to get lease: " + lease.error().message());
  const auto time_at = [&lease](std::string_view field) {
    const std::string_view time = lease->content.string_at({"spec", field});
    return time.empty() ? "<unset>" : rfc1123_time(time);
  };
  const std::string_view holder = lease->content.string_at({"spec", "holderIdentity"});
  out.add(0, "Lease:\n");
  out.field(1, "HolderIdentity", holder.empty() ? "<unset>" : holder);
  out.field(1, "AcquireTime", time_at("acquireTime"));
  out.field(1, "RenewTime", time_at("renewTime"));
}

Result<void> Describer::add_node(const Unstructured& object, Description& out) const {
  const Value& content = object.content;
  const auto pods = list(
      kPods, "", "",
      "spec.nodeName=" + Words(object.name()) + ",status.phase!=Failed,status.phase!=Succeeded");
  if (!pods && !kube::is_forbidden(pods.error())) return pods.error();
  out.field(0, "Name", object.name());
  out.field(0, "Roles", roles_of(content));
  out.labels("Labels", content.at_path({"metadata", "labels"}));
  out.annotations("Annotations", content.at_path({"metadata", "annotations"}));
  out.field(0, "CreationTimestamp", rfc1123_time(object.creation_timestamp()));
  add_taints(content, out);
  out.field(0, "Unschedulable", content.true_at({"spec", "unschedulable"}) ? "true" : "false");
  add_lease(object.name(), out);
  add_node_conditions(content, out);
  add_node_system(content, out);
  if (pods) {
    describe_node_pods(content, *pods, out);
  } else {
    out.field(0, "Pods", "not authorized");
  }
  return {};
}

}  // namespace kubecpp
