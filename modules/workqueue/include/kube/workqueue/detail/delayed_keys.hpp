// SPDX-License-Identifier: Apache-2.0
//
// kube::detail::DelayedKeys: the keys that wait until they are due. Part of no public signature.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/mutex.hpp>
#include <kube/workqueue/detail/work_queue_core.hpp>

namespace kube::detail {

/// Moves keys into a queue when they are due.
template <class Key>
class DelayedKeys : public std::enable_shared_from_this<DelayedKeys<Key>> {
 public:
  DelayedKeys(std::shared_ptr<WorkQueueCore<Key>> queue, std::shared_ptr<Executor> executor)
      : queue_(std::move(queue)), executor_(std::move(executor)) {}

  /// Calls the function with each key that is due and was added with a priority, before the key
  /// moves. To be set before the first add().
  void on_due(std::function<void(const Key& key, int priority)> function) {
    on_due_ = std::move(function);
  }

  /// A key that already waits has the highest of its priorities.
  void add(Key key, TimePoint when, std::optional<int> priority = {}) {
    {
      MutexLock lock(mutex_);
      if (stopped_) return;
      if (priority) {
        const auto [noted, is_first] = priorities_.try_emplace(key, *priority);
        if (!is_first) noted->second = std::max(noted->second, *priority);
      }
      const auto [known, is_new] = slots_.try_emplace(std::move(key), when, sequence_);
      if (!is_new) {
        if (known->second.first <= when) return;
        by_time_.erase(known->second);
        known->second = Slot{when, sequence_};
      }
      ++sequence_;
      by_time_.emplace(known->second, &known->first);
    }
    arm();
  }

  void stop() {
    Timer timer;  // all cancelled and destroyed without the lock
    std::map<Slot, const Key*> by_time;
    std::unordered_map<Key, Slot> slots;
    std::unordered_map<Key, int> priorities;
    MutexLock lock(mutex_);
    stopped_ = true;
    priorities.swap(priorities_);
    by_time.swap(by_time_);
    slots.swap(slots_);
    timer = std::exchange(timer_, Timer());
  }

 private:
  using Slot = std::pair<TimePoint, std::uint64_t>;  // ties in order of add()

  /// Ensures that a timer fires at the earliest time.
  void arm() {
    TimePoint when;
    std::uint64_t generation = 0;
    {
      MutexLock lock(mutex_);
      if (by_time_.empty() || firing_) return;  // fire() arms when it is done
      when = by_time_.begin()->first.first;
      if (when >= armed_for_) return;
      armed_for_ = when;
      generation = ++generation_;
    }
    Timer timer;
    const std::exception_ptr failure = caught([&] {
      timer = executor_->submit_at(when, [weak = this->weak_from_this()] {
        if (const std::shared_ptr<DelayedKeys> self = weak.lock()) self->fire();
      });
    });
    if (failure) {
      {
        MutexLock lock(mutex_);
        if (generation == generation_) armed_for_ = TimePoint::max();  // the next key arms again
      }
      std::rethrow_exception(failure);
    }
    Timer replaced;  // cancelled without the lock
    MutexLock lock(mutex_);
    // Otherwise another thread armed an earlier timer, or this one has fired.
    if (generation == generation_ && !stopped_) replaced = std::exchange(timer_, std::move(timer));
  }

  void fire() {
    {
      MutexLock lock(mutex_);
      if (firing_) return;  // a late timer: the thread that fires takes its keys too
      firing_ = true;
      armed_for_ = TimePoint::max();
      ++generation_;
    }
    // A key that can't be added (its hash throws, there is no memory) does not block the others.
    std::exception_ptr failure;
    bool more = true;
    while (more) {
      const std::exception_ptr thrown = caught([&] {
        std::optional<int> priority;
        std::optional<Key> key = take_due(priority);
        more = key.has_value();
        if (priority && on_due_) on_due_(*key, *priority);
        if (key) queue_->add(*std::move(key));
      });
      if (thrown) failure = thrown;
    }
    arm();
    if (failure) std::rethrow_exception(failure);  // for the executor to count
  }

  /// Returns the key that is due first; if there is none, this thread stops moving keys.
  std::optional<Key> take_due(std::optional<int>& priority) {
    const TimePoint now = executor_->clock()->now();
    MutexLock lock(mutex_);
    if (by_time_.empty() || by_time_.begin()->first.first > now) {
      firing_ = false;
      return std::nullopt;
    }
    const Key* const key = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    if (const auto noted = priorities_.find(*key); noted != priorities_.end()) {
      priority = noted->second;
      priorities_.erase(noted);
    }
    auto node = slots_.extract(*key);
    return std::move(node.key());
  }

  const std::shared_ptr<WorkQueueCore<Key>> queue_;
  const std::shared_ptr<Executor> executor_;
  std::function<void(const Key&, int)> on_due_;
  Mutex mutex_;
  std::unordered_map<Key, Slot> slots_ KUBE_GUARDED_BY(mutex_);
  std::map<Slot, const Key*> by_time_ KUBE_GUARDED_BY(mutex_);       // keys of slots_
  std::unordered_map<Key, int> priorities_ KUBE_GUARDED_BY(mutex_);  // of keys of slots_
  std::uint64_t sequence_ KUBE_GUARDED_BY(mutex_) = 0;
  Timer timer_ KUBE_GUARDED_BY(mutex_);
  TimePoint armed_for_ KUBE_GUARDED_BY(mutex_) = TimePoint::max();  // max: not armed
  std::uint64_t generation_ KUBE_GUARDED_BY(mutex_) = 0;            // of armed_for_
  bool firing_ KUBE_GUARDED_BY(mutex_) = false;                     // a thread is moving keys
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;
};

}  // namespace kube::detail
