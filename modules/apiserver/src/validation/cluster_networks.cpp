// SPDX-License-Identifier: Apache-2.0
//
// The addresses of services as objects: ServiceCIDRs and IPAddresses.
#include <algorithm>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kImmutable = "field is immutable";

bool is_grown(const json::Array& before, const json::Array& ranges) {
  return before.size() == 1 && ranges.size() == 2;
}

// A second range may be added, of the other family.
void check_ranges_update(const Place& spec, const json::Array& before) {
  const json::Array& ranges = spec.list("cidrs");
  if (!is_grown(before, ranges) && ranges.size() != before.size())
    return spec.invalid("cidrs", std::string(kImmutable));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (ranges[i] != before[i])
      spec.report(FieldError::invalid(spec.path("cidrs", i), ranges[i], std::string(kImmutable)));
  }
}

void check_ranges(const Place& spec) {
  const json::Array& ranges = spec.list("cidrs");
  if (spec.walk().before != nullptr) {
    const json::Array& before = spec.walk().before->array_at({"spec", "cidrs"});
    check_ranges_update(spec, before);
    if (!is_grown(before, ranges)) return;
  }
  if (ranges.empty()) return spec.required("cidrs", "at least one CIDR required");
  if (ranges.size() > 2)
    return spec.invalid("cidrs", spec.shown_whole(), "may only hold up to 2 values");
  std::size_t v4 = 0;
  std::size_t valid = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::string_view range = ranges[i].string_or_empty();
    report_problems(spec, spec.path("cidrs", i), range, canonical_cidr_problems(range));
    const auto block = parse_cidr(range);
    if (!block) continue;
    ++valid;
    v4 += block->address.is_v4 ? 1 : 0;
  }
  if (valid == 2 && v4 != 1)
    spec.invalid("cidrs",
                 "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                 "2001:db8::/64");
}

void check_parent(const Place& spec) {
  if (!spec.has("parentRef")) return spec.required_late("parentRef");
  spec.each("parentRef", [](const Place& parent) {
    if (!parent.is_empty("group"))
      parent.problems("group", meta::validate_dns1123_subdomain(parent.text("group")));
    for (const std::string_view field : {"resource", "name"}) {
      if (parent.is_empty(field)) {
        parent.required_late(field);
      } else {
        parent.problems(field, meta::validate_path_segment_name(parent.text(field)));
      }
    }
    if (!parent.is_empty("namespace"))
      parent.problems("namespace", meta::validate_path_segment_name(parent.text("namespace")));
  });
}

// An address is named by itself.
void check_address_name(const Place& address) {
  for (const std::string_view field : {"generateName", "name"}) {
    const std::string_view name = address.value().string_at({"metadata", field});
    if (!name.empty())
      report_problems(address, address.path("metadata").child(field), name,
                      canonical_ip_problems(name));
  }
}

constexpr Rule kServiceRangeRules[] = {rules::call(check_ranges)};
constexpr Rule kAddressRules[] = {rules::call(check_address_name)};
constexpr Rule kAddressObjectRules[] = {rules::call("parentRef", check_parent)};

constexpr TypeRules kClusterNetworkTypes[] = {
    {"networking.v1.ServiceCIDRSpec", kServiceRangeRules},
    {"networking.v1.IPAddress", kAddressRules},
    {"networking.v1.IPAddressSpec", kAddressObjectRules},
};

}  // namespace

std::span<const TypeRules> cluster_network_types() {
  return kClusterNetworkTypes;
}

}  // namespace kube::apiserver
