// SPDX-License-Identifier: Apache-2.0
//
// kube::WorkQueue: keys that need work, each at most once, each in at most one worker.
//
//   WorkQueue<ObjectKey> queue({.name = "pods"});
//   queue.add(key);                        // any thread, any number of times
//   while (auto item = queue.get(stop)) {  // a worker
//     reconcile(item->key());
//   }  // the item's end is client-go's Done
//
// DelayingQueue adds keys later, RateLimitingQueue as late as a rate limiter says.
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

/// A key that a worker has taken. While it exists no other worker gets the same key; its end gives
/// the key back, and queues it again if it was added meanwhile. Movable, not copyable.
///
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
///  [W3] Keys are taken in the order in which they became ready, unless Options::order is given.
///  [W4] After shut_down() adds are ignored, and the keys that are queued are still handed out.
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
    /// Clock and metrics. The executor may be empty here: then time is real, and the two metrics
    /// that age while nothing happens (unfinished work, longest running) are not reported.
    Runtime runtime{};
    std::shared_ptr<WorkQueueOrder<Key>>
        order{};  ///< For one queue only. Empty: first in, first out.
  };

  WorkQueue() : WorkQueue(Options{}) {}
  explicit WorkQueue(Options options)
      : core_(std::make_shared<Core>(options.name, options.runtime, std::move(options.order))) {
    core_->start_metrics();
  }
  /// Shuts down. Nobody may be inside get() or shut_down_with_drain(); items may still be out.
  virtual ~WorkQueue() { core_->orphan(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Marks the key as needing work. Ignored while it is marked already, and after shutdown.
  void add(const Key& key) { core_->add(key); }
  void add(Key&& key) { core_->add(std::move(key)); }

  /// Takes the next key; empty when the queue is shut down and has no key left, or when `stop` was
  /// requested and no key is ready.
  /// @par Blocks   Until there is a key, shutdown or stop.
  [[nodiscard]] std::optional<WorkItem<Key>> get(std::stop_token stop) {
    return item(core_->get(std::move(stop)));
  }

  /// Takes the next key if there is one. Never blocks; with on_ready() it serves workers that are
  /// tasks of an executor instead of threads.
  [[nodiscard]] std::optional<WorkItem<Key>> try_get() { return item(core_->try_get()); }

  /// Calls `callback` each time a key becomes ready to be taken, when it is (somebody else may take
  /// it first), and once at shutdown. Replaces the callback before; an empty one removes it. Keys
  /// that are ready already, and a shutdown that has happened, are told inside this call.
  ///
  /// Called by the thread that adds, finishes an item or shuts down, without a lock held; from
  /// several threads at the same time. It should be short: submit a task. An exception that leaves
  /// it is dropped. It may still be running when this function or the destructor returns.
  void on_ready(std::function<void()> callback) { core_->on_ready(std::move(callback)); }

  /// Keys that wait to be taken: without those in work and those that are delayed.
  std::size_t len() const { return core_->len(); }

  /// Refuses further keys, wakes everyone who waits, and ends the wait of shut_down_with_drain().
  /// Idempotent.
  void shut_down() {
    core_->shut_down();
    on_shut_down();
  }

  /// Refuses further keys, then blocks until no item is in work. Keys that are queued but that
  /// nobody takes are not waited for. False when shut_down() or `stop` ended the wait.
  /// @pre The caller holds no item of this queue.
  bool shut_down_with_drain(std::stop_token stop) {
    const std::uint64_t ticket = core_->begin_drain();
    on_shut_down();
    return core_->drain(ticket, std::move(stop));
  }

  bool shutting_down() const { return core_->shutting_down(); }

 protected:
  using Core = detail::WorkQueueCore<Key>;

  /// What queues built on this one end with it.
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
