// SPDX-License-Identifier: Apache-2.0
//
// Two open-addressing tables (linear probing, backward-shift deletion, so no tombstones) that limit
// a store's overhead to some 20 bytes an object: CellTable finds cells by key, PointerTable maps a
// cell's address to a value. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

inline std::size_t hash_key(std::string_view key) {
  return std::hash<std::string_view>{}(key);
}

/// Owns a reference to each cell in it.
class CellTable {
 public:
  /// Returns the cell with this key; null when there is none. `hash` is hash_key(key).
  const CellRef* find(std::string_view key, std::size_t hash) const {
    const std::size_t at = position(key, hash);
    return at == kNowhere ? nullptr : &slots_[at].cell;
  }

  /// Stores the cell, and returns the one with the same key that it replaces (null if none).
  /// Allocates unless there is room.
  CellRef put(CellRef cell, std::size_t hash) {
    if (is_full()) grow_into(more_room());
    for (std::size_t at = home(hash);; at = next(at)) {
      Slot& slot = slots_[at];
      if (!slot.cell) {
        slot.cell = std::move(cell);
        slot.hash = tag(hash);
        ++size_;
        return {};
      }
      if (slot.hash == tag(hash) && slot.cell->key() == cell->key()) {
        return std::exchange(slot.cell, std::move(cell));
      }
    }
  }

  CellRef erase(std::string_view key, std::size_t hash) {
    std::size_t hole = position(key, hash);
    if (hole == kNowhere) return {};
    CellRef erased = std::move(slots_[hole].cell);
    --size_;
    for (std::size_t at = next(hole); slots_[at].cell; at = next(at)) {
      // A cell may move into the hole unless its home slot is between the two.
      const std::size_t home_at = slots_[at].hash & mask_;
      if (((at - home_at) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = std::move(slots_[at]);
      hole = at;
    }
    return erased;
  }

  struct Slot {
    CellRef cell{};
    std::uint32_t hash = 0;
  };
  /// Whether there is no room for another cell.
  bool is_full() const { return (size_ + 1) * 8 > slots_.size() * 7; }
  /// Returns space for twice as many: to be allocated outside a lock and passed to grow_into().
  std::vector<Slot> more_room() const {
    return std::vector<Slot>(slots_.empty() ? 4 : slots_.size() * 2);
  }
  void reserve(std::size_t count) {
    std::size_t capacity = 4;
    while (count * 8 > capacity * 7) capacity *= 2;
    if (capacity > slots_.size()) grow_into(std::vector<Slot>(capacity));
  }
  /// Moves everything into `room`, and returns the old room for the caller to free.
  std::vector<Slot> grow_into(std::vector<Slot> room) {
    slots_.swap(room);
    mask_ = slots_.size() - 1;
    for (Slot& slot : room) {
      if (!slot.cell) continue;
      std::size_t at = slot.hash & mask_;
      while (slots_[at].cell) at = next(at);
      slots_[at] = std::move(slot);
    }
    return room;
  }

  template <class F>
  void for_each(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.cell) f(slot.cell);
    }
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static std::uint32_t tag(std::size_t hash) { return static_cast<std::uint32_t>(hash); }
  std::size_t home(std::size_t hash) const { return tag(hash) & mask_; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask_; }
  std::size_t position(std::string_view key, std::size_t hash) const {
    if (slots_.empty()) return kNowhere;
    for (std::size_t at = home(hash); slots_[at].cell; at = next(at)) {
      if (slots_[at].hash == tag(hash) && slots_[at].cell->key() == key) return at;
    }
    return kNowhere;
  }

  std::vector<Slot> slots_;  // a power of two, at most 7/8 full
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

/// Maps some cells to a Value; owns no reference to them.
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
