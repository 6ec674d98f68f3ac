// SPDX-License-Identifier: Apache-2.0
//
// Indexes of a store: from a value to the cells that have it. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cell_table.hpp"

#include <kube/cache/detail/store.hpp>

namespace kube::cache {

struct Nothing {};

/// The cells of each value; values without cells are removed. Owns no reference: a cell must be
/// removed here before it is removed from the store.
class ValueSets {
 public:
  using Cells = PointerTable<Nothing>;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Map = std::unordered_map<std::string, Cells, Hash, std::equal_to<>>;
  /// A value with its cells; the address is valid as long as the value has cells.
  using Entry = Map::value_type;

  /// Adds the cell to the value, unless the value already has it.
  Entry* insert(std::string_view value, const Cell* cell) {
    auto at = map_.find(value);
    if (at == map_.end()) at = map_.emplace(std::string(value), Cells{}).first;
    at->second.insert(cell);
    return &*at;
  }
  void erase(Entry* entry, const Cell* cell) {
    entry->second.erase(cell);
    if (entry->second.size() == 0) map_.erase(map_.find(entry->first));
  }
  void erase(std::string_view value, const Cell* cell) {
    const auto at = map_.find(value);
    if (at != map_.end()) erase(&*at, cell);
  }
  static void replace(Entry* entry, const Cell* from, const Cell* to) {
    entry->second.erase(from);
    entry->second.insert(to);
  }
  /// Replaces `from`, which had `old_value`, by `to`, which has `value`.
  void replace(std::string_view old_value, const Cell* from, std::string_view value,
               const Cell* to) {
    const auto at = old_value == value ? map_.find(value) : map_.end();
    if (at != map_.end()) {
      replace(&*at, from, to);
      return;
    }
    erase(old_value, from);
    insert(value, to);
  }

  const Cells* find(std::string_view value) const {
    const auto at = map_.find(value);
    return at == map_.end() ? nullptr : &at->second;
  }
  const Map& all() const { return map_; }

 private:
  Map map_;
};

/// An index with a user's function. It stores the values of each cell, so that the function is
/// called once per cell.
class UserIndex {
 public:
  void insert(const Cell* cell, const std::vector<std::string>& values) {
    erase(cell);  // no earlier value may remain
    Memberships memberships;
    for (const std::string& value : values) {
      const ValueSets::Cells* cells = sets_.find(value);
      if (cells != nullptr && cells->contains(cell)) continue;  // a duplicate value
      memberships.add(sets_.insert(value, cell));
    }
    memberships_.insert(cell, std::move(memberships));
  }
  void erase(const Cell* cell) {
    memberships_.erase(cell).for_each([&](ValueSets::Entry* entry) { sets_.erase(entry, cell); });
  }
  /// Like erase() and insert(), but faster for most updates, which do not change the values.
  void replace(const Cell* from, const Cell* to, const std::vector<std::string>& values) {
    const Memberships* known = memberships_.find(from);
    if (known == nullptr || !known->says(values)) {
      erase(from);
      insert(to, values);
      return;
    }
    Memberships memberships = memberships_.erase(from);
    memberships.for_each([&](ValueSets::Entry* entry) { ValueSets::replace(entry, from, to); });
    memberships_.insert(to, std::move(memberships));
  }
  /// Whether the values of the cell are known; there may be none.
  bool contains(const Cell* cell) const { return memberships_.contains(cell); }
  std::vector<std::string> values_of(const Cell* cell) const {
    std::vector<std::string> values;
    if (const Memberships* memberships = memberships_.find(cell)) {
      memberships->for_each([&](ValueSets::Entry* entry) { values.push_back(entry->first); });
    }
    return values;
  }
  const ValueSets& sets() const { return sets_; }

 private:
  // Usually a cell has one value.
  class Memberships {
   public:
    void add(ValueSets::Entry* entry) {
      if (first_ == nullptr) {
        first_ = entry;
        return;
      }
      if (!more_) more_ = std::make_unique<std::vector<ValueSets::Entry*>>();
      more_->push_back(entry);
    }
    template <class F>
    void for_each(F&& f) const {
      if (first_ != nullptr) f(first_);
      if (more_) {
        for (ValueSets::Entry* entry : *more_) f(entry);
      }
    }

    bool says(const std::vector<std::string>& values) const {
      std::size_t i = 0;
      bool same = true;
      for_each([&](ValueSets::Entry* entry) {
        same = same && i < values.size() && entry->first == values[i];
        ++i;
      });
      return same && i == values.size();
    }

   private:
    ValueSets::Entry* first_ = nullptr;
    std::unique_ptr<std::vector<ValueSets::Entry*>> more_;
  };

  ValueSets sets_;
  PointerTable<Memberships> memberships_;
};

}  // namespace kube::cache
