// SPDX-License-Identifier: Apache-2.0
//
// kube::WorkQueue: keys that need work. Each is queued at most once, and at most one worker has it.
//
//   WorkQueue<ObjectKey> queue({.name = "pods"});
//   queue.add(key);                        // any thread, any number of times
//   while (auto item = queue.get(stop)) {  // a worker
//     reconcile(item->key());
//   }  // the item's end is client-go's Done
//
// DelayingQueue adds keys after a delay, RateLimitingQueue after the delay of a rate limiter.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/runtime.hpp>
#include <kube/workqueue/detail/work_queue_core.hpp>
#include <kube/workqueue/work_queue_order.hpp>

namespace kube {

/// A key that a worker has taken. While it exists no other worker gets the same key. Its destructor
/// returns the key, and queues it again if it was added meanwhile. Movable, not copyable.
///
/// @par Thread safety   One thread at a time, any thread.
/// @par Ownership   May outlive the queue.
template <class Key>
class [[nodiscard]] WorkItem {
 public:
  WorkItem(WorkItem&& other) noexcept
      : core_(std::exchange(other.core_, nullptr)), entry_(other.entry_) {}
  WorkItem& operator=(WorkItem&& other) noexcept {
    if (this != &other) {
      done();
      core_ = std::exchange(other.core_, nullptr);
      entry_ = other.entry_;
    }
    return *this;
  }
  ~WorkItem() { done(); }

  /// Valid until done(). Requires that done() was not called.
  const Key& key() const& { return entry_->key; }
  Key key() const&& { return entry_->key; }

  /// Ends the work now instead of at destruction. Idempotent.
  void done() {
    if (core_ != nullptr) std::exchange(core_, nullptr)->done(entry_);
  }

 private:
  using Core = detail::WorkQueueCore<Key>;
  template <class>
  friend class WorkQueue;
  WorkItem(Core* core, typename Core::Entry* entry) : core_(core), entry_(entry) {}

  Core* core_;
  typename Core::Entry* entry_;
};

/// client-go's work queue. Key is copyable, hashable by std::hash and comparable by ==.
///
/// @par Promises
///  [W1] Any number of adds before a key is taken cause one round of work.
///  [W2] A key is in at most one worker; an add during its work causes exactly one more round, and
///       it joins the end of the queue when that work is done.
///  [W3] Keys are taken in the order in which they became ready, unless Options::order is set.
///  [W4] After shut_down() adds are ignored; keys that are already queued can still be taken.
/// @par Thread safety   All functions may be called from any thread. The callback of on_ready() and
///   the metrics provider are called without a lock of the queue held; hash, ==, copy and
///   Options::order are called under it and must not use the queue.
/// @par Cost   One look-up in a hash table for an add, none to take and to finish. No allocation
///   while keys come and go, except what copying a Key takes.
template <class Key>
class WorkQueue {
 public:
  struct Options {
    std::string name{};  ///< The label of the metrics. Empty: no metrics.
    /// Clock and metrics. Without an executor the queue uses real_clock() and does not report the
    /// two metrics that change with time alone (unfinished work, longest running).
    Runtime runtime{};
    /// Must not be shared between queues. Empty: first in, first out.
    std::shared_ptr<WorkQueueOrder<Key>> order{};
  };

  WorkQueue() : WorkQueue(Options{}) {}
  explicit WorkQueue(Options options)
      : core_(std::make_shared<Core>(options.name, options.runtime, std::move(options.order))) {
    core_->start_metrics();
  }
  /// Shuts down. No thread may be inside get() or shut_down_with_drain(); items may exist.
  virtual ~WorkQueue() { core_->orphan(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Marks the key as needing work. Ignored when it is marked already, and after shutdown.
  void add(const Key& key) { core_->add(key); }
  void add(Key&& key) { core_->add(std::move(key)); }

  /// Takes the next key. Returns empty when the queue is shut down and has no key left, or when
  /// `stop` is requested and no key is ready.
  /// @par Blocks   Until there is a key, shutdown or stop.
  [[nodiscard]] std::optional<WorkItem<Key>> get(std::stop_token stop = {}) {
    return item(core_->get(std::move(stop)));
  }

  /// Takes the next key if there is one. Never blocks; with on_ready() it serves workers that are
  /// tasks of an executor instead of threads.
  [[nodiscard]] std::optional<WorkItem<Key>> try_get() { return item(core_->try_get()); }

  /// Sets a function that is called each time a key becomes ready to be taken (another worker may
  /// take it first), and once at shutdown. Replaces the previous one; an empty one removes it. For
  /// keys that are already ready, and for a past shutdown, it is called inside this function.
  ///
  /// It is called by threads that add a key, finish an item or shut down, several at a time,
  /// without a lock held. It should be short: submit a task. Its exceptions are dropped. It may
  /// still be running when this function or the destructor returns.
  void on_ready(std::function<void()> callback) { core_->on_ready(std::move(callback)); }

  /// Returns the number of keys that wait to be taken, without those in work and delayed ones.
  std::size_t len() const { return core_->len(); }
  /// Returns len() and the number of keys in work, of one moment: both are 0 when there is nothing
  /// to do.
  WorkQueueCounts counts() const { return core_->counts(); }

  /// Ignores adds from now on, wakes all threads in get() once the queue is empty, and ends the
  /// wait of shut_down_with_drain(). Idempotent; does not block.
  void shut_down() {
    core_->shut_down();
    on_shut_down();
  }

  /// Ignores adds from now on, then waits until no item is in work. It does not wait for queued
  /// keys that no worker takes. Returns false when shut_down() or `stop` ended the wait.
  /// @par Blocks   Until then.
  /// @pre The caller holds no item of this queue.
  bool shut_down_with_drain(std::stop_token stop = {}) {
    const std::uint64_t ticket = core_->begin_drain();
    on_shut_down();
    return core_->drain(ticket, std::move(stop));
  }

  bool shutting_down() const { return core_->shutting_down(); }

 protected:
  using Core = detail::WorkQueueCore<Key>;

  /// Called at shutdown, for derived queues.
  virtual void on_shut_down() {}
  const std::shared_ptr<Core>& core() const { return core_; }

 private:
  std::optional<WorkItem<Key>> item(typename Core::Entry* entry) {
    if (entry == nullptr) return std::nullopt;
    return WorkItem<Key>(core_.get(), entry);
  }

  const std::shared_ptr<Core> core_;
};

}  // namespace kube
