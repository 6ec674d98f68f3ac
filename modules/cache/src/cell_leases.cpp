// SPDX-License-Identifier: Apache-2.0
#include "cell_leases.hpp"

#include <utility>

namespace kube::cache {

CellLeases::Kept* CellLeases::closed() {
  alignas(Kept) static char none = 0;
  return reinterpret_cast<Kept*>(&none);
}

CellLeases::~CellLeases() {
  // All leases have ended: each holds this.
  slots_.free_all();
}

// The writer lets go of what the caller has found only when the caller's pin has ended, so it sees
// this lease then. A cell that the caller has found was published before, and so its birth is
// before the moment.
CellLease CellLeases::begin() {
  Slot& slot = slots_.take();
  slot.bag.store(nullptr, std::memory_order_relaxed);
  slot.moment.store(moment_.fetch_add(1, std::memory_order_acq_rel) + 1, std::memory_order_release);
  const auto end_with = [leases = shared_from_this(), &slot](const void*) { leases->end(slot); };
  return CellLease(&slot, end_with);
}

void CellLeases::end(Slot& slot) {
  slot.moment.store(0, std::memory_order_release);
  Kept* kept = slot.bag.exchange(closed(), std::memory_order_acq_rel);
  slot.place.give_back();
  while (kept != nullptr) {
    std::unique_ptr<Kept> it(std::exchange(kept, kept->next));
    settle(std::move(it));
  }
}

void CellLeases::keep(CellRef cell, std::uint32_t birth) {
  const Kept asked{{}, birth, moment_.load(std::memory_order_acquire)};
  if (needed_by(asked) == nullptr) return;
  settle(std::make_unique<Kept>(Kept{std::move(cell), asked.birth, asked.death}));
}

CellLeases::Slot* CellLeases::needed_by(const Kept& kept) const {
  Slot* newest = nullptr;
  std::uint64_t found = 0;
  slots_.for_each_taken([&](Slot& slot) {
    const std::uint64_t moment = slot.moment.load(std::memory_order_acquire);
    if (kept.birth < moment && moment <= kept.death && found < moment) {
      newest = &slot;
      found = moment;
    }
  });
  return newest;
}

// The slot may have got another lease meanwhile. That one then hands the cell on when it ends: a
// cell is released only by who finds no lease that needs it.
void CellLeases::settle(std::unique_ptr<Kept> kept) {
  while (Slot* slot = needed_by(*kept)) {
    Kept* head = slot->bag.load(std::memory_order_relaxed);
    while (head != closed()) {
      kept->next = head;
      if (slot->bag.compare_exchange_weak(head, kept.get(), std::memory_order_release,
                                          std::memory_order_relaxed)) {
        static_cast<void>(kept.release());
        return;
      }
    }
  }
}

std::size_t CellLeases::kept() const {
  std::size_t count = 0;
  slots_.for_each_taken([&](const Slot& slot) {
    const Kept* kept = slot.bag.load(std::memory_order_acquire);
    for (; kept != nullptr && kept != closed(); kept = kept->next) ++count;
  });
  return count;
}

}  // namespace kube::cache
