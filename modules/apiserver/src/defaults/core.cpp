// SPDX-License-Identifier: Apache-2.0
//
// The defaults of the group without a name, except those of pods.
#include <string>
#include <string_view>
#include <utility>

#include "defaults/members.hpp"
#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

constexpr FieldDefault kCoreFields[] = {
    {"core.v1.EndpointPort", "protocol", "TCP"},
    {"core.v1.NamespaceStatus", "phase", "Active"},
    {"core.v1.PersistentVolume", "status.phase", "Pending"},
    {"core.v1.PersistentVolume", "spec.persistentVolumeReclaimPolicy", "Retain"},
    {"core.v1.PersistentVolume", "spec.volumeMode", "Filesystem"},
    {"core.v1.PersistentVolumeClaim", "status.phase", "Pending"},
    {"core.v1.PersistentVolumeClaimSpec", "volumeMode", "Filesystem"},
    {"core.v1.ReplicationControllerSpec", "replicas", 1},
    {"core.v1.Secret", "type", "Opaque"},
    {"core.v1.Service", "spec.sessionAffinity", "None"},
    {"core.v1.Service", "spec.type", "ClusterIP"},
    {"core.v1.Service", "spec.allocateLoadBalancerNodePorts", true, "spec.type", "LoadBalancer"},
    {"core.v1.Service", "spec.externalTrafficPolicy", "Cluster", "spec.type", "LoadBalancer"},
    {"core.v1.Service", "spec.externalTrafficPolicy", "Cluster", "spec.type", "NodePort"},
    {"core.v1.Service", "spec.internalTrafficPolicy", "Cluster", "spec.type", "ClusterIP"},
    {"core.v1.Service", "spec.internalTrafficPolicy", "Cluster", "spec.type", "LoadBalancer"},
    {"core.v1.Service", "spec.internalTrafficPolicy", "Cluster", "spec.type", "NodePort"},
    {"core.v1.ServicePort", "protocol", "TCP"},
};

void default_target_port(json::Object& port) {
  const json::Value* target = port.find("targetPort");
  const bool is_unset = target == nullptr || target->is_null() || *target == json::Value(0) ||
                        *target == json::Value("");
  if (is_unset) port.set("targetPort", number_in(port, "port"));
}

constexpr std::int64_t kClientAffinitySeconds = 10'800;

void default_affinity(json::Object& spec) {
  if (text_in(spec, "sessionAffinity") == "None") spec.erase("sessionAffinityConfig");
  if (text_in(spec, "sessionAffinity") != "ClientIP") return;
  const json::Value* config = spec.find("sessionAffinityConfig");
  const json::Value* seconds =
      config == nullptr ? nullptr : config->at_path({"clientIP", "timeoutSeconds"});
  if (seconds != nullptr && !seconds->is_null()) return;
  spec.set("sessionAffinityConfig",
           json::Object{{"clientIP", json::Object{{"timeoutSeconds", kClientAffinitySeconds}}}});
}

void default_service(json::Object& service) {
  json::Object& spec = ensure_object(service, "spec");
  default_affinity(spec);
  // With external addresses a service is reached from outside.
  if (text_in(spec, "type") == "ClusterIP" && !is_empty_in(spec, "externalIPs") &&
      text_in(spec, "externalTrafficPolicy").empty()) {
    spec.set("externalTrafficPolicy", "Cluster");
  }
  if (text_in(spec, "type") != "LoadBalancer") return;
  json::Value* status = service.find("status");
  if (status == nullptr || !status->is_object()) return;
  json::Value* balancer = status->if_object()->find("loadBalancer");
  if (balancer == nullptr || !balancer->is_object()) return;
  for_each_object(*balancer->if_object(), "ingress", [](json::Object& ingress) {
    if (!text_in(ingress, "ip").empty() && text_in(ingress, "ipMode").empty())
      ingress.set("ipMode", "VIP");
  });
}

// The labels of the template are those of the controller and of its selector.
void default_replication_controller(json::Object& controller) {
  json::Object& spec = ensure_object(controller, "spec");
  const json::Value* pod = spec.find("template");
  const json::Value* labels = pod == nullptr ? nullptr : pod->at_path({"metadata", "labels"});
  if (labels == nullptr || !labels->is_object() || labels->if_object()->empty()) return;
  const json::Value copy = *labels;
  if (is_empty_in(spec, "selector")) spec.set("selector", copy);
  json::Object& metadata = ensure_object(controller, "metadata");
  if (is_empty_in(metadata, "labels")) metadata.set("labels", copy);
}

// The label by which selectors find a namespace; a write can't change it.
void label_with_name(json::Object& object) {
  json::Object& metadata = ensure_object(object, "metadata");
  const std::string name(text_in(metadata, "name"));
  if (!name.empty()) ensure_object(metadata, "labels").set("kubernetes.io/metadata.name", name);
}

void default_allocatable(json::Object& status) {
  const json::Object* capacity = object_in(status, "capacity");
  if (capacity == nullptr || capacity->empty() || !is_empty_in(status, "allocatable")) return;
  status.set("allocatable", json::Object(*capacity));
}

// Two forms of one field, of which the single range counts.
void keep_ranges_equal(json::Object& spec) {
  const std::string single(text_in(spec, "podCIDR"));
  const json::Value* list = spec.find("podCIDRs");
  const bool has_list = list != nullptr && list->is_array() && !list->if_array()->empty();
  const std::string first(has_list ? list->if_array()->front().string_or_empty()
                                   : std::string_view{});
  if (single.empty() && has_list) spec.set("podCIDR", first);
  if (!single.empty() && single != first) spec.set("podCIDRs", json::Array{single});
}

// Limits of containers that are not written: the maximum; requests: the limits, or the minimum.
void default_container_limits(json::Object& item) {
  if (text_in(item, "type") != "Container") return;
  json::Object limits;
  json::Object requests;
  const auto add = [&item](std::string_view from, json::Object& to) {
    if (const json::Object* amounts = object_in(item, from)) add_missing(*amounts, to);
  };
  add("default", limits);
  add("max", limits);
  add("defaultRequest", requests);
  add_missing(limits, requests);
  add("min", requests);
  if (!limits.empty()) item.set("default", std::move(limits));
  if (!requests.empty()) item.set("defaultRequest", std::move(requests));
}

constexpr TypeDefault kCoreTypes[] = {
    {"core.v1.LimitRangeItem", default_container_limits},
    {"core.v1.Namespace", label_with_name},
    {"core.v1.NodeSpec", keep_ranges_equal},
    {"core.v1.NodeStatus", default_allocatable},
    {"core.v1.ReplicationController", default_replication_controller},
    {"core.v1.Service", default_service},
    {"core.v1.ServicePort", default_target_port},
};

}  // namespace

DefaultTable core_defaults() {
  return {kCoreFields, kCoreTypes};
}

}  // namespace kube::apiserver
