// SPDX-License-Identifier: Apache-2.0
//
// kube::DelayingQueue: a WorkQueue to which keys can be added later.
#pragma once

#include <memory>
#include <utility>

#include <kube/workqueue/detail/delayed_keys.hpp>
#include <kube/workqueue/work_queue.hpp>

namespace kube {

/// A WorkQueue whose add_after() adds a key when a delay has passed.
///
/// @par Promises
///  [D1] A key that already waits comes at the earlier of the two times, and once.
///  [D2] Keys whose time has come are added in order of their times.
///  [D3] add() of a key that waits adds it now, and the waiting one still comes.
///  [D4] At shutdown the keys that wait are dropped.
/// @par Thread safety   As WorkQueue.
/// @par Cost   add_after() takes O(log n) of n waiting keys, and two allocations. One timer of the
///   executor, for the earliest key, whatever their number; no thread.
template <class Key>
class DelayingQueue : public WorkQueue<Key> {
 public:
  /// The runtime's executor is required: its clock and timers are used.
  using Options = typename WorkQueue<Key>::Options;

  explicit DelayingQueue(Options options)
      : WorkQueue<Key>(options),
        delayed_(
            std::make_shared<detail::DelayedKeys<Key>>(this->core(), options.runtime.executor)) {}
  ~DelayingQueue() override { delayed_->stop(); }

  /// Adds the key after `delay`, at once if that is 0 or less. Ignored after shutdown. Counts as a
  /// retry in the metrics.
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
  void on_shut_down() override { delayed_->stop(); }

 private:
  const std::shared_ptr<detail::DelayedKeys<Key>> delayed_;
};

}  // namespace kube
