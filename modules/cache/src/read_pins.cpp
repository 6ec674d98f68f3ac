// SPDX-License-Identifier: Apache-2.0
#include "read_pins.hpp"

#include <pthread.h>

#include <algorithm>
#include <limits>

namespace kube::cache::epochs {

std::atomic<std::uint64_t> current{1};
constinit thread_local ReaderSlot* slot_of_thread = nullptr;

namespace {

// Grows with the threads that read and live at the same time. It is never freed. That slots are
// taken in the order of all pins lets a writer see the slot of each pin that it must wait for.
constinit SlotBlocks<ReaderSlot> all_slots;

// Trivially destroyed, so that it can be read by whatever the thread destroys last.
constinit thread_local bool thread_ends = false;

/// Gives the thread's slot back when the thread ends; later reads take a slot for each pin.
struct SlotOwner {
  ReaderSlot* slot = nullptr;
  ~SlotOwner() {
    thread_ends = true;
    slot_of_thread = nullptr;
    if (slot != nullptr) slot->place.give_back();
  }
};
thread_local SlotOwner owner;

/// In the child of a fork, only the forking thread goes on.
void forget_other_threads() {
  all_slots.for_each_taken([](ReaderSlot& slot) {
    if (&slot == slot_of_thread) return;
    slot.pinned.store(kNotPinned, std::memory_order_relaxed);
    slot.depth = 0;
    slot.place.give_back();
  });
}

}  // namespace

ReaderSlot& take_slot() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, forget_other_threads);
  ReaderSlot& slot = all_slots.take();
  if (!thread_ends) {
    owner.slot = &slot;
    slot_of_thread = &slot;
  }
  return slot;
}

void leave_slot_at_exit(ReaderSlot& slot) {
  slot.place.give_back();
}

std::uint64_t oldest_pinned() {
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  all_slots.for_each_taken([&](const ReaderSlot& slot) {
    const std::uint64_t pinned = slot.pinned.load(std::memory_order_seq_cst);
    if (pinned != kNotPinned) oldest = std::min(oldest, pinned);
  });
  return oldest;
}

}  // namespace kube::cache::epochs
