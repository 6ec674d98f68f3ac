// SPDX-License-Identifier: Apache-2.0
//
// What a writer has replaced, until no reader can see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "read_pins.hpp"

namespace kube::cache {

/// Something that readers which were pinned at its epoch, or before, may still see.
struct RetiredItem {
  std::uint64_t epoch = 0;
  const void* object = nullptr;
  void (*destroy)(const void*) = nullptr;
};

/// Not thread-safe: belongs to the writer of a store.
class Retired {
 public:
  Retired() = default;
  Retired(const Retired&) = delete;
  Retired& operator=(const Retired&) = delete;
  ~Retired() {
    for (const RetiredItem& item : items_) item.destroy(item.object);
  }

  /// Takes what was unlinked and destroys it when no reader can see it any more.
  template <class T>
  void add(std::unique_ptr<T> object) {
    if (object == nullptr) return;
    items_.push_back({0, object.get(), [](const void* it) { delete static_cast<const T*>(it); }});
    static_cast<void>(object.release());
  }

  /// Marks what was added since the last call with the epoch in which it could still be seen.
  void mark(std::uint64_t epoch) {
    for (; marked_ < items_.size(); ++marked_) items_[marked_].epoch = epoch;
  }
  /// Destroys what was marked before the oldest epoch that is pinned.
  void free_before(std::uint64_t oldest) {
    while (marked_ > 0 && items_.front().epoch < oldest) {
      const RetiredItem item = items_.front();
      items_.pop_front();
      --marked_;
      item.destroy(item.object);
    }
  }
  /// Leaves what is marked to the readers that may see it: the last of them destroys it. For what
  /// is too large to wait for the next change of the store.
  void leave_to_readers();
  bool empty() const { return items_.empty(); }

 private:
  std::deque<RetiredItem> items_;
  std::size_t marked_ = 0;  // the first ones
};

/// Whether something may be left to readers.
/// @par Thread safety   Any thread.
bool is_left_to_readers();
/// Destroys what was left to readers, as far as no thread is pinned from before.
/// @par Thread safety   Any thread. Waits for nobody.
/// @par Cost   An atomic operation when nothing was left, which is nearly always.
void free_left_to_readers();

/// A ReadPin for queries of many objects: at its end, the thread frees what was left to it.
/// get() has a plain one. What it holds up waits for the next query of many, or the next change, of
/// any store.
class QueryPin {
 private:
  struct AtTheEnd {
    AtTheEnd() = default;
    AtTheEnd(const AtTheEnd&) = delete;
    AtTheEnd& operator=(const AtTheEnd&) = delete;
    ~AtTheEnd() { free_left_to_readers(); }
  } at_the_end_;
  ReadPin pin_;  // ends first
};

}  // namespace kube::cache
