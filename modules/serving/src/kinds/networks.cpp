// SPDX-License-Identifier: Apache-2.0
//
// Endpoints, ingresses, network policies and addresses.
#include <algorithm>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/load_balancers.hpp"

namespace kube::serving {
namespace {

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
  const json::Array& subsets = input.object.array_at({"subsets"});
  if (subsets.empty()) return "<none>";
  std::vector<std::string> parts;
  for (const json::Value& subset : subsets) {
    const json::Array& addresses = subset.array_at({"addresses"});
    const json::Array& ports = subset.array_at({"ports"});
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
  for (const json::Value& port : input.object.array_at({"ports"})) {
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

// The server's tables have the columns of wide output.
json::Value ingress_address(const CellInput& input) {
  return join(load_balancer_addresses(input.object), ",");
}

json::Value ingress_ports(const CellInput& input) {
  return input.object.array_at({"spec", "tls"}).empty() ? "80" : "80, 443";
}

constexpr Cell kEndpointsCells[] = {
    {"Endpoints", endpoints},
};
constexpr Cell kSliceCells[] = {
    {"Ports", slice_ports},
    {"Endpoints", slice_endpoints},
};
constexpr Cell kIngressCells[] = {
    {"Class", cells::text, "<none>"},
    {"Hosts", hosts},
    {"Address", ingress_address},
    {"Ports", ingress_ports},
};
constexpr Cell kIngressClassCells[] = {
    {"Parameters", parameters},
};
constexpr Cell kPolicyCells[] = {
    {"Pod-Selector", cells::selector},
};
constexpr Cell kCidrCells[] = {
    {"CIDRs", cells::list},
};
constexpr Cell kAddressCells[] = {
    {"ParentRef", parent},
};

constexpr std::string_view kSliceCounted[] = {"labels"};

constexpr KindRules kNetworkRules[] = {
    {.group = "",
     .resource = "endpoints",
     .create_on_update = true,
     .registry = "services/endpoints",
     .deprecation_warning =
         "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
     .cells = kEndpointsCells},
    {.group = "discovery.k8s.io",
     .resource = "endpointslices",
     .generation = Generation::Always,
     .counted_metadata = kSliceCounted,
     .counts_dropped = true,
     .cells = kSliceCells},
    {.group = "networking.k8s.io",
     .resource = "ingresses",
     .registry = "ingress",
     .cells = kIngressCells},
    {.group = "networking.k8s.io",
     .resource = "ingressclasses",
     .generation = Generation::Always,
     .cells = kIngressClassCells},
    {.group = "networking.k8s.io",
     .resource = "networkpolicies",
     .generation = Generation::Always,
     .counts_emptied = "spec",
     .cells = kPolicyCells},
    {.group = "networking.k8s.io",
     .resource = "servicecidrs",
     .generation = Generation::Never,
     .status_metadata = {},
     .cells = kCidrCells},
    {.group = "networking.k8s.io",
     .resource = "ipaddresses",
     .name_rule = meta::NameRule::PathSegment,
     .unnamed_age = true,
     .cells = kAddressCells},
};

}  // namespace

std::vector<std::string> load_balancer_addresses(const json::Value& object) {
  std::vector<std::string> out;
  for (const json::Value& ingress : object.array_at({"status", "loadBalancer", "ingress"})) {
    std::string address(ingress.string_at({"ip"}));
    if (address.empty()) address = ingress.string_at({"hostname"});
    if (!address.empty()) out.push_back(std::move(address));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Kinds network_kinds() {
  return kNetworkRules;
}

}  // namespace kube::serving
