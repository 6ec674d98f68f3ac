// SPDX-License-Identifier: Apache-2.0
#include "retired.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <utility>

namespace kube::cache {
namespace {

struct LeftItem {
  RetiredItem item;
  LeftItem* next = nullptr;
};

// Of all stores: a reader of one holds up the others, too.
std::atomic<LeftItem*> left_items{nullptr};

void leave(LeftItem* item) {
  item->next = left_items.load(std::memory_order_relaxed);
  while (!left_items.compare_exchange_weak(item->next, item, std::memory_order_acq_rel,
                                           std::memory_order_relaxed)) {
  }
}

}  // namespace

void Retired::leave_to_readers() {
  for (; marked_ > 0; --marked_) {
    leave(new LeftItem{items_.front()});
    items_.pop_front();
  }
  free_left_to_readers();  // the readers may have ended meanwhile
}

bool is_left_to_readers() {
  return left_items.load(std::memory_order_relaxed) != nullptr;
}

// A reader ends, then looks here; who leaves something looks at the pins afterwards. Each changes
// left_items in between, if only to what it was: so the second one sees what the first one did.
void free_left_to_readers() {
  std::uint64_t waiting = 0;  // the oldest epoch of what was left again
  do {
    if (left_items.fetch_add(0, std::memory_order_acq_rel) == nullptr) return;
    LeftItem* items = left_items.exchange(nullptr, std::memory_order_acq_rel);
    const std::uint64_t oldest = epochs::oldest_pinned();
    waiting = std::numeric_limits<std::uint64_t>::max();
    while (items != nullptr) {
      std::unique_ptr<LeftItem> first(std::exchange(items, items->next));
      if (first->item.epoch < oldest) {
        first->item.destroy(first->item.object);
      } else {
        waiting = std::min(waiting, first->item.epoch);
        leave(first.release());
      }
    }
    // The others may have ended while this thread had the items.
  } while (waiting < epochs::oldest_pinned());
}

}  // namespace kube::cache
