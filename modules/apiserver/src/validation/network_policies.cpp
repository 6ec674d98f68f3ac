// SPDX-License-Identifier: Apache-2.0
//
// NetworkPolicies.
#include <algorithm>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kPolicyProtocols[] = {"TCP", "UDP", "SCTP"};
constexpr std::string_view kPolicyTypes[] = {"Ingress", "Egress"};

void check_last_port(const Place& port, std::int64_t first) {
  const auto last = port.number("endPort");
  if (!last) return;
  if (*last < first) port.invalid("endPort", "must be greater than or equal to `port`");
  for (const std::string& problem : formats::port_number(*last)) port.invalid("endPort", problem);
}

void check_policy_port(const Place& port) {
  const json::Value* given = port.find("port");
  if (given == nullptr) {
    if (port.has("endPort"))
      port.invalid("endPort", "may not be specified when `port` is not specified");
  } else if (const std::string* name = given->if_string()) {
    if (port.has("endPort"))
      port.invalid("endPort", "may not be specified when `port` is non-numeric");
    port.problems("port", meta::validate_port_name(*name));
  } else {
    check_port(port, "port");
    check_last_port(port, port.number("port").value_or(0));
  }
}

void check_policy_peer(const Place& peer) {
  std::size_t found = 0;
  for (const std::string_view field : {"podSelector", "namespaceSelector", "ipBlock"}) {
    if (!peer.has(field)) continue;
    ++found;
    peer.into(field);
  }
  if (found == 0) {
    peer.report(FieldError::required(peer.path(), "must specify a peer"));
  } else if (found > 1 && peer.has("ipBlock")) {
    peer.report(
        FieldError::forbidden(peer.path(), "may not specify both ipBlock and another peer"));
  }
}

void check_ip_block(const Place& block) {
  if (block.is_empty("cidr")) {
    block.required_late("cidr");
    return;
  }
  block.problems("cidr", cidr_problems(block.text("cidr")));
  const auto whole = parse_cidr(block.text("cidr"));
  if (!whole) return;
  const json::Array& except = block.list("except");
  for (std::size_t i = 0; i < except.size(); ++i) {
    const std::string_view text = except[i].string_or_empty();
    report_problems(block, block.path("except", i), text, cidr_problems(text));
    const auto part = parse_cidr(text);
    if (part && (!whole->contains(part->address) || whole->prefix >= part->prefix))
      block.report(
          FieldError::invalid(block.path("except", i), text, "must be a strict subset of `cidr`"));
  }
}

void check_policy_types(const Place& spec) {
  const json::Array& types = spec.list("policyTypes");
  if (types.size() > std::size(kPolicyTypes)) {
    spec.invalid("policyTypes", "may not specify more than two policyTypes");
    return;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string_view type = types[i].string_or_empty();
    if (std::ranges::find(kPolicyTypes, type) == std::end(kPolicyTypes))
      spec.report(
          FieldError::not_supported(spec.path("policyTypes", i), type, texts_of(kPolicyTypes)));
  }
}

constexpr Rule kPolicySpecRules[] = {rules::into("podSelector"), rules::into("ingress"),
                                     rules::into("egress"), rules::call(check_policy_types)};
constexpr Rule kPolicyIngressRules[] = {rules::into("ports"), rules::into("from")};
constexpr Rule kPolicyEgressRules[] = {rules::into("ports"), rules::into("to")};
constexpr Rule kPolicyPortRules[] = {rules::one_of_set("protocol", kPolicyProtocols),
                                     rules::call(check_policy_port)};
constexpr Rule kPolicyPeerRules[] = {rules::call(check_policy_peer), rules::skip("podSelector"),
                                     rules::skip("namespaceSelector"), rules::skip("ipBlock")};
constexpr Rule kIpBlockRules[] = {rules::call(check_ip_block)};

constexpr TypeRules kNetworkPolicyTypes[] = {
    {"networking.v1.NetworkPolicySpec", kPolicySpecRules},
    {"networking.v1.NetworkPolicyIngressRule", kPolicyIngressRules},
    {"networking.v1.NetworkPolicyEgressRule", kPolicyEgressRules},
    {"networking.v1.NetworkPolicyPort", kPolicyPortRules},
    {"networking.v1.NetworkPolicyPeer", kPolicyPeerRules},
    {"networking.v1.IPBlock", kIpBlockRules},
};

}  // namespace

std::span<const TypeRules> network_policy_types() {
  return kNetworkPolicyTypes;
}

}  // namespace kube::apiserver
