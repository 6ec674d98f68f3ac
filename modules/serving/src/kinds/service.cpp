// SPDX-License-Identifier: Apache-2.0
//
// Services.
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/load_balancers.hpp"

namespace kube::serving {
namespace {

void default_service(json::Value& service) {
  json::Object& spec = spec_in(service);
  set_default(spec, "type", "ClusterIP");
  set_default(spec, "sessionAffinity", "None");
  if (spec.find("type")->string_or_empty() != "ExternalName") {
    set_default(spec, "internalTrafficPolicy", "Cluster");
  }
  for_each_object(spec, "ports", [](json::Object& port) {
    set_default(port, "protocol", "TCP");
    if (const json::Value* number = port.find("port"); number != nullptr) {
      set_default(port, "targetPort", *number);
    }
  });
}

void prepare_service(json::Value& service) {
  service.if_object()->set("status", json::Object{{"loadBalancer", json::Object{}}});
}

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
  const bool no_list = after.array_at({"spec", "clusterIPs"}).empty();
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

// By the names of the ports: a port keeps its node port, whatever else changes.
void keep_node_ports(const json::Value& before, json::Value& after) {
  json::Value* ports = after.ensure_path({"spec"}).if_object()->find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  std::set<std::int64_t> taken;
  for (const json::Value& port : *ports->if_array())
    taken.insert(port.int_at({"nodePort"}).value_or(0));
  std::map<std::string_view, std::int64_t> old;
  for (const json::Value& port : before.array_at({"spec", "ports"}))
    old.emplace(port.string_at({"name"}), port.int_at({"nodePort"}).value_or(0));
  for (json::Value& port : *ports->if_array()) {
    if (!port.is_object() || port.int_at({"nodePort"}).value_or(0) != 0) continue;
    const auto same = old.find(port.string_at({"name"}));
    if (same == old.end() || same->second == 0 || !taken.insert(same->second).second) continue;
    port.if_object()->set("nodePort", same->second);
  }
}

// Keeps the addresses and node ports of a service.
void keep_service(const json::Value& before, json::Value& after) {
  if (wants_cluster_ip(before) && wants_cluster_ip(after)) keep_cluster_ips(before, after);
  if (wants_node_ports(before) && wants_node_ports(after)) keep_node_ports(before, after);
  if (wants_health_port(before) && wants_health_port(after) &&
      after.int_at({"spec", "healthCheckNodePort"}).value_or(0) == 0) {
    copy_member(spec_of(before), spec_in(after), "healthCheckNodePort");
  }
}

meta::FieldErrors validate_service(const json::Value& after, const json::Value* before) {
  if (before == nullptr) return {};
  const std::string_view old = before->string_at({"spec", "clusterIP"});
  const std::string_view next = after.string_at({"spec", "clusterIP"});
  if (!wants_cluster_ip(after) || !wants_cluster_ip(*before) || old.empty() || next == old)
    return {};
  return {meta::FieldError::invalid(meta::FieldPath("spec").child("clusterIPs").index(0),
                                    json::Array{next}, "may not change once set")};
}

json::Value external_ip(const CellInput& input) {
  const json::Value& service = input.object;
  const std::string_view type = service.string_at({"spec", "type"});
  if (type == "ExternalName") return service.string_at({"spec", "externalName"});
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = load_balancer_addresses(service);
  for (const json::Value& address : service.array_at({"spec", "externalIPs"})) {
    addresses.push_back(cell_text(address));
  }
  if (!addresses.empty()) return join(addresses, ",");
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

json::Value service_ports(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value& port : input.object.array_at({"spec", "ports"})) {
    std::string part = std::to_string(port.int_at({"port"}).value_or(0));
    if (const std::int64_t node = port.int_at({"nodePort"}).value_or(0); node > 0) {
      part += ":" + std::to_string(node);
    }
    const std::string_view protocol = port.string_at({"protocol"});
    part += "/" + std::string(protocol.empty() ? "TCP" : protocol);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? std::string("<none>") : join(parts, ",");
}

constexpr Cell kServiceCells[] = {
    {"Cluster-IP", cells::text, "<none>"},
    {"External-IP", external_ip},
    {"Port(s)", service_ports},
    {"Selector", cells::labels},
};

constexpr KindRules kServiceRules[] = {
    {.group = "",
     .resource = "services",
     .name_rule = meta::NameRule::Dns1035Label,
     .generation = Generation::Never,
     .create_on_update = true,
     .returns_deleted_object = true,
     .cells = kServiceCells,
     .defaults = default_service,
     .prepare_create = prepare_service,
     .keep_main = keep_service,
     .validate = validate_service},
};

}  // namespace

Kinds service_kinds() {
  return kServiceRules;
}

}  // namespace kube::serving
