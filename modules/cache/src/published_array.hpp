// SPDX-License-Identifier: Apache-2.0
//
// An array of atomic slots in one allocation, for tables that readers search while a writer changes
// them: PublishedTable and CellSet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "cell_memory.hpp"

namespace kube::cache {

/// Slots start as `Slot()`; their number is any, so that tables can grow by a half.
/// @par Thread safety   As that of its slots.
template <class Slot>
class PublishedArray {
 public:
  static std::unique_ptr<PublishedArray> make(std::size_t capacity) {
    void* memory = allocate_cache_memory(bytes(capacity));
    return std::unique_ptr<PublishedArray>(::new (memory) PublishedArray(capacity));
  }
  ~PublishedArray() { std::destroy_n(slots(), capacity_); }
  PublishedArray(const PublishedArray&) = delete;
  PublishedArray& operator=(const PublishedArray&) = delete;
  // The allocation is larger than the type.
  static void operator delete(PublishedArray* array, std::destroying_delete_t) {
    const std::size_t size = bytes(array->capacity_);
    array->~PublishedArray();
    release_cache_memory(array, size);
  }

  std::size_t capacity() const { return capacity_; }
  std::size_t home(std::uint32_t tag) const {
    return static_cast<std::size_t>((std::uint64_t{tag} * capacity_) >> 32);
  }
  std::size_t next(std::size_t at) const { return at + 1 == capacity_ ? 0 : at + 1; }
  std::size_t previous(std::size_t at) const { return (at == 0 ? capacity_ : at) - 1; }
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
  Slot& operator[](std::size_t at) { return slots()[at]; }
  const Slot& operator[](std::size_t at) const { return slots()[at]; }

 private:
  static std::size_t bytes(std::size_t capacity) {
    return sizeof(PublishedArray) + capacity * sizeof(Slot);
  }
  explicit PublishedArray(std::size_t capacity) : capacity_(capacity) {
    static_assert(alignof(Slot) <= alignof(PublishedArray));
    std::uninitialized_value_construct_n(slots(), capacity);
  }

  std::uint64_t capacity_;
};

/// Stands in a slot that had an item: a search goes on behind it. Never dereferenced.
alignas(16) inline constexpr char kGone[16] = {};
template <class Item>
const Item* gone() {
  return reinterpret_cast<const Item*>(&kGone);
}

/// Returns the slots for so many items: some room to grow, and at least one that ends searches.
inline std::size_t slots_for(std::size_t items) {
  return items + items / 3 + 2;
}
/// Whether one more slot may be used.
inline bool has_room(std::size_t used, std::size_t capacity) {
  return (used + 1) * 8 <= capacity * 7;
}

}  // namespace kube::cache
