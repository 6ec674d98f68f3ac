// SPDX-License-Identifier: Apache-2.0
//
// Services.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/load_balancers.hpp"

namespace kube::serving {
namespace {

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

bool is_balanced(const json::Value& service) {
  return service.string_at({"spec", "type"}) == "LoadBalancer";
}

bool wants_health_port(const json::Value& service) {
  return is_balanced(service) && service.string_at({"spec", "externalTrafficPolicy"}) == "Local";
}

bool is_external(const json::Value& service) {
  return wants_node_ports(service) || (service.string_at({"spec", "type"}) == "ClusterIP" &&
                                       !service.array_at({"spec", "externalIPs"}).empty());
}

std::vector<std::int64_t> node_ports_of(const json::Value& service) {
  std::vector<std::int64_t> out;
  for (const json::Value& port : service.array_at({"spec", "ports"}))
    out.push_back(port.int_at({"nodePort"}).value_or(0));
  return out;
}

// Drops what the old type needed and the new one does not, as long as the client has left it alone.
void drop_parts_of_old_type(const json::Value& before, json::Value& after) {
  json::Object& spec = spec_in(after);
  const auto drop = [&](std::string_view member) {
    if (same_member(after, before, {"spec", member})) spec.erase(member);
  };
  if (wants_cluster_ip(before) && !wants_cluster_ip(after)) {
    if (same_member(after, before, {"spec", "clusterIPs"})) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    drop("ipFamilies");
    drop("ipFamilyPolicy");
    drop("internalTrafficPolicy");
  }
  if (wants_node_ports(before) && !wants_node_ports(after) &&
      node_ports_of(before) == node_ports_of(after))
    for_each_object(spec, "ports", [](json::Object& port) { port.erase("nodePort"); });
  if (wants_health_port(before) && !wants_health_port(after)) drop("healthCheckNodePort");
  if (is_balanced(before) && !is_balanced(after)) {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (is_external(before) && !is_external(after)) drop("externalTrafficPolicy");
  if (!is_balanced(after)) child(*after.if_object(), "status").set("loadBalancer", json::Object{});
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
     .name_rule = meta::NameRule::DnsLabel,
     .generation = Generation::Never,
     .create_on_update = true,
     .returns_deleted_object = true,
     .registry = "services/specs",
     .cells = kServiceCells,
     .prepare_create = prepare_service,
     .keep_main = drop_parts_of_old_type},
};

}  // namespace

Kinds service_kinds() {
  return kServiceRules;
}

}  // namespace kube::serving
