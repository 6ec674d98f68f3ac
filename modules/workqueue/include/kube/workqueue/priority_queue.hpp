// SPDX-License-Identifier: Apache-2.0
//
// kube::PriorityQueue: a rate limiting work queue whose keys have priorities (controller-runtime's
// priorityqueue). Keys of a higher priority are taken first.
//
//   PriorityQueue<ObjectKey> queue({.name = "pods", .runtime = runtime});
//   queue.add(key);                                // an event
//   queue.add(other, {.priority = kLowPriority});  // one of the initial list
//   while (auto item = queue.get(stop)) {
//     const bool failed = !reconcile(item->key());
//     if (failed) queue.add(item->key(), {.priority = item->priority(), .rate_limited = true});
//   }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/workqueue/rate_limiter.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>
#include <kube/workqueue/work_queue_order.hpp>

namespace kube {

/// The priority of work that can wait, as controller-runtime gives it to the objects of an initial
/// list. Other work has 0.
inline constexpr int kLowPriority = -100;

/// A key that a worker has taken, as WorkItem, with its priority.
///
/// @par Thread safety   One thread at a time, any thread.
/// @par Ownership   May outlive the queue.
template <class Key>
class [[nodiscard]] PriorityItem {
 public:
  PriorityItem(WorkItem<Key> item, int priority) : item_(std::move(item)), priority_(priority) {}

  /// Valid until done(). Requires that done() was not called.
  const Key& key() const& { return item_.key(); }
  Key key() const&& { return item_.key(); }
  /// The highest priority with which the key was added since it was last taken.
  int priority() const { return priority_; }
  /// Ends the work now instead of at destruction. Idempotent.
  void done() { item_.done(); }

 private:
  WorkItem<Key> item_;
  int priority_;
};

/// How PriorityQueue::add() adds a key.
struct PriorityAddOptions {
  int priority = 0;
  Duration after{};  ///< Adds the key after this time; at once for 0 or less.
  /// Counts a failure of the key, and adds it after the limiter's delay, or after `after` if that
  /// is more than 0 and sooner.
  bool rate_limited = false;
};

namespace detail {

/// Hands out the key with the highest priority first, among equal ones the one that has waited
/// longest.
///
/// The priorities of adds are noted before the queue has the keys: want() may be called by any
/// thread, and the next push() or touch() of the key takes what is wanted. A delayed add is noted
/// twice: by want_later() for the keys that are taken before it, and by want() when it is due.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class PriorityOrder final : public WorkQueueOrder<Key> {
 public:
  void want(const Key& key, int priority) {
    const MutexLock lock(mutex_);
    const auto [found, is_new] = wanted_.try_emplace(key, priority);
    if (!is_new) found->second = std::max(found->second, priority);
  }

  /// Notes the priority of a delayed add, which lifts a key that waits already.
  void want_later(const Key& key, int priority) {
    {
      const MutexLock lock(mutex_);
      const auto waiting = places_.find(key);
      if (waiting != places_.end()) return lift(waiting, priority);
    }
    want(key, priority);
  }

  void push(const Key& key) override {
    const MutexLock lock(mutex_);
    insert(key, {take_wanted(key).value_or(0), next_++});
  }

  void touch(const Key& key) override {
    const MutexLock lock(mutex_);
    const auto waiting = places_.find(key);
    const std::optional<int> priority = take_wanted(key);
    if (waiting != places_.end() && priority) lift(waiting, *priority);
  }

  Key pop() override {
    const MutexLock lock(mutex_);
    const auto first = queue_.begin();
    Key key = first->second;
    taken_.insert_or_assign(key, first->first.priority);
    queue_.erase(first);
    places_.erase(key);
    return key;
  }

  /// Returns the priority of a key that this thread has taken.
  int take_priority(const Key& key) {
    const MutexLock lock(mutex_);
    const auto found = taken_.find(key);
    if (found == taken_.end()) return 0;
    const int priority = found->second;
    taken_.erase(found);
    return priority;
  }

 private:
  struct Place {
    int priority = 0;
    std::uint64_t sequence = 0;
    bool operator<(const Place& other) const {
      if (priority != other.priority) return priority > other.priority;
      return sequence < other.sequence;
    }
  };

  /// Moves a waiting key forward, unless its priority is at least this one.
  void lift(typename std::unordered_map<Key, Place>::iterator waiting, int priority)
      KUBE_REQUIRES(mutex_) {
    if (waiting->second.priority >= priority) return;
    auto node = queue_.extract(waiting->second);
    node.key().priority = waiting->second.priority = priority;
    queue_.insert(std::move(node));
  }
  void insert(const Key& key, const Place& place) KUBE_REQUIRES(mutex_) {
    queue_.emplace(place, key);
    places_.insert_or_assign(key, place);
  }
  std::optional<int> take_wanted(const Key& key) KUBE_REQUIRES(mutex_) {
    const auto found = wanted_.find(key);
    if (found == wanted_.end()) return std::nullopt;
    const int priority = found->second;
    wanted_.erase(found);
    return priority;
  }

  Mutex mutex_;
  std::map<Place, Key> queue_ KUBE_GUARDED_BY(mutex_);
  std::unordered_map<Key, Place> places_ KUBE_GUARDED_BY(mutex_);  // of the keys of queue_
  std::unordered_map<Key, int> wanted_ KUBE_GUARDED_BY(mutex_);
  std::unordered_map<Key, int> taken_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t next_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace detail

/// What WorkQueue, DelayingQueue and RateLimitingQueue promise, except the order:
///
/// @par Promises
///  [P1] A key of a higher priority is taken before all keys of lower ones that are ready; keys of
///       one priority in the order in which they became ready.
///  [P2] A key has the highest priority with which it was added since it was last taken, also by an
///       add whose delay is not over. A higher priority moves a waiting key forward; a lower one
///       changes nothing.
///  [P3] A key that is taken before a delayed add of it is due comes again when that is due, with
///       the highest priority of the delayed adds, as if it were added then.
/// Keys of a low priority wait as long as there are others: with a constant load of these they are
/// not taken.
/// @par Thread safety   All functions may be called from any thread, as those of WorkQueue. Key is
///   copyable, hashable by std::hash and comparable by ==.
/// @par Cost   O(log n) for n waiting keys, and a few allocations, for an add and to take a key.
template <class Key>
class PriorityQueue {
 public:
  struct Options {
    std::string name{};  ///< The label of the metrics. Empty: no metrics.
    Runtime runtime{};   ///< Its executor is required.
    std::shared_ptr<RateLimiter<Key>>
        rate_limiter{};  ///< Empty: default_controller_rate_limiter().
  };

  explicit PriorityQueue(Options options)
      : queue_({.name = std::move(options.name),
                .runtime = std::move(options.runtime),
                .rate_limiter = std::move(options.rate_limiter),
                .order = order_},
               order_) {}

  /// Marks the key as needing work. Ignored after shutdown. An exception of the limiter leaves this
  /// function; then the key is not added.
  void add(const Key& key, const PriorityAddOptions& options = {}) {
    if (queue_.shutting_down()) return;
    Duration delay = options.after;
    if (options.rate_limited) {
      const Duration limited = queue_.delay_after_failure(key);
      if (delay <= Duration::zero() || limited < delay) delay = limited;
    }
    if (delay > Duration::zero()) {
      order_->want_later(key, options.priority);
      queue_.add_later(key, delay, options.priority);
    } else {
      order_->want(key, options.priority);
      queue_.add(key);
    }
  }

  /// As those of WorkQueue.
  [[nodiscard]] std::optional<PriorityItem<Key>> get(std::stop_token stop = {}) {
    return with_priority(queue_.get(std::move(stop)));
  }
  [[nodiscard]] std::optional<PriorityItem<Key>> try_get() {
    return with_priority(queue_.try_get());
  }
  void on_ready(std::function<void()> callback) { queue_.on_ready(std::move(callback)); }
  std::size_t len() const { return queue_.len(); }
  WorkQueueCounts counts() const { return queue_.counts(); }
  void shut_down() { queue_.shut_down(); }
  /// @par Blocks   As WorkQueue::shut_down_with_drain().
  bool shut_down_with_drain(std::stop_token stop = {}) {
    return queue_.shut_down_with_drain(std::move(stop));
  }
  bool shutting_down() const { return queue_.shutting_down(); }

  /// As those of RateLimitingQueue.
  void forget(const Key& key) { queue_.forget(key); }
  int num_requeues(const Key& key) const { return queue_.num_requeues(key); }

 private:
  /// A delayed add keeps its priority until it is due.
  class Queue final : public RateLimitingQueue<Key> {
   public:
    Queue(typename RateLimitingQueue<Key>::Options options,
          std::shared_ptr<detail::PriorityOrder<Key>> order)
        : RateLimitingQueue<Key>(std::move(options)) {
      this->delayed()->on_due(
          [order = std::move(order)](const Key& key, int priority) { order->want(key, priority); });
    }
    void add_later(const Key& key, Duration delay, int priority) {
      this->core()->retried();
      this->delayed()->add(key, deadline_after(this->core()->clock()->now(), delay), priority);
    }
  };

  std::optional<PriorityItem<Key>> with_priority(std::optional<WorkItem<Key>> item) {
    if (!item) return std::nullopt;
    const int priority = order_->take_priority(item->key());
    return PriorityItem<Key>(*std::move(item), priority);
  }

  const std::shared_ptr<detail::PriorityOrder<Key>> order_ =
      std::make_shared<detail::PriorityOrder<Key>>();
  Queue queue_;
};

}  // namespace kube
