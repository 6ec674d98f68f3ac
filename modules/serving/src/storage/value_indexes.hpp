// SPDX-License-Identifier: Apache-2.0
//
// The indexes of a collection, made when lists need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "storage/value_index.hpp"

namespace kube::serving {

/// @par Thread safety   None: the collection's mutex guards it.
class ValueIndexes {
 public:
  /// The maximum number of indexes; the one that was not used for longest makes room.
  static constexpr std::size_t kMax = 8;

  bool has(std::string_view of) const;
  /// Notes that a list could use an index, and returns whether it is worth one: one list had asked
  /// for it before. A single list costs less without.
  bool is_wanted(const std::string& of);
  void add(const std::string& of, ValueIndex index);
  /// The fewest entries that hold all objects with these values; null without an index of any.
  const ValueIndex::Entries* narrowest(const std::vector<Equality>& equalities);
  void clear() { indexes_.clear(); }
  std::size_t size() const { return indexes_.size(); }

  void on_added(const ValueIndex::Entry& entry);
  void on_replaced(const ValueIndex::Entry& entry, const StoredObject& before);
  void on_removing(const ValueIndex::Entry& entry);

 private:
  struct Named {
    std::string of;
    ValueIndex index;
    std::uint64_t used;
  };
  std::vector<Named> indexes_;
  std::deque<std::string> asked_;  ///< The latest that had no index.
  std::uint64_t uses_ = 0;
};

}  // namespace kube::serving
