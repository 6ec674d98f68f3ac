// SPDX-License-Identifier: Apache-2.0
//
// What keeps the cells of a long list without a count for each: the list takes a lease of its
// moment. What the store lets go of afterwards goes to the leases that need it: those that began
// after the store got the cell, and before it let it go. No other cell waits for a lease.
//
// Nobody waits for anybody. A cell is in the bag of the newest lease that needs it; a lease that
// ends looks for the next one for each cell of its bag.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "slot_blocks.hpp"

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

/// The leases of a store.
/// @par Thread safety   All functions may be called from any thread.
class CellLeases : public std::enable_shared_from_this<CellLeases> {
 public:
  CellLeases() = default;
  CellLeases(const CellLeases&) = delete;
  CellLeases& operator=(const CellLeases&) = delete;
  ~CellLeases();

  /// Returns a lease of all cells that this thread, which is pinned, has found in the store.
  CellLease begin();

  /// When the store gets a cell: what let_go() has to know. The cell is published after the call.
  std::uint32_t birth() const {
    // After that many leases, cells seem older than they are, which is safe.
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(
        moment_.load(std::memory_order_relaxed), std::numeric_limits<std::uint32_t>::max()));
  }
  /// Takes a reference of the store's to a cell that no pinned reader can find any more, and
  /// releases it when no lease needs the cell.
  void let_go(CellRef cell, std::uint32_t birth) {
    if (!slots_.empty()) keep(std::move(cell), birth);
  }
  /// Returns how many cells only leases hold. Walks over them: for tests, without other threads.
  std::size_t kept() const;

 private:
  struct Kept {
    CellRef cell;
    std::uint32_t birth;  // leases that began later may need it,
    std::uint64_t death;  // and those that began until then
    Kept* next = nullptr;
  };
  /// Used again by later leases; freed with the CellLeases.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> moment{0};  // of its lease; 0: none
    std::atomic<Kept*> bag{closed()};
    SlotPlace place{};
  };
  /// Stands for the bag of a slot without a lease. Never dereferenced.
  static Kept* closed();

  void end(Slot& slot);
  void keep(CellRef cell, std::uint32_t birth);
  /// Puts a cell into the bag of the newest lease that needs it, or releases it.
  void settle(std::unique_ptr<Kept> kept);
  Slot* needed_by(const Kept& kept) const;

  std::atomic<std::uint64_t> moment_{1};  // one more for each lease
  SlotBlocks<Slot> slots_;
};

}  // namespace kube::cache
