// SPDX-License-Identifier: Apache-2.0
#include "members.hpp"

#include <algorithm>

namespace kube::json {
namespace {

bool all_pairs_differ(const std::vector<Object::Member>& members) {
  for (std::size_t i = 1; i < members.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (members[i].first == members[k].first) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<RepeatedKey> drop_repeated_keys(std::vector<Object::Member>& members) {
  // Most objects are small; for them comparing all pairs is faster than sorting.
  constexpr std::size_t kSmall = 24;
  if (members.size() <= kSmall && all_pairs_differ(members)) return std::nullopt;

  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) -> std::string_view { return members[i].first; });

  std::vector<bool> drop(members.size(), false);
  std::size_t repeated = members.size();
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && members[order[end]].first == members[order[begin]].first) ++end;
    if (end - begin > 1) {
      repeated = std::min(repeated, order[begin + 1]);
      members[order[begin]].second = std::move(members[order[end - 1]].second);
      for (std::size_t i = begin + 1; i < end; ++i) drop[order[i]] = true;
    }
    begin = end;
  }
  if (repeated == members.size()) return std::nullopt;

  RepeatedKey answer{repeated, members[repeated].first};
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (drop[i]) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
  return answer;
}

}  // namespace kube::json
