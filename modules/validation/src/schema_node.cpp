// SPDX-License-Identifier: Apache-2.0
#include "schema_node.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "schema_walk.hpp"

namespace kube::meta {
namespace {

// A linear search is the fastest up to here.
constexpr std::size_t kFewNames = 16;

std::size_t saturating_sum(std::size_t a, std::size_t b) {
  return a + std::min(b, std::numeric_limits<std::size_t>::max() - a);
}

std::size_t member_bytes(std::string_view name, std::size_t value_bytes) {
  return saturating_sum(value_bytes, name.size() + 4);
}

// Estimates a value's bytes after the defaults below are filled in. The nodes below are complete.
std::size_t filled_bytes(const detail::SchemaNode& node, const json::Value& value) {
  if (const json::Array* items = value.if_array(); items != nullptr && node.items != nullptr) {
    std::size_t bytes = 2;
    for (const json::Value& item : *items)
      bytes = saturating_sum(bytes, filled_bytes(*node.items, item) + 1);
    return bytes;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return json::dump(value).size();
  std::size_t bytes = 2;
  std::size_t present = 0;  // bytes of defaults that are not needed
  for (const auto& [name, member] : *object) {
    const detail::SchemaNode* property = node.find(name);
    const detail::SchemaNode* schema = property != nullptr ? property : node.additional;
    if (property != nullptr && property->default_value)
      present = saturating_sum(present, member_bytes(name, property->filled_bytes));
    const std::size_t own =
        schema == nullptr ? json::dump(member).size() : filled_bytes(*schema, member);
    bytes = saturating_sum(bytes, member_bytes(name, own));
  }
  return saturating_sum(bytes, node.absent_bytes - std::min(present, node.absent_bytes));
}

void measure_defaults(detail::SchemaNode& node) {
  for (const auto& [name, child] : node.properties) {
    if (child->default_value)
      node.absent_bytes =
          saturating_sum(node.absent_bytes, member_bytes(name, child->filled_bytes));
  }
  if (!node.default_value) return;
  node.default_bytes = json::dump(*node.default_value).size();
  node.filled_bytes = filled_bytes(node, *node.default_value);
}

}  // namespace

void SchemaValidator::Node::finish() {
  embeds = embedded_resource || (additional != nullptr && additional->embeds) ||
           (items != nullptr && items->embeds) ||
           std::ranges::any_of(properties, [](const auto& each) { return each.second->embeds; });
  if (properties.size() > kFewNames) {
    by_name.resize(properties.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    std::ranges::sort(by_name, {},
                      [&](std::size_t at) -> std::string_view { return properties[at].first; });
  }
  measure_defaults(*this);
  if (allowed.size() <= kFewNames) return;
  for (const json::Value& each : allowed) {
    if (const auto number = detail::number_of(each)) {
      allowed_numbers.emplace_back(*number, each);
    } else {
      allowed_texts.push_back(detail::identity_of(each));
    }
  }
  std::ranges::sort(allowed_texts);
  std::ranges::sort(allowed_numbers, {}, &std::pair<double, json::Value>::first);
}

const SchemaValidator::Node* SchemaValidator::Node::find(std::string_view name) const {
  if (by_name.empty()) {
    const auto found =
        std::ranges::find(properties, name, &std::pair<std::string, const Node*>::first);
    return found == properties.end() ? nullptr : found->second;
  }
  const auto name_at = [&](std::size_t at) -> std::string_view { return properties[at].first; };
  const auto found = std::ranges::lower_bound(by_name, name, {}, name_at);
  return found == by_name.end() || name_at(*found) != name ? nullptr : properties[*found].second;
}

bool SchemaValidator::Node::allows(const json::Value& value) const {
  if (allowed.size() <= kFewNames) return std::ranges::find(allowed, value) != allowed.end();
  const auto number = detail::number_of(value);
  if (!number) return std::ranges::binary_search(allowed_texts, detail::identity_of(value));
  // Several integers may be equal as floating point.
  // std::ranges is not used here: Clang 14 can't compile libstdc++'s subrange.
  const auto begin = std::lower_bound(allowed_numbers.begin(), allowed_numbers.end(), *number,
                                      [](const auto& each, double n) { return each.first < n; });
  const auto end = std::upper_bound(begin, allowed_numbers.end(), *number,
                                    [](double n, const auto& each) { return n < each.first; });
  return std::any_of(begin, end, [&](const auto& each) { return each.second == value; });
}

}  // namespace kube::meta
