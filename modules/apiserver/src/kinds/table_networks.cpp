// SPDX-License-Identifier: Apache-2.0
//
// Cells of services, ingresses, endpoints and addresses.
#include <algorithm>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/joined.hpp>

#include "documents/metadata.hpp"
#include "kinds/table_cells.hpp"

namespace kube::apiserver {
namespace {

std::vector<std::string> load_balancer_addresses(const json::Value& object) {
  std::vector<std::string> out;
  for (const json::Value& ingress : list_at(object, {"status", "loadBalancer", "ingress"})) {
    std::string address(ingress.string_at({"ip"}));
    if (address.empty()) address = ingress.string_at({"hostname"});
    if (!address.empty()) out.push_back(std::move(address));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

json::Value external_ip(const CellInput& input) {
  const json::Value& service = input.object;
  const std::string_view type = service.string_at({"spec", "type"});
  if (type == "ExternalName") return service.string_at({"spec", "externalName"});
  std::vector<std::string> addresses;
  if (type == "LoadBalancer") addresses = load_balancer_addresses(service);
  for (const json::Value& address : list_at(service, {"spec", "externalIPs"})) {
    addresses.push_back(cell_text(address));
  }
  if (!addresses.empty()) return joined(addresses, ",");
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

json::Value service_ports(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value& port : list_at(input.object, {"spec", "ports"})) {
    std::string part = std::to_string(port.int_at({"port"}).value_or(0));
    if (const std::int64_t node = port.int_at({"nodePort"}).value_or(0); node > 0) {
      part += ":" + std::to_string(node);
    }
    const std::string_view protocol = port.string_at({"protocol"});
    part += "/" + std::string(protocol.empty() ? "TCP" : protocol);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? std::string("<none>") : joined(parts, ",");
}

json::Value hosts(const CellInput& input) {
  std::vector<std::string> names;
  for (const json::Value* host : input.found) {
    if (std::string name = cell_text(*host); !name.empty()) names.push_back(std::move(name));
  }
  return names.empty() ? std::string("*") : first_of(names, 3, ",");
}

json::Value parameters(const CellInput& input) {
  if (input.found.empty()) return "<none>";
  const json::Value& wanted = *input.found.front();
  std::string out(wanted.string_at({"kind"}));
  if (const std::string_view group = wanted.string_at({"apiGroup"}); !group.empty()) {
    out += "." + std::string(group);
  }
  return out + "/" + std::string(wanted.string_at({"name"}));
}

std::string address_and_port(std::string_view address, std::int64_t port) {
  const bool v6 = address.find(':') != std::string_view::npos;
  return (v6 ? "[" + std::string(address) + "]" : std::string(address)) + ":" +
         std::to_string(port);
}

json::Value endpoints(const CellInput& input) {
  const json::Array& subsets = list_at(input.object, {"subsets"});
  if (subsets.empty()) return "<none>";
  std::vector<std::string> parts;
  for (const json::Value& subset : subsets) {
    const json::Array& addresses = list_at(subset, {"addresses"});
    const json::Array& ports = list_at(subset, {"ports"});
    for (const json::Value& port : ports) {
      for (const json::Value& address : addresses) {
        parts.push_back(
            address_and_port(address.string_at({"ip"}), port.int_at({"port"}).value_or(0)));
      }
    }
    if (!ports.empty()) continue;
    for (const json::Value& address : addresses) parts.emplace_back(address.string_at({"ip"}));
  }
  return first_of(parts, 3, ",");
}

json::Value slice_ports(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value& port : list_at(input.object, {"ports"})) {
    const std::string_view name = port.string_at({"name"});
    if (const std::int64_t number = port.int_at({"port"}).value_or(-1); number >= 0) {
      parts.push_back(std::to_string(number));
    } else {
      parts.emplace_back(name.empty() ? "*" : name);
    }
  }
  return parts.empty() ? std::string("<unset>") : first_of(parts, 3, ",");
}

json::Value slice_endpoints(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value* addresses : input.found) {
    if (const json::Array* items = addresses->if_array()) {
      for (const json::Value& item : *items) parts.push_back(cell_text(item));
    }
  }
  return parts.empty() ? std::string("<unset>") : first_of(parts, 3, ",");
}

json::Value parent(const CellInput& input) {
  if (input.found.empty()) return "<none>";
  const json::Value& reference = *input.found.front();
  std::string out(reference.string_at({"resource"}));
  if (const std::string_view group = reference.string_at({"group"}); !group.empty()) {
    out += "." + std::string(group);
  }
  if (const std::string_view space = reference.string_at({"namespace"}); !space.empty()) {
    out += "/" + std::string(space);
  }
  return ascii::to_lower(out + "/" + std::string(reference.string_at({"name"})));
}

constexpr NamedRule network_rules[] = {
    {"by type: spec.externalIPs or <none>; load balancer ingress plus externalIPs or <pending>; "
     "spec.externalName",
     external_ip},
    {"port[:nodePort]/protocol joined by comma, <none> when empty", service_ports},
    {"first three joined by comma, * when none", hosts},
    // The server's tables are made for wide output.
    {"ip or hostname, sorted, joined, clipped to 16 unless wide",
     [](const CellInput& in) -> json::Value {
       return joined(load_balancer_addresses(in.object), ",");
     }},
    {"\"80, 443\" with tls, else \"80\"",
     [](const CellInput& in) -> json::Value {
       return list_at(in.object, {"spec", "tls"}).empty() ? "80" : "80, 443";
     }},
    {"kind[.apiGroup]/name, <none> when unset", parameters},
    {"address:port of the first three, then \"+ n more...\"", endpoints},
    {"port, name or * of the first three, <unset> when empty", slice_ports},
    {"first three, <unset> when empty", slice_endpoints},
    {"lower case resource.group[/namespace]/name", parent},
};

}  // namespace

CellRule find_network_rule(std::string_view rule) {
  return find_rule(network_rules, rule);
}

}  // namespace kube::apiserver
