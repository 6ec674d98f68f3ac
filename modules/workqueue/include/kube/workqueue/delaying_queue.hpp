// SPDX-License-Identifier: Apache-2.0
//
// kube::DelayingQueue: a WorkQueue to which keys can be added later.
#pragma once

#include <memory>
#include <utility>

#include <kube/workqueue/detail/delayed_keys.hpp>
#include <kube/workqueue/work_queue.hpp>

namespace kube {

/// A WorkQueue whose add_after() adds a key after a delay.
///
/// @par Promises
///  [D1] A key that already waits is added once, at the earlier of the two times.
///  [D2] Keys that are due are added in order of their times.
///  [D3] add() of a waiting key adds it now; the delayed add still happens.
///  [D4] shut_down() drops the keys that wait.
/// @par Thread safety   All functions may be called from any thread, as those of WorkQueue.
/// @par Cost   add_after() takes O(log n) for n waiting keys, and two allocations. One timer of the
///   executor for all keys; no thread.
template <class Key>
class DelayingQueue : public WorkQueue<Key> {
 public:
  /// The runtime's executor is required: the queue uses its clock and timers.
  using Options = typename WorkQueue<Key>::Options;

  explicit DelayingQueue(Options options)
      : WorkQueue<Key>(options),
        delayed_(
            std::make_shared<detail::DelayedKeys<Key>>(this->core(), options.runtime.executor)) {}
  ~DelayingQueue() override { delayed_->stop(); }

  /// Adds the key after `delay`, at once for 0 or less. Ignored after shutdown. Counts as a retry
  /// in the metrics.
  void add_after(Key key, Duration delay) {
    if (this->shutting_down()) return;
    this->core()->retried();
    if (delay <= Duration::zero()) {
      this->add(std::move(key));
    } else {
      delayed_->add(std::move(key), deadline_after(this->core()->clock()->now(), delay));
    }
  }

 protected:
  /// The keys that wait, for queues that add them with priorities.
  const std::shared_ptr<detail::DelayedKeys<Key>>& delayed() const { return delayed_; }
  void on_shut_down() override { delayed_->stop(); }

 private:
  const std::shared_ptr<detail::DelayedKeys<Key>> delayed_;
};

}  // namespace kube
