// SPDX-License-Identifier: Apache-2.0
//
// Endpoints and EndpointSlices.
#include <algorithm>

#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kAddressTypes[] = {"FQDN", "IPv4", "IPv6"};

void check_subset(const Place& subset) {
  if (subset.is_empty("addresses") && subset.is_empty("notReadyAddresses"))
    subset.report(
        FieldError::required(subset.path(), "must specify `addresses` or `notReadyAddresses`"));
}

void check_endpoint_address(const Place& address) {
  const std::string_view ip = address.text("ip");
  address.problems("ip", ip_problems(ip));
  for (const std::string_view field : {"hostname"})
    if (!address.is_empty(field))
      address.problems(field, meta::validate_dns1123_label(address.text(field)));
  if (address.has("nodeName"))
    address.problems("nodeName", meta::validate_dns1123_subdomain(address.text("nodeName")));
  address.problems("ip", endpoint_ip_problems(ip));
}

void check_endpoint_port(const Place& port) {
  if (!port.is_empty("name")) {
    port.problems("name", meta::validate_dns1123_label(port.text("name")));
  } else if (port.parent()->list("ports").size() > 1) {
    port.required("name");
  }
  const std::int64_t number = port.number("port").value_or(0);
  for (const std::string& problem : formats::port_number(number))
    port.invalid("port", number, problem);
}

void check_port_application(const Place& port) {
  if (port.has("appProtocol"))
    port.problems("appProtocol", meta::validate_qualified_name(port.text("appProtocol")));
}

void check_address_type(const Place& slice) {
  const std::string_view type = slice.text("addressType");
  if (type.empty()) {
    slice.required_late("addressType");
  } else if (std::ranges::find(kAddressTypes, type) == std::end(kAddressTypes)) {
    slice.report_late(
        FieldError::not_supported(slice.path("addressType"), type, texts_of(kAddressTypes)));
  }
}

void check_slice_ports(const Place& slice) {
  constexpr std::size_t kMax = 20'000;
  const std::size_t count = slice.list("ports").size();
  if (count > kMax) return slice.report(FieldError::too_many(slice.path("ports"), count, kMax));
  std::set<std::string_view> names;
  slice.each("ports", [&](const Place& port) {
    const std::string_view name = port.text("name");
    if (!name.empty()) port.problems("name", meta::validate_dns1123_label(name));
    if (!names.insert(name).second) port.report(FieldError::duplicate(port.path("name"), name));
    port.apply();
  });
}

void check_ip_of(const Place& endpoint, std::size_t at, std::string_view text, bool wants_v4) {
  const FieldPath path = endpoint.path("addresses", at);
  const meta::Problems problems = canonical_ip_problems(text);
  report_problems(endpoint, path, text, problems);
  if (!problems.empty()) return;
  if (parse_ip(text)->is_v4 != wants_v4)
    endpoint.report(
        FieldError::invalid(endpoint.path("addresses"), text,
                            wants_v4 ? "must be an IPv4 address" : "must be an IPv6 address"));
  report_problems(endpoint, path, text, endpoint_ip_problems(text));
}

void check_domain_of(const Place& endpoint, std::size_t at, std::string_view text) {
  const FieldPath path = endpoint.path("addresses", at);
  if (text.ends_with('.')) text.remove_suffix(1);
  const meta::Problems problems = meta::validate_dns1123_subdomain(text);
  report_problems(endpoint, path, text, problems);
  if (problems.empty() && text.find('.') == std::string_view::npos)
    endpoint.report(FieldError::invalid(
        path, text, "should be a domain with at least two segments separated by dots"));
}

// Returns false for more hints than there may be.
bool check_hints(const Place& hints, std::string_view field, TextFormat format) {
  constexpr std::size_t kMax = 8;
  const std::size_t count = hints.list(field).size();
  if (count > kMax) {
    hints.report(FieldError::too_many(hints.path(field), count, kMax));
    return false;
  }
  std::set<std::string_view> names;
  hints.each(field, [&](const Place& hint) {
    const std::string_view name = hint.text("name");
    if (!names.insert(name).second) hint.duplicate("name");
    hint.problems("name", format(name));
  });
  return true;
}

void check_slice_endpoint(const Place& endpoint) {
  constexpr std::size_t kMax = 100;
  const std::string_view type = endpoint.parent()->text("addressType");
  const json::Array& addresses = endpoint.list("addresses");
  if (addresses.empty()) {
    endpoint.required_late("addresses");
  } else if (addresses.size() > kMax) {
    endpoint.report_late(FieldError::too_many(endpoint.path("addresses"), addresses.size(), kMax));
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string_view text = addresses[i].string_or_empty();
    if (type == "IPv4" || type == "IPv6") check_ip_of(endpoint, i, text, type == "IPv4");
    if (type == "FQDN") check_domain_of(endpoint, i, text);
  }
  if (endpoint.has("nodeName"))
    endpoint.problems("nodeName", meta::validate_dns1123_subdomain(endpoint.text("nodeName")));
  if (endpoint.has("hostname"))
    endpoint.problems("hostname", meta::validate_dns1123_label(endpoint.text("hostname")));
  endpoint.each("hints", [](const Place& hints) {
    if (check_hints(hints, "forZones", meta::validate_label_value))
      check_hints(hints, "forNodes", meta::validate_dns1123_subdomain);
  });
}

// Endpoints that stay as they are may be those of another type of addresses.
void check_slice_endpoints(const Place& slice) {
  if (const json::Value* before = slice.walk().before;
      before != nullptr && before->array_at({"endpoints"}) == slice.list("endpoints"))
    return;
  constexpr std::size_t kMax = 1000;
  const std::size_t count = slice.list("endpoints").size();
  if (count > kMax) {
    slice.report(FieldError::too_many(slice.path("endpoints"), count, kMax));
  } else {
    slice.each("endpoints", check_slice_endpoint);
  }
}

constexpr Rule kSubsetRules[] = {rules::call(check_subset), rules::into("addresses"),
                                 rules::into("notReadyAddresses"), rules::into("ports")};
constexpr Rule kEndpointAddressRules[] = {rules::call(check_endpoint_address)};
constexpr Rule kEndpointPortRules[] = {rules::call(check_endpoint_port),
                                       rules::one_of("protocol", kProtocols),
                                       rules::call(check_port_application)};
constexpr Rule kSliceRules[] = {rules::call(check_address_type),
                                rules::call("ports", check_slice_ports),
                                rules::call("endpoints", check_slice_endpoints)};
constexpr Rule kSlicePortRules[] = {rules::one_of_set("protocol", kProtocols),
                                    rules::call(check_port_application)};

constexpr TypeRules kEndpointTypes[] = {
    {"core.v1.EndpointSubset", kSubsetRules},
    {"core.v1.EndpointAddress", kEndpointAddressRules},
    {"core.v1.EndpointPort", kEndpointPortRules},
    {"discovery.v1.EndpointSlice", kSliceRules},
    {"discovery.v1.EndpointPort", kSlicePortRules},
};

}  // namespace

std::span<const TypeRules> endpoint_types() {
  return kEndpointTypes;
}

}  // namespace kube::apiserver
