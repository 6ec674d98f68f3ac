// SPDX-License-Identifier: Apache-2.0
//
// Slots that threads take, use alone, and give back, and that another thread walks over: those that
// are taken. Slots that were many once and are idle now cost the walk a word for each 64.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace kube::cache {

/// Which slot of which block it is. A slot of SlotBlocks has it as its member `place`.
struct SlotPlace {
  std::atomic<std::uint64_t>* taken = nullptr;  ///< Of the block; null: in none.
  std::uint64_t bit = 0;

  /// Gives the slot back. What its user did before is seen by who takes it, or misses it, next.
  void give_back() const { taken->fetch_and(~bit, std::memory_order_release); }
};

/// Grows with the slots that are taken at the same time. Constant to initialise; frees nothing by
/// itself, so that it may be used by the threads that are left at the end of a program.
/// @par Thread safety   All functions but free_all() may be called from any thread.
template <class Slot>
class SlotBlocks {
 public:
  constexpr SlotBlocks() = default;
  SlotBlocks(const SlotBlocks&) = delete;
  SlotBlocks& operator=(const SlotBlocks&) = delete;
  ~SlotBlocks() = default;

  /// Whether no slot was ever taken.
  bool empty() const { return newest_.load(std::memory_order_acquire) == nullptr; }

  /// Takes a slot, as its last user has left it. Sequentially consistent: a walk that misses it
  /// comes before all that the caller does next in that order.
  Slot& take() {
    Block* newest = newest_.load(std::memory_order_acquire);
    for (Block* block = newest; block != nullptr; block = block->next) {
      if (Slot* slot = take(*block)) return *slot;
    }
    for (;;) {
      auto block = std::make_unique<Block>(newest);
      if (newest_.compare_exchange_strong(newest, block.get())) return block.release()->slots[0];
      if (Slot* slot = take(*newest)) return *slot;  // of the block of another thread
    }
  }

  /// Calls visit(slot) for each slot that is taken.
  template <class F>
  void for_each_taken(const F& visit) const {
    for (Block* block = newest_.load(); block != nullptr; block = block->next) {
      for (std::uint64_t taken = block->taken.load(); taken != 0; taken &= taken - 1) {
        visit(block->slots[static_cast<std::size_t>(std::countr_zero(taken))]);
      }
    }
  }

  /// Requires that no other thread uses the slots.
  void free_all() {
    Block* block = newest_.exchange(nullptr);
    while (block != nullptr) delete std::exchange(block, block->next);
  }

 private:
  /// The first one of all is small: most stores have few long lists at a time.
  struct Block {
    explicit Block(Block* next_in)
        : size(next_in == nullptr ? 8 : std::min<std::size_t>(64, next_in->size * 2)),
          slots(new Slot[size]),
          next(next_in) {
      for (std::size_t i = 0; i < size; ++i) slots[i].place = {&taken, std::uint64_t{1} << i};
    }
    std::atomic<std::uint64_t> taken{1};  // the first slot is the maker's
    const std::size_t size;
    const std::unique_ptr<Slot[]> slots;
    Block* const next;
  };

  static Slot* take(Block& block) {
    std::uint64_t taken = block.taken.load(std::memory_order_relaxed);
    for (;;) {
      const auto free = static_cast<std::size_t>(std::countr_one(taken));
      if (free >= block.size) return nullptr;
      Slot& slot = block.slots[free];
      if (block.taken.compare_exchange_weak(taken, taken | slot.place.bit)) return &slot;
    }
  }

  std::atomic<Block*> newest_{nullptr};
};

}  // namespace kube::cache
