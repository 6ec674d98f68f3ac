// SPDX-License-Identifier: Apache-2.0
#include "storage/value_index.hpp"

namespace kube::serving {

void ValueIndex::add(const Entry& entry, const std::optional<std::string>& value) {
  if (!value) return;
  Entries& entries = entries_[*value];
  entries.insert(entries.end(), &entry);
}

void ValueIndex::remove(const Entry& entry, const std::optional<std::string>& value) {
  if (!value) return;
  const auto at = entries_.find(*value);
  if (at == entries_.end()) return;
  at->second.erase(&entry);
  if (at->second.empty()) entries_.erase(at);
}

void ValueIndex::replace(const Entry& entry, const StoredObject& before) {
  const auto old = read_(before);
  const auto now = read_(*entry.second);
  if (old == now) return;
  remove(entry, old);
  add(entry, now);
}

const ValueIndex::Entries& ValueIndex::find(const std::string& value) const {
  static const Entries kNone;
  const auto at = entries_.find(value);
  return at == entries_.end() ? kNone : at->second;
}

}  // namespace kube::serving
