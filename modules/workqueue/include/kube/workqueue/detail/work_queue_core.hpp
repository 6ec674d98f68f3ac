// SPDX-License-Identifier: Apache-2.0
//
// kube::detail::WorkQueueCore: the state of a work queue. Part of no public signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/caught.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/runtime.hpp>
#include <kube/workqueue/detail/key_table.hpp>
#include <kube/workqueue/detail/queue_metrics.hpp>
#include <kube/workqueue/work_queue_order.hpp>

namespace kube {

/// The keys of a work queue at one moment.
struct WorkQueueCounts {
  std::size_t queued = 0;   ///< Keys that wait to be taken.
  std::size_t in_work = 0;  ///< Keys that workers have.
};

}  // namespace kube

namespace kube::detail {

/// Invariants:
///   1. An entry is in the table while it is dirty, processing or both.
///   2. It waits to be taken (in the list, or in `order_`) if it is dirty and not processing.
///   3. While entries wait to be taken and a getter sleeps, a wake-up is under way (`waking_`).
///   4. Items point to their entries; while items are out, the core lives (`orphan()`).
template <class Key>
class WorkQueueCore : public std::enable_shared_from_this<WorkQueueCore<Key>> {
 public:
  using Entry = KeyEntry<Key>;

  WorkQueueCore(const std::string& name, const Runtime& runtime,
                std::shared_ptr<WorkQueueOrder<Key>> order)
      : clock_(runtime.executor ? runtime.executor->clock() : real_clock()),
        metrics_(QueueMetrics::create(name, runtime)),
        order_(std::move(order)) {}

  void start_metrics() {
    if (!metrics_) return;
    metrics_->start([weak = this->weak_from_this()] {
      const std::shared_ptr<WorkQueueCore> self = weak.lock();
      return self ? self->ages() : QueueMetrics::Ages{};
    });
  }

  template <class K>
  void add(K&& key) {
    const std::size_t hash = std::hash<Key>{}(key);
    const TimePoint now = metrics_ ? clock_->now() : TimePoint{};
    Signal signal;
    {
      MutexLock lock(mutex_);
      if (shutting_down_) return;
      Entry* entry = table_.find(key, hash);
      if (entry == nullptr) {
        entry = table_.insert(std::forward<K>(key), hash);
      } else if (entry->dirty) {
        if (!entry->processing && order_) order_->touch(entry->key);
        return;
      }
      entry->dirty = true;
      entry->since = now;
      ++dirty_;
      if (metrics_) metrics_->note_depth(dirty_);
      if (!entry->processing) signal = push(entry);
    }
    if (signal.wake_getter) ready_.notify_one();
    notify(signal.callback);
    if (metrics_) metrics_->added();
  }

  Entry* try_get() {
    MutexLock lock(mutex_);
    return take(lock);
  }

  Entry* get(std::stop_token stop) {
    Entry* entry = nullptr;
    bool wake_another = false;
    {
      MutexLock lock(mutex_);
      if (queued_ == 0 && !shutting_down_) {
        ++getters_;
        clock_->wait_until(lock, ready_, TimePoint::max(), std::move(stop),
                           [this]() KUBE_REQUIRES(mutex_) {
                             waking_ = false;  // this thread has woken
                             return queued_ != 0 || shutting_down_;
                           });
        --getters_;
        wake_another = queued_ > 1 && claim_wake_up();
      }
      entry = take(lock);
    }
    if (wake_another) ready_.notify_one();
    return entry;
  }

  /// The core may be destroyed once it releases its lock: a queue without items out may end.
  void done(Entry* entry) {
    std::optional<Key> forgotten;  // all destroyed without the lock
    std::shared_ptr<WorkQueueCore> self;
    std::shared_ptr<QueueMetrics> metrics;
    std::shared_ptr<const Callback> callback;
    TimePoint began{};
    TimePoint now{};
    {
      MutexLock lock(mutex_);
      if (metrics_) {
        metrics = metrics_;
        began = entry->taken_since;
        now = clock_->now();
      }
      entry->processing = false;
      unlink_processing(entry);
      if (entry->dirty) {
        Signal signal = push(entry);
        if (signal.wake_getter) ready_.notify_one();
        callback = std::move(signal.callback);
      } else {
        forgotten.emplace(table_.erase(entry));
      }
      if (--processing_ == 0) {
        if (draining_) drained_.notify_all();
        self = std::move(keep_alive_);
      }
    }
    notify(callback);
    if (metrics) metrics->done(now - began);
  }

  void on_ready(std::function<void()> function) {
    std::shared_ptr<const Callback> callback;
    if (function) callback = std::make_shared<const Callback>(std::move(function));
    std::shared_ptr<const Callback> old = callback;
    std::size_t calls = 0;
    {
      MutexLock lock(mutex_);
      on_ready_.swap(old);
      calls = queued_ + (shutting_down_ ? 1 : 0);
    }
    for (std::size_t i = 0; i < calls; ++i) notify(callback);
  }

  std::size_t len() const {
    MutexLock lock(mutex_);
    return queued_;
  }

  WorkQueueCounts counts() const {
    MutexLock lock(mutex_);
    return {queued_, processing_};
  }

  bool shutting_down() const {
    MutexLock lock(mutex_);
    return shutting_down_;
  }

  void shut_down() {
    std::shared_ptr<const Callback> callback;
    {
      MutexLock lock(mutex_);
      callback = close();
      ++drain_ticket_;
      drained_.notify_all();
    }
    if (metrics_) metrics_->stop();
    notify(callback);
  }

  /// Refuses keys, and returns the ticket for drain().
  std::uint64_t begin_drain() {
    std::shared_ptr<const Callback> callback;
    std::uint64_t ticket = 0;
    {
      MutexLock lock(mutex_);
      callback = close();
      ticket = drain_ticket_;
    }
    if (metrics_) metrics_->stop();
    notify(callback);
    return ticket;
  }

  bool drain(std::uint64_t ticket, std::stop_token stop) {
    MutexLock lock(mutex_);
    ++draining_;
    clock_->wait_until(lock, drained_, TimePoint::max(), std::move(stop),
                       [this, ticket]() KUBE_REQUIRES(mutex_) {
                         return processing_ == 0 || drain_ticket_ != ticket;
                       });
    --draining_;
    return processing_ == 0;
  }

  /// The queue is destroyed; the last item that is out destroys the core.
  void orphan() {
    shut_down();
    std::shared_ptr<const Callback> dropped;
    MutexLock lock(mutex_);
    dropped.swap(on_ready_);
    if (processing_ != 0) keep_alive_ = this->shared_from_this();
  }

  void retried() {
    if (metrics_) metrics_->retried();
  }

  const std::shared_ptr<Clock>& clock() const { return clock_; }

 private:
  using Callback = std::function<void()>;
  /// The waiters to notify, without the lock, when an entry waits to be taken.
  struct Signal {
    bool wake_getter = false;
    std::shared_ptr<const Callback> callback{};
  };

  static void notify(const std::shared_ptr<const Callback>& callback) {
    // What it throws is dropped, as on_ready() says: the queue itself has done its part.
    if (callback) static_cast<void>(caught(*callback));
  }

  Signal push(Entry* entry) KUBE_REQUIRES(mutex_) {
    if (order_) {
      order_->push(entry->key);
    } else {
      entry->next = nullptr;
      *(head_ == nullptr ? &head_ : &tail_->next) = entry;
      tail_ = entry;
    }
    ++queued_;
    return {claim_wake_up(), on_ready_};
  }

  /// Returns true when the caller must wake a getter. One wake-up is under way at a time, and a
  /// thread that wakes up to more than one entry wakes the next: waking a thread for each entry
  /// costs many times what an entry does, when one or two threads would have taken them all.
  bool claim_wake_up() KUBE_REQUIRES(mutex_) {
    return getters_ != 0 && !std::exchange(waking_, true);
  }

  Entry* pop() KUBE_REQUIRES(mutex_) {
    if (!order_) return std::exchange(head_, head_->next);
    const Key key = order_->pop();
    return table_.find(key, std::hash<Key>{}(key));
  }

  /// Returns null when there is nothing to take. Releases the lock.
  Entry* take(MutexLock& lock) KUBE_REQUIRES(mutex_) KUBE_NO_THREAD_SAFETY_ANALYSIS {
    if (queued_ == 0) return nullptr;
    Entry* const entry = pop();
    // The order returned a key that it did not have.
    if (entry == nullptr || !entry->dirty || entry->processing) return nullptr;
    --queued_;
    entry->dirty = false;
    --dirty_;
    entry->processing = true;
    ++processing_;
    link_processing(entry);
    if (!metrics_) return entry;
    const TimePoint now = clock_->now();
    const Duration waited = now - entry->since;
    entry->taken_since = now;
    metrics_->note_depth(dirty_);
    lock.unlock();
    metrics_->taken(waited);
    return entry;
  }

  // The entries in processing, oldest first.
  void link_processing(Entry* entry) KUBE_REQUIRES(mutex_) {
    entry->next = nullptr;
    entry->previous = newest_;
    *(newest_ == nullptr ? &oldest_ : &newest_->next) = entry;
    newest_ = entry;
  }
  void unlink_processing(Entry* entry) KUBE_REQUIRES(mutex_) {
    *(entry->previous == nullptr ? &oldest_ : &entry->previous->next) = entry->next;
    *(entry->next == nullptr ? &newest_ : &entry->next->previous) = entry->previous;
  }

  QueueMetrics::Ages ages() const {
    QueueMetrics::Ages ages;
    MutexLock lock(mutex_);
    const TimePoint now = clock_->now();
    for (const Entry* entry = oldest_; entry != nullptr; entry = entry->next) {
      ages.sum += now - entry->taken_since;
    }
    if (oldest_ != nullptr) ages.longest = now - oldest_->taken_since;
    return ages;
  }

  /// Returns the callback to call if this was the first shutdown.
  std::shared_ptr<const Callback> close() KUBE_REQUIRES(mutex_) {
    if (std::exchange(shutting_down_, true)) return nullptr;
    ready_.notify_all();
    return on_ready_;
  }

  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<QueueMetrics> metrics_;  // null: none

  mutable Mutex mutex_;
  KeyTable<Key> table_ KUBE_GUARDED_BY(mutex_);
  const std::shared_ptr<WorkQueueOrder<Key>> order_;  // null: the list
  Entry* head_ KUBE_GUARDED_BY(mutex_) = nullptr;
  Entry* tail_ KUBE_GUARDED_BY(mutex_) = nullptr;
  Entry* oldest_ KUBE_GUARDED_BY(mutex_) = nullptr;
  Entry* newest_ KUBE_GUARDED_BY(mutex_) = nullptr;
  std::size_t queued_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t dirty_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t processing_ KUBE_GUARDED_BY(mutex_) = 0;
  std::size_t getters_ KUBE_GUARDED_BY(mutex_) = 0;   // threads inside get() that sleep
  bool waking_ KUBE_GUARDED_BY(mutex_) = false;       // one of them was notified
  std::size_t draining_ KUBE_GUARDED_BY(mutex_) = 0;  // threads inside drain()
  bool shutting_down_ KUBE_GUARDED_BY(mutex_) = false;
  std::uint64_t drain_ticket_ KUBE_GUARDED_BY(mutex_) = 0;  // calls of shut_down()
  std::shared_ptr<const Callback> on_ready_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<WorkQueueCore> keep_alive_ KUBE_GUARDED_BY(mutex_);
  CondVar ready_;
  CondVar drained_;
};

}  // namespace kube::detail
