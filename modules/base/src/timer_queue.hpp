// SPDX-License-Identifier: Apache-2.0
//
// The pending timers of an executor, sorted by time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <kube/base/executor.hpp>

namespace kube::detail {

/// A timer. The executor owns all of it (its lock guards it, if it has one).
///
/// `task` is empty once it was taken to be run, or cancelled. A due timer that waits for its turn
/// among the ready tasks still holds its task, so that it can be cancelled until it starts.
struct TimerEntry {
  TimePoint when{};
  std::uint64_t sequence = 0;
  Task task;
};

/// Entries by time, then by order of submission.
class TimerQueue {
 public:
  void insert(std::shared_ptr<TimerEntry> entry) {
    entry->sequence = next_sequence_++;
    const Slot slot{entry->when, entry->sequence};
    entries_.emplace(slot, std::move(entry));
  }
  bool empty() const { return entries_.empty(); }
  /// Requires !empty().
  TimePoint earliest() const { return entries_.begin()->first.first; }

  /// Removes and returns the first entry if it is due.
  std::shared_ptr<TimerEntry> pop_due(TimePoint now) {
    if (entries_.empty() || earliest() > now) return nullptr;
    return std::move(entries_.extract(entries_.begin()).mapped());
  }

  /// Removes the task of a pending timer. The caller destroys it outside its lock.
  Task cancel(TimerEntry& entry) {
    entries_.erase(Slot{entry.when, entry.sequence});
    return std::exchange(entry.task, nullptr);
  }

  std::vector<Task> clear() {
    std::vector<Task> tasks;
    for (auto& [slot, entry] : entries_) tasks.push_back(std::exchange(entry->task, nullptr));
    entries_.clear();
    return tasks;
  }

 private:
  using Slot = std::pair<TimePoint, std::uint64_t>;
  std::map<Slot, std::shared_ptr<TimerEntry>> entries_;
  std::uint64_t next_sequence_ = 0;
};

/// The handle's side of a timer: outlives the executor without harm.
template <class Owner>
class ExecutorTimer final : public Timer::State, public TimerEntry {
 public:
  explicit ExecutorTimer(std::weak_ptr<Owner> owner) : owner_(std::move(owner)) {}
  void cancel() override {
    if (const std::shared_ptr<Owner> owner = owner_.lock()) owner->cancel(*this);
  }

 private:
  const std::weak_ptr<Owner> owner_;
};

/// A ready task, or a timer that is due.
struct ReadyTask {
  Task task;
  std::shared_ptr<TimerEntry> timer;

  /// Returns the task; empty for a timer that was cancelled.
  Task take() { return timer ? std::exchange(timer->task, nullptr) : std::move(task); }
};

}  // namespace kube::detail
