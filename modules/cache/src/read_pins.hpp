// SPDX-License-Identifier: Apache-2.0
//
// What lets readers of a store go on without a lock: a reader pins an epoch while it looks, and
// writers free what they have replaced only when no reader is pinned from before.
//
// A pin costs one atomic exchange on memory of the thread's own. A reader that is descheduled while
// it is pinned delays the freeing of memory, and nothing else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "slot_blocks.hpp"

namespace kube::cache {

/// The epochs of the process, shared by all its stores.
namespace epochs {

inline constexpr std::uint64_t kNotPinned = 0;

/// Where one thread says that it reads. Never freed; a later thread takes it over.
struct alignas(64) ReaderSlot {
  std::atomic<std::uint64_t> pinned{kNotPinned};
  std::size_t depth = 0;  ///< Of pins; belongs to the thread.
  SlotPlace place{};
};

extern std::atomic<std::uint64_t> current;
/// The slot of this thread; null before its first pin and at its end.
extern constinit thread_local ReaderSlot* slot_of_thread;

/// Finds a slot for this thread.
ReaderSlot& take_slot();
/// Ends the use of a slot by a thread whose variables are destroyed already.
void leave_slot_at_exit(ReaderSlot& slot);

/// Begins a new epoch and returns the one before. What the caller has unlinked earlier can be seen
/// only by readers that are pinned at the returned epoch or before.
inline std::uint64_t advance() {
  return current.fetch_add(1, std::memory_order_seq_cst);
}
/// Returns the oldest epoch that a reader has pinned; the maximum if none has.
std::uint64_t oldest_pinned();

}  // namespace epochs

/// Keeps all that the thread finds in stores from being freed while it lives. May be nested.
class ReadPin {
 public:
  ReadPin() : slot_(epochs::slot_of_thread) {
    if (slot_ == nullptr) slot_ = &epochs::take_slot();
    if (slot_->depth++ != 0) return;
    // A writer that misses this store has begun a new epoch before it looked, and the second load
    // sees that epoch, and so all that was unlinked before it.
    slot_->pinned.exchange(epochs::current.load(std::memory_order_relaxed),
                           std::memory_order_seq_cst);
    static_cast<void>(epochs::current.load(std::memory_order_seq_cst));
  }
  ~ReadPin() {
    if (--slot_->depth != 0) return;
    slot_->pinned.store(epochs::kNotPinned, std::memory_order_release);
    if (epochs::slot_of_thread == nullptr) epochs::leave_slot_at_exit(*slot_);
  }
  ReadPin(const ReadPin&) = delete;
  ReadPin& operator=(const ReadPin&) = delete;

 private:
  epochs::ReaderSlot* slot_;
};

}  // namespace kube::cache
