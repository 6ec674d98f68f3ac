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

// A field is a text or a list of texts.
void warn_of_each(const Place& place, std::string_view field, Warnings& out,
                  void (*warn)(const meta::FieldPath&, std::string_view, Warnings&)) {
  const json::Value* value = place.find(field);
  if (value == nullptr) return;
  const json::Array* list = value->if_array();
  if (list == nullptr) return warn(place.path(field), value->string_or_empty(), out);
  for (std::size_t i = 0; i < list->size(); ++i)
    warn(place.path(field, i), (*list)[i].string_or_empty(), out);
}

}  // namespace

void warn_of_ip(const Place& place, std::string_view field, Warnings& out) {
  warn_of_each(place, field, out, warn_of_ip_at);
}

void warn_of_range(const Place& place, std::string_view field, Warnings& out) {
  warn_of_each(place, field, out, warn_of_range_at);
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
