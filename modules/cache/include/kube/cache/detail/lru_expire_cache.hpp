// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::LruExpireCache: values by key that end with their time, or when there are too many;
// apimachinery's LRUExpireCache.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>

namespace kube::cache {

/// @par Thread safety   Not thread-safe.
template <class Value>
class LruExpireCache {
 public:
  explicit LruExpireCache(std::size_t max_size) : max_size_(max_size) {}

  /// Returns the value, as used just now; null when there is none, or its time is over.
  const Value* get(std::string_view key, TimePoint now) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    const auto entry = found->second;
    if (now > entry->expires) {
      remove(key);
      return nullptr;
    }
    entries_.splice(entries_.end(), entries_, entry);
    return &entry->value;
  }
  /// Adds or replaces a value; the one that was used least recently makes room.
  void add(std::string_view key, Value value, TimePoint expires) {
    remove(key);
    entries_.push_back({std::string(key), std::move(value), expires});
    places_.emplace(entries_.back().key, std::prev(entries_.end()));
    if (entries_.size() > max_size_) remove(entries_.front().key);
  }
  void remove(std::string_view key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    const auto entry = found->second;
    places_.erase(found);  // before the key that it views
    entries_.erase(entry);
  }
  /// Returns the keys, the one that was used least recently first.
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    keys.reserve(entries_.size());
    for (const Entry& entry : entries_) keys.push_back(entry.key);
    return keys;
  }

 private:
  struct Entry {
    std::string key;
    Value value;
    TimePoint expires;
  };

  const std::size_t max_size_;
  std::list<Entry> entries_;
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator> places_;
};

}  // namespace kube::cache
