// SPDX-License-Identifier: Apache-2.0
//
// Indexes of a store: from a value to the cells that have it. Any thread may look at the sets while
// the writer changes them; the ChangeLog makes one state of what they see.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cell_table.hpp"
#include "change_log.hpp"
#include "retired.hpp"

namespace kube::cache {

struct Nothing {};
class ValueSets;

/// The cells of one value. Owns no reference: a cell must be removed here before it is removed from
/// the store. `hash` is hash_key() of the cell's key; a cell keeps its slot when its object
/// changes.
/// @par Thread safety   value(), key(), size() and for_each() may be called from any thread, the
///   others from one.
class ValueSet {
 public:
  using Array = PublishedArray<std::atomic<const Cell*>>;

  ValueSet(std::string_view value, ValueSets& in) : value_(value), in_(&in) {}
  ValueSet(const ValueSet&) = delete;
  ValueSet& operator=(const ValueSet&) = delete;
  ~ValueSet() { delete array_.load(std::memory_order_relaxed); }

  std::string_view key() const { return value_; }
  const std::string& value() const { return value_; }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  template <class F>
  void for_each(F&& f) const {
    const Array* array = array_.load(std::memory_order_acquire);
    if (array == nullptr) return;
    const std::atomic<const Cell*>* end = array->slots() + array->capacity();
    for (const std::atomic<const Cell*>* slot = array->slots(); slot != end; ++slot) {
      const Cell* cell = slot->load(std::memory_order_acquire);
      if (cell != nullptr && cell != gone<Cell>()) f(*cell);
    }
  }

  /// Carries out a step of a change. Returns the array that it replaces, or null.
  std::unique_ptr<Array> change(const Cell* from, const Cell* to, std::size_t hash) {
    if (from == nullptr) return insert(to, hash);
    std::atomic<const Cell*>* slot = find(from, hash);
    if (to != nullptr) {
      slot->store(to, std::memory_order_release);
      return nullptr;
    }
    return erase(slot);
  }
  /// Adds a cell that is not in the set.
  std::unique_ptr<Array> insert(const Cell* cell, std::size_t hash) {
    Array* array = array_.load(std::memory_order_relaxed);
    std::unique_ptr<Array> old;
    if (array == nullptr || !has_room(used_, array->capacity())) {
      const std::size_t with_room = size() + 1;
      old = rebuild(size() == 0 ? 2 : slots_for(with_room + with_room / 8));
    }
    place(*array_.load(std::memory_order_relaxed), cell, hash);
    size_.store(size() + 1, std::memory_order_release);
    return old;
  }
  /// The index that has this set.
  ValueSets& in() const { return *in_; }
  /// Counts how often the set has become empty.
  std::uint32_t times_emptied = 0;

 private:
  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash); }

  std::atomic<const Cell*>* find(const Cell* cell, std::size_t hash) {
    Array& array = *array_.load(std::memory_order_relaxed);
    std::size_t at = array.home(tag_of(hash));
    while (array[at].load(std::memory_order_relaxed) != cell) at = array.next(at);
    return &array[at];
  }
  std::unique_ptr<Array> erase(std::atomic<const Cell*>* slot) {
    slot->store(gone<Cell>(), std::memory_order_release);
    const std::size_t left = size() - 1;
    size_.store(left, std::memory_order_release);
    Array& array = *array_.load(std::memory_order_relaxed);
    auto at = static_cast<std::size_t>(slot - array.slots());
    if (array[array.next(at)].load(std::memory_order_relaxed) == nullptr) {
      for (; array[at].load(std::memory_order_relaxed) == gone<Cell>(); at = array.previous(at)) {
        array[at].store(nullptr, std::memory_order_release);
        --used_;
      }
    }
    const bool sparse = array.capacity() > 16 && left * 8 < array.capacity();
    return sparse ? rebuild(slots_for(left * 2)) : nullptr;
  }
  void place(Array& array, const Cell* cell, std::size_t hash) {
    std::size_t at = array.home(tag_of(hash));
    const Cell* there = array[at].load(std::memory_order_relaxed);
    while (there != nullptr && there != gone<Cell>()) {
      at = array.next(at);
      there = array[at].load(std::memory_order_relaxed);
    }
    if (there == nullptr) ++used_;
    array[at].store(cell, std::memory_order_release);
  }
  std::unique_ptr<Array> rebuild(std::size_t capacity) {
    auto room = Array::make(capacity);
    std::unique_ptr<Array> old(array_.load(std::memory_order_relaxed));
    used_ = 0;
    for_each([&](const Cell& cell) { place(*room, &cell, hash_key(cell.key())); });
    array_.store(room.release(), std::memory_order_release);
    return old;
  }

  const std::string value_;
  ValueSets* const in_;
  std::atomic<Array*> array_{nullptr};
  std::atomic<std::size_t> size_{0};
  std::size_t used_ = 0;  // slots that are not null
};

/// The sets of all values of an index.
/// @par Thread safety   find() and for_each() may be called from any thread, the others from one.
class ValueSets {
 public:
  ValueSets() = default;
  ValueSets(const ValueSets&) = delete;
  ValueSets& operator=(const ValueSets&) = delete;
  ~ValueSets() {
    table_.for_each([](const ValueSet& set) { delete &set; });
  }

  /// Returns the set of a value; null, or an empty one, when no cell has it.
  const ValueSet* find(std::string_view value) const { return table_.find(value, hash_key(value)); }
  template <class F>
  void for_each(F&& f) const {
    table_.for_each(f);
  }

  /// Returns the set of a value, and makes it.
  ValueSet* set_of(std::string_view value, Retired& retired) {
    const std::size_t hash = hash_key(value);
    if (const ValueSet* known = table_.find(value, hash)) return writable(known);
    auto made = std::make_unique<ValueSet>(value, *this);
    retired.add(table_.make_room());
    table_.insert(made.get(), hash);
    return made.release();
  }
  /// Takes out a set that has been empty for all readers.
  void remove(const ValueSet* set, Retired& retired) {
    table_.erase(*table_.slot_of(set->key(), hash_key(set->key())));
    retired.add(std::unique_ptr<ValueSet>(writable(set)));
  }

 private:
  // The sets are made here; readers get them const.
  static ValueSet* writable(const ValueSet* set) {
    return const_cast<ValueSet*>(set);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  PublishedTable<ValueSet> table_;
};

/// An index with a user's function. It stores the values of each cell, so that the function is
/// called once per cell.
/// @par Thread safety   As ValueSets; contains() and values_of() belong to the writer.
class UserIndex {
 public:
  /// Plans the steps of a change: of `old`, if it is not null, to `now`, which has these values.
  void plan(const Cell* old, const Cell* now, const std::vector<std::string>& values,
            ChangeLog& log, Retired& retired) {
    Memberships before;
    if (old != nullptr) before = memberships_.erase(old);
    if (now != nullptr && before.says(values)) {
      before.for_each([&](ValueSet* set) { log.plan(set, old, now); });
      memberships_.insert(now, std::move(before));
      return;
    }
    before.for_each([&](ValueSet* set) { log.plan(set, old, nullptr); });
    if (now == nullptr) return;
    Memberships after = make(values, retired);
    after.for_each([&](ValueSet* set) { log.plan(set, nullptr, now); });
    memberships_.insert(now, std::move(after));
  }
  /// Adds a cell to an index that no reader has yet.
  void insert(const Cell* cell, std::size_t hash, const std::vector<std::string>& values,
              Retired& retired) {
    Memberships memberships = make(values, retired);
    memberships.for_each([&](ValueSet* set) { retired.add(set->insert(cell, hash)); });
    memberships_.insert(cell, std::move(memberships));
  }

  /// Whether the values of the cell are known; there may be none.
  bool contains(const Cell* cell) const { return memberships_.contains(cell); }
  std::vector<std::string> values_of(const Cell* cell) const {
    std::vector<std::string> values;
    if (const Memberships* memberships = memberships_.find(cell)) {
      memberships->for_each([&](ValueSet* set) { values.push_back(set->value()); });
    }
    return values;
  }
  const ValueSets& sets() const { return sets_; }
  ValueSets& sets() { return sets_; }

 private:
  // Usually a cell has one value.
  class Memberships {
   public:
    void add(ValueSet* set) {
      if (first_ == nullptr) {
        first_ = set;
        return;
      }
      if (!more_) more_ = std::make_unique<std::vector<ValueSet*>>();
      more_->push_back(set);
    }
    template <class F>
    void for_each(F&& f) const {
      if (first_ != nullptr) f(first_);
      if (more_) {
        for (ValueSet* set : *more_) f(set);
      }
    }
    bool says(const std::vector<std::string>& values) const {
      std::size_t i = 0;
      bool same = true;
      for_each([&](ValueSet* set) {
        same = same && i < values.size() && set->value() == values[i];
        ++i;
      });
      return same && i == values.size();
    }

   private:
    ValueSet* first_ = nullptr;
    std::unique_ptr<std::vector<ValueSet*>> more_;
  };

  Memberships make(const std::vector<std::string>& values, Retired& retired) {
    Memberships memberships;
    std::unordered_set<std::string_view> seen;
    for (const std::string& value : values) {
      if (values.size() > 1 && !seen.insert(value).second) continue;
      memberships.add(sets_.set_of(value, retired));
    }
    return memberships;
  }

  ValueSets sets_;
  PointerTable<Memberships> memberships_;
};

}  // namespace kube::cache
