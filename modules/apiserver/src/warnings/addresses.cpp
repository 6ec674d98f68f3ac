// SPDX-License-Identifier: Apache-2.0
//
// Addresses and ranges that are valid in another form than the canonical one.
#include <kube/names/go_text.hpp>

#include "validation/addresses.hpp"
#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

void warn_of_ip_at(const meta::FieldPath& path, std::string_view text, Warnings& out) {
  const auto address = parse_ip(text);
  if (!address) return;
  const std::string canonical = format_ip(*address);
  if (address->has_leading_zero || address->is_mapped) {
    out.push_back(warning_at(path, "non-standard IP address " + go::quote(text) +
                                       " is invalid: use " + go::quote(canonical)));
  } else if (canonical != text) {
    out.push_back(warning_at(path, "IPv6 address " + go::quote(text) +
                                       " should be in RFC 5952 canonical format (" +
                                       go::quote(canonical) + ")"));
  }
}

// Ranges with leading zeros, mapped ones and those with bits beyond the prefix are refused before.
void warn_of_range_at(const meta::FieldPath& path, std::string_view text, Warnings& out) {
  const auto block = parse_cidr(text);
  if (!block || !cidr_problems(text).empty()) return;
  const std::string canonical = format_cidr(*block);
  if (canonical != text)
    out.push_back(warning_at(path, "IPv6 CIDR value " + go::quote(text) +
                                       " should be in RFC 5952 canonical format (" +
                                       go::quote(canonical) + ")"));
}

}  // namespace

void warn_of_ip(const Place& place, std::string_view field, Warnings& out) {
  const json::Value* value = place.find(field);
  if (value == nullptr) return;
  if (const json::Array* list = value->if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      warn_of_ip_at(place.path(field, i), (*list)[i].string_or_empty(), out);
  } else {
    warn_of_ip_at(place.path(field), value->string_or_empty(), out);
  }
}

void warn_of_range(const Place& place, std::string_view field, Warnings& out) {
  const json::Value* value = place.find(field);
  if (value == nullptr) return;
  if (const json::Array* list = value->if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      warn_of_range_at(place.path(field, i), (*list)[i].string_or_empty(), out);
  } else {
    warn_of_range_at(place.path(field), value->string_or_empty(), out);
  }
}

void warn_of_status_addresses(const Place& object, Warnings& out) {
  object.each("status", [&](const Place& status) {
    for (const std::string_view list : {"podIPs", "hostIPs"})
      status.each(list, [&](const Place& each) { warn_of_ip(each, "ip", out); });
    status.each("loadBalancer", [&](const Place& balancer) {
      balancer.each("ingress", [&](const Place& each) {
        if (!each.is_empty("ip")) warn_of_ip_at(each.path(), each.text("ip"), out);
      });
    });
  });
}

}  // namespace kube::apiserver
