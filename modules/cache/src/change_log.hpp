// SPDX-License-Identifier: Apache-2.0
//
// The latest changes of a store. A query of many objects looks at the tables while they change, and
// then takes back what the log says has changed since it began, so that it sees one state.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "cell_leases.hpp"

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

class ValueSet;

/// One step of a change: in a set of cells, or in the table of all.
struct ChangeRecord {
  std::atomic<ChangeRecord*> next{nullptr};
  ValueSet* where = nullptr;  ///< Null: the table of all cells.
  const Cell* old = nullptr;  ///< Null: added.
  const Cell* now = nullptr;  ///< Null: removed.
  // Of the table's step: the reference to `old`, and its birth for the leases.
  CellRef held{};
  std::uint32_t birth = 0;
  bool ends_change = false;
  // Of the last step of a change: the number of cells after it, and their bytes.
  std::size_t size = 0;
  std::size_t bytes = 0;
};

/// A change is a chain of records that starts with the table's. The writer plans the records, links
/// them all at once, carries them out, the table's last, and commits. An effect of a record is not
/// seen without the record.
/// @par Thread safety   A pinned thread may read committed(), and what follows it by `next`; the
///   other functions belong to the writer.
class ChangeLog {
 public:
  /// The leases must outlive the log.
  explicit ChangeLog(CellLeases& leases)
      : leases_(leases), oldest_(new ChangeRecord), last_(oldest_), committed_(oldest_) {
    oldest_->ends_change = true;
  }
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;
  ~ChangeLog() {
    free_chain(oldest_);
    free_chain(spare_);
    free_chain(planned_);
  }

  /// Returns the last step of the last change that is complete.
  const ChangeRecord* committed() const { return committed_.load(std::memory_order_acquire); }

  /// Plans a step of a change.
  void plan(ValueSet* where, const Cell* old, const Cell* now) {
    ChangeRecord* record = spare_;
    if (record == nullptr) {
      record = new ChangeRecord;
    } else {
      spare_ = record->next.load(std::memory_order_relaxed);
      --spares_;
      record->next.store(nullptr, std::memory_order_relaxed);
    }
    record->where = where;
    record->old = old;
    record->now = now;
    record->ends_change = false;
    if (planned_ == nullptr) {
      planned_ = record;
    } else {
      last_planned_->next.store(record, std::memory_order_relaxed);
    }
    last_planned_ = record;
  }
  /// Shows the planned records to readers, and returns the first. `held` keeps the old cell alive,
  /// which has this birth; `size` and `bytes` are those after the change.
  ChangeRecord* link(CellRef held, std::uint32_t birth, std::size_t size, std::size_t bytes) {
    ChangeRecord* first = std::exchange(planned_, nullptr);
    first->held = std::move(held);
    first->birth = birth;
    last_planned_->ends_change = true;
    last_planned_->size = size;
    last_planned_->bytes = bytes;
    last_->next.store(first, std::memory_order_release);
    last_ = last_planned_;
    return first;
  }
  void commit() { committed_.store(last_, std::memory_order_release); }

  /// Sets the number of cells and their bytes of a log that no reader has.
  void start(std::size_t size, std::size_t bytes) {
    last_->size = size;
    last_->bytes = bytes;
  }

  /// Marks the changes since the last call with the epoch in which readers could still begin before
  /// them.
  void mark(std::uint64_t epoch) {
    const ChangeRecord* marked = marks_.empty() ? oldest_ : marks_.back().upto;
    if (marked != last_) marks_.push_back({epoch, last_});
  }
  /// Forgets the changes that were marked before the oldest epoch that is pinned.
  void free_before(std::uint64_t oldest) {
    while (!marks_.empty() && marks_.front().epoch < oldest) {
      ChangeRecord* const upto = marks_.front().upto;
      marks_.pop_front();
      // The last record stays, for readers who begin there.
      while (oldest_ != upto) {
        ChangeRecord* const record = oldest_;
        oldest_ = record->next.load(std::memory_order_relaxed);
        let_go(*oldest_);
        put_aside(record);
      }
    }
  }

  /// Records that wait to be used again: at most so many, since one long query lets many pile up.
  static constexpr std::size_t kMaxSpares = 1024;
  std::size_t spares() const { return spares_; }

 private:
  struct Mark {
    std::uint64_t epoch;
    ChangeRecord* upto;
  };
  void let_go(ChangeRecord& record) {
    if (record.held) leases_.let_go(std::move(record.held), record.birth);
  }
  void put_aside(ChangeRecord* record) {
    if (spares_ >= kMaxSpares) {
      delete record;
      return;
    }
    record->next.store(spare_, std::memory_order_relaxed);
    spare_ = record;
    ++spares_;
  }
  void free_chain(ChangeRecord* record) {
    while (record != nullptr) {
      ChangeRecord* const next = record->next.load(std::memory_order_relaxed);
      let_go(*record);
      delete record;
      record = next;
    }
  }

  CellLeases& leases_;
  ChangeRecord* oldest_;
  ChangeRecord* last_;                    // linked
  ChangeRecord* planned_ = nullptr;       // not linked yet
  ChangeRecord* last_planned_ = nullptr;  // valid while planned_ is set
  ChangeRecord* spare_ = nullptr;         // to be used again
  std::size_t spares_ = 0;
  std::deque<Mark> marks_;
  alignas(64) std::atomic<ChangeRecord*> committed_;
};

}  // namespace kube::cache
