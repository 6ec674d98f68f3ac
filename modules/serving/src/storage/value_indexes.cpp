// SPDX-License-Identifier: Apache-2.0
#include "storage/value_indexes.hpp"

#include <algorithm>
#include <utility>

namespace kube::serving {

bool ValueIndexes::has(std::string_view of) const {
  return std::ranges::find(indexes_, of, &Named::of) != indexes_.end();
}

bool ValueIndexes::is_wanted(const std::string& of) {
  constexpr std::size_t kRemembered = 16;
  if (std::ranges::find(asked_, of) != asked_.end()) return true;
  asked_.push_back(of);
  if (asked_.size() > kRemembered) asked_.pop_front();
  return false;
}

void ValueIndexes::add(const std::string& of, ValueIndex index) {
  if (indexes_.size() == kMax) {
    indexes_.erase(std::ranges::min_element(indexes_, {}, &Named::used));
  }
  indexes_.push_back({of, std::move(index), ++uses_});
}

const ValueIndex::Entries* ValueIndexes::narrowest(const std::vector<Equality>& equalities) {
  const ValueIndex::Entries* found = nullptr;
  for (const Equality& each : equalities) {
    const auto at = std::ranges::find(indexes_, each.of, &Named::of);
    if (at == indexes_.end()) continue;
    at->used = ++uses_;
    const ValueIndex::Entries& entries = at->index.find(each.value);
    if (found == nullptr || entries.size() < found->size()) found = &entries;
  }
  return found;
}

void ValueIndexes::on_added(const ValueIndex::Entry& entry) {
  for (Named& each : indexes_) each.index.add(entry);
}

void ValueIndexes::on_replaced(const ValueIndex::Entry& entry, const StoredObject& before) {
  for (Named& each : indexes_) each.index.replace(entry, before);
}

void ValueIndexes::on_removing(const ValueIndex::Entry& entry) {
  for (Named& each : indexes_) each.index.remove(entry);
}

}  // namespace kube::serving
