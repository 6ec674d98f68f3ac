// SPDX-License-Identifier: Apache-2.0
#include "schema_node.hpp"

#include <algorithm>
#include <numeric>

#include "schema_walk.hpp"

namespace kube::meta {
namespace {

// Up to here a look at each is the fastest.
constexpr std::size_t kFewNames = 16;

}  // namespace

void SchemaValidator::Node::finish() {
  if (properties.size() > kFewNames) {
    by_name.resize(properties.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    std::ranges::sort(by_name, {},
                      [&](std::size_t at) -> std::string_view { return properties[at].first; });
  }
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
  // Several integers may be one as floating point.
  // Not by std::ranges: Clang 14 can't compile libstdc++'s subrange.
  const auto begin = std::lower_bound(allowed_numbers.begin(), allowed_numbers.end(), *number,
                                      [](const auto& each, double n) { return each.first < n; });
  const auto end = std::upper_bound(begin, allowed_numbers.end(), *number,
                                    [](double n, const auto& each) { return n < each.first; });
  return std::any_of(begin, end, [&](const auto& each) { return each.second == value; });
}

}  // namespace kube::meta
