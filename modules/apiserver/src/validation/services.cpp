// SPDX-License-Identifier: Apache-2.0
//
// Services.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kServiceTypes[] = {"ClusterIP", "ExternalName", "LoadBalancer",
                                              "NodePort"};
constexpr std::string_view kSessionAffinities[] = {"ClientIP", "None"};
constexpr std::string_view kTrafficPolicies[] = {"Cluster", "Local"};
constexpr std::string_view kDistributions[] = {"PreferClose", "PreferSameZone", "PreferSameNode"};
constexpr std::string_view kIpFamilies[] = {"IPv4", "IPv6"};
constexpr std::string_view kFamilyPolicies[] = {"PreferDualStack", "RequireDualStack",
                                                "SingleStack"};
constexpr std::string_view kRangesKey = "service.beta.kubernetes.io/load-balancer-source-ranges";

std::string_view type_of(const Place& spec) {
  return spec.text_or("type", "ClusterIP");
}

// The list, which has the single address when only that is given.
json::Array cluster_ips(const Place& spec) {
  const json::Array& list = spec.list("clusterIPs");
  if (!list.empty() || spec.is_empty("clusterIP")) return list;
  return {json::Value(spec.text("clusterIP"))};
}

bool is_headless(const Place& spec) {
  const json::Array addresses = cluster_ips(spec);
  return addresses.size() == 1 && addresses.front().string_or_empty() == "None";
}

void check_external_name(const Place& spec) {
  constexpr std::string_view kText = "may not be set for ExternalName services";
  if (!cluster_ips(spec).empty()) spec.forbidden("clusterIPs", std::string(kText));
  if (!spec.is_empty("ipFamilies")) spec.forbidden("ipFamilies", std::string(kText));
  if (spec.has("ipFamilyPolicy")) spec.forbidden("ipFamilyPolicy", std::string(kText));
  std::string_view name = spec.text("externalName");
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    spec.required("externalName");
  } else {
    report_problems(spec, spec.path("externalName"), name, meta::validate_dns1123_subdomain(name));
  }
}

void check_service_type(const Place& spec) {
  const std::string_view type = type_of(spec);
  if (spec.is_empty("ports") && !is_headless(spec) && type != "ExternalName")
    spec.required("ports");
  if ((type == "LoadBalancer" || type == "NodePort") && is_headless(spec))
    spec.report(
        FieldError::invalid(spec.path("clusterIPs", 0), "None",
                            "may not be set to 'None' for " + std::string(type) + " services"));
  if (type == "ExternalName") check_external_name(spec);
}

void check_service_port(const Place& port, bool needs_name, std::set<std::string_view>& names) {
  const std::string_view name = port.text("name");
  if (!name.empty()) {
    port.problems("name", meta::validate_dns1123_label(name));
    if (!names.insert(name).second) port.duplicate("name");
  } else if (needs_name) {
    port.required("name");
  }
  const std::int64_t number = port.number("port").value_or(0);
  for (const std::string& problem : formats::port_number(number))
    port.invalid("port", number, problem);
  if (!port.is_empty("protocol") &&
      std::ranges::find(kProtocols, port.text("protocol")) == std::end(kProtocols))
    port.not_supported("protocol", kProtocols);
  const json::Value* target = port.find("targetPort");
  // An absent one, and 0, are the port.
  if (target != nullptr && !(*target == json::Value(0)) && !(*target == json::Value("")))
    check_port(port, "targetPort");
  else
    for (const std::string& problem : formats::port_number(number))
      port.invalid("targetPort", number, problem);
  if (port.has("appProtocol"))
    port.problems("appProtocol", meta::validate_qualified_name(port.text("appProtocol")));
}

void check_service_ports(const Place& spec) {
  const bool several = spec.list("ports").size() > 1;
  std::set<std::string_view> names;
  spec.each("ports", [&](const Place& port) { check_service_port(port, several, names); });
}

void check_affinity_config(const Place& spec) {
  const std::string_view affinity = spec.text_or("sessionAffinity", "None");
  constexpr std::int64_t kMaxTimeout = 86400;
  if (affinity == "None") {
    if (spec.has("sessionAffinityConfig"))
      spec.forbidden("sessionAffinityConfig", "must not be set when session affinity is None");
    return;
  }
  const auto seconds = spec.value().int_at({"sessionAffinityConfig", "clientIP", "timeoutSeconds"});
  if (affinity == "ClientIP" && seconds && (*seconds <= 0 || *seconds > kMaxTimeout))
    spec.report(FieldError::invalid(
        spec.path("sessionAffinityConfig").child("clientIP").child("timeoutSeconds"), *seconds,
        "must be greater than 0 and less than 86400"));
}

void check_service_selector(const Place& spec) {
  check_labels(spec, "selector");
}

void check_families(const Place& spec) {
  std::set<std::string_view> seen;
  const json::Array& families = spec.list("ipFamilies");
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string_view family = families[i].string_or_empty();
    const FieldPath path = spec.path("ipFamilies", i);
    if (std::ranges::find(kIpFamilies, family) == std::end(kIpFamilies))
      spec.report(FieldError::not_supported(path, family, texts_of(kIpFamilies)));
    if (!seen.insert(family).second) spec.report(FieldError::duplicate(path, family));
  }
  if (spec.has("ipFamilyPolicy") &&
      std::ranges::find(kFamilyPolicies, spec.text("ipFamilyPolicy")) == std::end(kFamilyPolicies))
    spec.not_supported("ipFamilyPolicy", kFamilyPolicies);
}

// Returns whether all can be read.
bool check_each_cluster_ip(const Place& spec, const json::Array& addresses) {
  bool valid = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string_view address = addresses[i].string_or_empty();
    if (i == 0 && address == "None") {
      if (addresses.size() == 1) continue;
      valid = false;
      spec.invalid("clusterIPs", "'None' must be the first and only value");
      continue;
    }
    const meta::Problems problems = ip_problems(address);
    valid = valid && problems.empty();
    report_problems(spec, spec.path("clusterIPs", i), address, problems);
  }
  if (addresses.size() > 2) spec.invalid("clusterIPs", "may only hold up to 2 values");
  return valid;
}

void check_address_families(const Place& spec, const json::Array& addresses) {
  const auto is_v6 = [](const json::Value& text) {
    const auto address = parse_ip(text.string_or_empty());
    return address && !address->is_v4;
  };
  if (addresses.size() > 1) {
    const auto v6 = std::ranges::count_if(addresses, is_v6);
    if (v6 == 0 || v6 == static_cast<std::ptrdiff_t>(addresses.size()))
      spec.invalid("clusterIPs", "may specify no more than one IP for each IP family");
  }
  const json::Array& families = spec.list("ipFamilies");
  if (is_headless(spec)) return;
  for (std::size_t i = 0; i < addresses.size() && i < families.size(); ++i) {
    const std::string_view family = families[i].string_or_empty();
    if ((family == "IPv4" && !is_v6(addresses[i])) || (family == "IPv6" && is_v6(addresses[i])) ||
        (family != "IPv4" && family != "IPv6"))
      continue;
    spec.report(FieldError::invalid(spec.path("clusterIPs", i), addresses[i],
                                    "expected an " + std::string(family) +
                                        " value as indicated by `ipFamilies[" + std::to_string(i) +
                                        "]`"));
  }
}

void check_cluster_ips(const Place& spec) {
  if (type_of(spec) == "ExternalName") return;
  const json::Array addresses = cluster_ips(spec);
  if (!spec.is_empty("clusterIP")) {
    if (addresses.front().string_or_empty() != spec.text("clusterIP"))
      spec.invalid("clusterIPs", "first value must match `clusterIP`");
  } else if (!addresses.empty()) {
    spec.invalid("clusterIPs", "must be empty when `clusterIP` is not specified");
  }
  check_families(spec);
  if (check_each_cluster_ip(spec, addresses)) check_address_families(spec, addresses);
}

void check_external_ips(const Place& spec) {
  const json::Array& addresses = spec.list("externalIPs");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string_view address = addresses[i].string_or_empty();
    meta::Problems problems = ip_problems(address);
    if (problems.empty()) problems = endpoint_ip_problems(address);
    report_problems(spec, spec.path("externalIPs", i), address, problems);
  }
}

void check_node_ports(const Place& spec) {
  const json::Array& ports = spec.list("ports");
  if (type_of(spec) == "ClusterIP") {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].int_at({"nodePort"}).value_or(0) != 0)
        spec.report(FieldError::forbidden(spec.path("ports", i).child("nodePort"),
                                          "may not be used when `type` is 'ClusterIP'"));
    }
  }
  std::set<std::pair<std::string_view, std::int64_t>> taken;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t port = ports[i].int_at({"nodePort"}).value_or(0);
    if (port == 0) continue;
    if (!taken.emplace(ports[i].string_at({"protocol"}), port).second)
      spec.report(FieldError::duplicate(spec.path("ports", i).child("nodePort"), port));
  }
}

// The server prints the key of its own type.
json::Value shown_port_key(std::string_view protocol, std::int64_t port) {
  return json::Object{{"Name", ""},   {"Protocol", protocol}, {"AppProtocol", nullptr},
                      {"Port", port}, {"TargetPort", 0},      {"NodePort", 0}};
}

void check_repeated_ports(const Place& spec) {
  const json::Array& ports = spec.list("ports");
  std::set<std::pair<std::string_view, std::int64_t>> taken;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string_view given = ports[i].string_at({"protocol"});
    const std::string_view protocol = given.empty() ? "TCP" : given;
    const std::int64_t port = ports[i].int_at({"port"}).value_or(0);
    if (!taken.emplace(protocol, port).second)
      spec.report(FieldError::duplicate(spec.path("ports", i), shown_port_key(protocol, port)));
  }
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void check_source_ranges(const Place& spec) {
  constexpr std::string_view kText = "may only be used when `type` is 'LoadBalancer'";
  const bool balanced = type_of(spec) == "LoadBalancer";
  const json::Array& ranges = spec.list("loadBalancerSourceRanges");
  if (!ranges.empty()) {
    const FieldPath path = spec.path("LoadBalancerSourceRanges");
    if (!balanced) spec.report(FieldError::forbidden(path, std::string(kText)));
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const std::string_view range = without_spaces(ranges[i].string_or_empty());
      report_problems(spec, path.index(i), range, cidr_problems(range));
    }
    return;
  }
  const json::Value* given =
      spec.parent()->value().at_path({"metadata", "annotations", kRangesKey});
  if (given == nullptr) return;
  const FieldPath path = meta::FieldPath("metadata").child("annotations").key(kRangesKey);
  if (!balanced) spec.report(FieldError::forbidden(path, std::string(kText)));
  const std::string_view text = without_spaces(given->string_or_empty());
  if (text.empty()) return;
  for (const std::string_view part : go::split(text, ',')) {
    const std::string_view range = without_spaces(part);
    report_problems(spec, path, range, cidr_problems(range));
  }
}

void check_load_balancer(const Place& spec) {
  constexpr std::string_view kText = "may only be used when `type` is 'LoadBalancer'";
  const bool balanced = type_of(spec) == "LoadBalancer";
  if (!balanced && spec.has("allocateLoadBalancerNodePorts"))
    spec.forbidden("allocateLoadBalancerNodePorts", std::string(kText));
  if (!spec.has("loadBalancerClass")) return;
  if (balanced) {
    spec.problems("loadBalancerClass",
                  meta::validate_qualified_name(spec.text("loadBalancerClass")));
  } else {
    spec.forbidden("loadBalancerClass", std::string(kText));
  }
}

void check_external_traffic(const Place& spec) {
  const std::string_view type = type_of(spec);
  const std::string_view policy = spec.text("externalTrafficPolicy");
  const bool external = type == "LoadBalancer" || type == "NodePort" ||
                        (type == "ClusterIP" && !spec.is_empty("externalIPs"));
  if (!policy.empty()) {
    if (!external) {
      spec.invalid("externalTrafficPolicy", "may only be set for externally-accessible services");
    } else if (std::ranges::find(kTrafficPolicies, policy) == std::end(kTrafficPolicies)) {
      spec.not_supported("externalTrafficPolicy", kTrafficPolicies);
    }
  }
  const std::int64_t port = spec.number("healthCheckNodePort").value_or(0);
  if (port == 0) return;
  if (type != "LoadBalancer" || policy != "Local") {
    spec.invalid("healthCheckNodePort",
                 "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
                 "'Local'");
    return;
  }
  for (const std::string& problem : formats::port_number(port))
    spec.invalid("healthCheckNodePort", problem);
}

void check_distribution(const Place& spec) {
  if (spec.has("trafficDistribution") &&
      std::ranges::find(kDistributions, spec.text("trafficDistribution")) ==
          std::end(kDistributions))
    spec.not_supported("trafficDistribution", kDistributions);
}

// The newer annotation of topology says the same as the older one.
void check_topology(const Place& service) {
  constexpr std::string_view kOld = "service.kubernetes.io/topology-aware-hints";
  constexpr std::string_view kNew = "service.kubernetes.io/topology-mode";
  const json::Value* old = service.value().at_path({"metadata", "annotations", kOld});
  const json::Value* now = service.value().at_path({"metadata", "annotations", kNew});
  if (old != nullptr && now != nullptr && !(*old == *now))
    service.report(meta::FieldError::invalid(
        service.path("metadata").child("annotations").key(kNew), *now,
        "must match annotations[" + std::string(kOld) + "] when both are specified"));
}

constexpr Rule kServiceObjectRules[] = {rules::call(check_topology)};
constexpr Rule kServiceRules[] = {rules::call(check_service_type),
                                  rules::call(check_service_ports),
                                  rules::call(check_service_selector),
                                  rules::one_of("sessionAffinity", kSessionAffinities),
                                  rules::call(check_affinity_config),
                                  rules::call(check_cluster_ips),
                                  rules::call(check_external_ips),
                                  rules::one_of("type", kServiceTypes),
                                  rules::call(check_node_ports),
                                  rules::call(check_repeated_ports),
                                  rules::call(check_source_ranges),
                                  rules::call(check_load_balancer),
                                  rules::call(check_external_traffic),
                                  rules::one_of_set("internalTrafficPolicy", kTrafficPolicies),
                                  rules::call(check_distribution)};

constexpr TypeRules kServiceTypeRules[] = {
    {"core.v1.Service", kServiceObjectRules},
    {"core.v1.ServiceSpec", kServiceRules},
};

}  // namespace

std::span<const TypeRules> service_types() {
  return kServiceTypeRules;
}

meta::FieldErrors validate_cluster_ips(const meta::TypeDescriptor& type,
                                       const json::Value& service) {
  Walk walk;
  const Place root(walk, type, service);
  root.each("spec", check_cluster_ips);
  return std::move(walk.errors);
}

}  // namespace kube::apiserver
