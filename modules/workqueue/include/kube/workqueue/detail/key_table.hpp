// SPDX-License-Identifier: Apache-2.0
//
// kube::detail::KeyTable: the set of keys in a work queue, as a hash table of entries that never
// move and can be linked into lists. Part of no public signature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>

namespace kube::detail {

/// A key and what the queue knows about it. It exists while the key is dirty or processing.
template <class Key>
struct KeyEntry {
  KeyEntry* next = nullptr;      ///< In the list of queued entries, or of those in processing.
  KeyEntry* previous = nullptr;  ///< In the list of those in processing.
  std::size_t hash = 0;
  bool dirty = false;
  bool processing = false;
  TimePoint since{};        ///< When it became dirty. Only with metrics, as the next one.
  TimePoint taken_since{};  ///< When processing began.
  union {
    Key key;  ///< Alive while the entry is in the table.
  };

  KeyEntry() {}   // NOLINT(modernize-use-equals-default): the key is not made
  ~KeyEntry() {}  // NOLINT(modernize-use-equals-default): nor destroyed
  KeyEntry(const KeyEntry&) = delete;
  KeyEntry& operator=(const KeyEntry&) = delete;
};

/// Linear probing over slots of hash and entry: a missing key is detected without reading another
/// key's memory. Entries come from blocks and are reused.
///
/// @par Cost   No allocation while keys come and go. Slots shrink with the number of keys; blocks
///   beyond kKeptEntries are freed when the table gets empty.
/// @par Thread safety   None.
template <class Key>
class KeyTable {
 public:
  using Entry = KeyEntry<Key>;

  KeyTable() : slots_(kMinSlots) {}
  ~KeyTable() {
    for (const Slot& slot : slots_) {
      if (slot.entry != nullptr) std::destroy_at(std::addressof(slot.entry->key));
    }
  }
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  std::size_t size() const { return size_; }

  /// Returns the entry of a key; null when there is none.
  Entry* find(const Key& key, std::size_t hash) const {
    for (std::size_t i = home(hash); slots_[i].entry != nullptr; i = after(i)) {
      if (slots_[i].hash == hash && slots_[i].entry->key == key) return slots_[i].entry;
    }
    return nullptr;
  }

  /// Requires that find() returns null.
  template <class K>
  Entry* insert(K&& key, std::size_t hash) {
    if ((size_ + 1) * 2 > slots_.size()) resize(slots_.size() * 2);
    if (free_ == nullptr) add_block();
    Entry* const entry = free_;
    std::construct_at(std::addressof(entry->key), std::forward<K>(key));  // may throw
    free_ = std::exchange(entry->next, nullptr);
    entry->hash = hash;
    place({hash, entry});
    ++size_;
    return entry;
  }

  /// Removes the entry and returns its key, for the caller to destroy.
  Key erase(Entry* entry) {
    std::size_t hole = home(entry->hash);
    while (slots_[hole].entry != entry) hole = after(hole);
    // Entries after the hole that it would separate from their home slot move into it.
    for (std::size_t i = after(hole); slots_[i].entry != nullptr; i = after(i)) {
      if (distance(home(slots_[i].hash), i) >= distance(hole, i)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole] = {};
    --size_;
    Key key = std::move(entry->key);
    std::destroy_at(std::addressof(entry->key));
    entry->dirty = entry->processing = false;
    entry->next = std::exchange(free_, entry);
    if (size_ == 0 && entries_ > kKeptEntries) drop_blocks();
    if (slots_.size() > kMinShrink && size_ < slots_.size() / 16) resize(slots_.size() / 4);
    return key;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    Entry* entry = nullptr;  // null: free
  };

  static constexpr std::size_t kMinSlots = 16;  // powers of two
  static constexpr std::size_t kMinShrink = 4096;
  static constexpr std::size_t kMaxBlock = 1024;  // entries
  static constexpr std::size_t kKeptEntries = 4096;

  // std::hash of an integer is the integer: the multiplication spreads it over the upper bits.
  std::size_t home(std::size_t hash) const { return (hash * 0x9e3779b97f4a7c15U) >> shift_; }
  std::size_t after(std::size_t index) const { return (index + 1) & (slots_.size() - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const {
    return (to - from) & (slots_.size() - 1);
  }

  void place(Slot slot) {
    std::size_t i = home(slot.hash);
    while (slots_[i].entry != nullptr) i = after(i);
    slots_[i] = slot;
  }

  void resize(std::size_t count) {
    std::vector<Slot> old(count);
    old.swap(slots_);
    shift_ = 64;
    for (std::size_t n = count; n > 1; n /= 2) --shift_;
    for (const Slot& slot : old) {
      if (slot.entry != nullptr) place(slot);
    }
  }

  void add_block() {
    const std::size_t count = std::clamp<std::size_t>(entries_, kMinSlots, kMaxBlock);
    blocks_.push_back(std::make_unique<Entry[]>(count));
    entries_ += count;
    for (std::size_t i = count; i-- > 0;) {
      blocks_.back()[i].next = std::exchange(free_, &blocks_.back()[i]);
    }
  }

  void drop_blocks() {
    free_ = nullptr;
    blocks_.clear();
    entries_ = 0;
  }

  static_assert(sizeof(std::size_t) == 8, "the spreading of hashes is made for 64 bits");

  std::vector<Slot> slots_;
  unsigned shift_ = 60;  // 64 - log2(slots)
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Entry[]>> blocks_;
  std::size_t entries_ = 0;  // of all blocks
  Entry* free_ = nullptr;
};

}  // namespace kube::detail
