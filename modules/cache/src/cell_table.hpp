// SPDX-License-Identifier: Apache-2.0
//
// Two open-addressing tables with linear probing that limit a store's overhead to some 20 bytes an
// object: PublishedTable finds cells (and other items) by key, from any thread; PointerTable maps a
// cell's address to a value, for the writer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "published_array.hpp"

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

inline std::size_t hash_key(std::string_view key) {
  return std::hash<std::string_view>{}(key);
}

/// Items by key, found by any thread while one thread changes the table. Owns no item. A search
/// takes no lock: it sees the items that were there when it began, and of those that come or go
/// meanwhile some. Items do not move; what a larger array replaces is returned, for readers may
/// still search it (ReadPin).
/// @par Thread safety   find() and for_each() may be called from any thread, the others from one.
template <class Item>
class PublishedTable {
 public:
  struct Slot {
    std::atomic<const Item*> item{nullptr};  // null: never used, the end of a search
    std::atomic<std::uint32_t> tag{0};       // written before the item
    std::uint32_t birth = 0;                 // of the item, for CellLeases: belongs to the writer
  };
  using Array = PublishedArray<Slot>;

  PublishedTable() = default;
  PublishedTable(const PublishedTable&) = delete;
  PublishedTable& operator=(const PublishedTable&) = delete;
  ~PublishedTable() { delete array_.load(std::memory_order_relaxed); }

  /// Returns the item with this key; null when there is none. `hash` is hash_key(key).
  const Item* find(std::string_view key, std::size_t hash) const {
    return search(array_.load(std::memory_order_acquire), key, hash).item;
  }
  template <class F>
  void for_each(F&& f) const {
    const Array* array = array_.load(std::memory_order_acquire);
    if (array == nullptr) return;
    const Slot* end = array->slots() + array->capacity();
    for (const Slot* slot = array->slots(); slot != end; ++slot) {
      const Item* item = slot->item.load(std::memory_order_acquire);
      if (item != nullptr && item != gone<Item>()) f(*item);
    }
  }

  /// For the writer: returns the slot of the item with this key; null when there is none.
  Slot* slot_of(std::string_view key, std::size_t hash) {
    return search(current(), key, hash).slot;
  }
  /// Calls f for the items and their births.
  template <class F>
  void for_each_birth(F&& f) const {
    const Array* array = array_.load(std::memory_order_relaxed);
    for (std::size_t at = 0; array != nullptr && at < array->capacity(); ++at) {
      const Slot& slot = (*array)[at];
      const Item* item = slot.item.load(std::memory_order_relaxed);
      if (item != nullptr && item != gone<Item>()) f(*item, slot.birth);
    }
  }

  /// Makes room for one more item. Returns the array that it replaces, or null.
  std::unique_ptr<Array> make_room() {
    Array* array = array_.load(std::memory_order_relaxed);
    if (array != nullptr && has_room(used_, array->capacity())) return nullptr;
    return rebuild(slots_for(size_ + 1 + size_ / 8));
  }
  void reserve(std::size_t items) { rebuild(slots_for(items)); }

  /// Adds an item whose key is not there. There must be room.
  void insert(const Item* item, std::size_t hash, std::uint32_t birth = 0) {
    place(*current(), item, tag_of(hash), birth);
  }
  /// Replaces the item of a slot by one with the same key.
  static void replace(Slot& slot, const Item* to, std::uint32_t birth) {
    slot.birth = birth;
    slot.item.store(to, std::memory_order_release);
  }
  void erase(Slot& slot) {
    Array& array = *current();
    slot.item.store(gone<Item>(), std::memory_order_release);
    --size_;
    // At the end of a run of slots, no search needs to go on.
    auto at = static_cast<std::size_t>(&slot - array.slots());
    if (array[array.next(at)].item.load(std::memory_order_relaxed) != nullptr) return;
    for (; array[at].item.load(std::memory_order_relaxed) == gone<Item>();
         at = array.previous(at)) {
      array[at].item.store(nullptr, std::memory_order_release);
      --used_;
    }
  }
  std::size_t size() const { return size_; }

 private:
  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash); }
  Array* current() { return array_.load(std::memory_order_relaxed); }

  /// A slot and the item that it had; null when there is none.
  template <class A>
  struct Found {
    decltype(&std::declval<A&>()[0]) slot = nullptr;
    const Item* item = nullptr;
  };
  template <class A>
  static Found<A> search(A* array, std::string_view key, std::size_t hash) {
    if (array == nullptr) return {};
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = array->home(tag);; at = array->next(at)) {
      auto& slot = (*array)[at];
      const Item* item = slot.item.load(std::memory_order_acquire);
      if (item == nullptr) return {};
      if (slot.tag.load(std::memory_order_relaxed) == tag && item != gone<Item>() &&
          item->key() == key) {
        return {&slot, item};
      }
    }
  }
  void place(Array& array, const Item* item, std::uint32_t tag, std::uint32_t birth) {
    std::size_t at = array.home(tag);
    const Item* there = array[at].item.load(std::memory_order_relaxed);
    while (there != nullptr && there != gone<Item>()) {
      at = array.next(at);
      there = array[at].item.load(std::memory_order_relaxed);
    }
    if (there == nullptr) ++used_;
    ++size_;
    array[at].birth = birth;
    array[at].tag.store(tag, std::memory_order_relaxed);
    array[at].item.store(item, std::memory_order_release);
  }
  std::unique_ptr<Array> rebuild(std::size_t capacity) {
    auto room = Array::make(capacity);
    std::unique_ptr<Array> old(current());
    used_ = size_ = 0;
    for (std::size_t at = 0; old != nullptr && at < old->capacity(); ++at) {
      const Slot& slot = (*old)[at];
      const Item* item = slot.item.load(std::memory_order_relaxed);
      if (item == nullptr || item == gone<Item>()) continue;
      place(*room, item, slot.tag.load(std::memory_order_relaxed), slot.birth);
    }
    array_.store(room.release(), std::memory_order_release);
    return old;
  }

  std::atomic<Array*> array_{nullptr};
  std::size_t size_ = 0;
  std::size_t used_ = 0;  // slots that are not null
};

using CellTable = PublishedTable<Cell>;

/// Maps some cells to a Value; owns no reference to them. An erased cell leaves no trace (others
/// are shifted back).
/// @par Thread safety   Not thread-safe.
template <class Value>
class PointerTable {
 public:
  bool contains(const Cell* cell) const { return find(cell) != nullptr; }
  const Value* find(const Cell* cell) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(cell); slots_[at].cell != nullptr; at = next(at)) {
      if (slots_[at].cell == cell) return &slots_[at].value;
    }
    return nullptr;
  }

  /// Replaces the value of the cell, if it has one.
  void insert(const Cell* cell, Value value = {}) {
    if ((size_ + 1) * 8 > slots_.size() * 7) rehash(slots_.empty() ? 1 : slots_.size() * 2);
    if (place(cell, std::move(value))) ++size_;
  }

  Value erase(const Cell* cell) {
    std::size_t hole = slots_.empty() ? 0 : home(cell);
    if (slots_.empty()) return {};
    while (slots_[hole].cell != cell) {
      if (slots_[hole].cell == nullptr) return {};
      hole = next(hole);
    }
    Value value = std::move(slots_[hole].value);
    slots_[hole] = {};
    --size_;
    for (std::size_t at = next(hole); slots_[at].cell != nullptr; at = next(at)) {
      if (((at - home(slots_[at].cell)) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = std::exchange(slots_[at], {});
      hole = at;
    }
    if (slots_.size() > 8 && size_ * 8 < slots_.size()) rehash(slots_.size() / 2);
    return value;
  }

  template <class F>
  void for_each(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.cell != nullptr) f(slot.cell);
    }
  }
  std::size_t size() const { return size_; }

 private:
  struct Slot {
    const Cell* cell = nullptr;
    [[no_unique_address]] Value value{};
  };
  std::size_t home(const Cell* cell) const {
    // Cells are at least 16 bytes apart; the product spreads the other bits over the high ones.
    const auto address = reinterpret_cast<std::uintptr_t>(cell) >> 4;
    return (address * 0x9e3779b97f4a7c15ULL >> 32) & mask_;
  }
  std::size_t next(std::size_t at) const { return (at + 1) & mask_; }
  /// Returns false when the cell has a value already.
  bool place(const Cell* cell, Value value) {
    std::size_t at = home(cell);
    while (slots_[at].cell != nullptr && slots_[at].cell != cell) at = next(at);
    slots_[at].value = std::move(value);
    return std::exchange(slots_[at].cell, cell) == nullptr;
  }
  void rehash(std::size_t capacity) {
    if (capacity == 1) capacity = 2;  // one cell, and an empty slot to end every search
    std::vector<Slot> old(capacity);
    slots_.swap(old);
    mask_ = slots_.size() - 1;
    for (Slot& slot : old) {
      if (slot.cell != nullptr) place(slot.cell, std::move(slot.value));
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most 7/8 full, so one is always empty
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kube::cache
