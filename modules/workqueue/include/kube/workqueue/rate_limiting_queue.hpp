// SPDX-License-Identifier: Apache-2.0
//
// kube::RateLimitingQueue: a DelayingQueue whose delays come from a rate limiter; what controllers
// use.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <kube/workqueue/delaying_queue.hpp>
#include <kube/workqueue/rate_limiter.hpp>

namespace kube {

/// A DelayingQueue that asks a rate limiter how long a key that failed has to wait.
///
///   if (failed) {
///     queue.add_rate_limited(item->key());
///   } else {
///     queue.forget(item->key());
///   }
///
/// @par Thread safety   As WorkQueue.
template <class Key>
class RateLimitingQueue : public DelayingQueue<Key> {
 public:
  struct Options {
    std::string name{};  ///< The label of the metrics. Empty: no metrics.
    Runtime runtime{};   ///< Its executor is required.
    std::shared_ptr<RateLimiter<Key>>
        rate_limiter{};                            ///< Empty: default_controller_rate_limiter().
    std::shared_ptr<WorkQueueOrder<Key>> order{};  ///< Empty: first in, first out.
  };

  explicit RateLimitingQueue(Options options)
      : DelayingQueue<Key>({options.name, options.runtime, options.order}),
        limiter_(options.rate_limiter
                     ? std::move(options.rate_limiter)
                     : default_controller_rate_limiter<Key>(options.runtime.clock())) {}

  /// Adds the key after the limiter's delay, and counts a failure of it. As in client-go there is
  /// no shortest delay: with a limiter that gives 0 a worker whose key always fails runs without
  /// pause (a Controller's does not, see ReconcileResult::min_delay). What the limiter throws
  /// reaches the caller, and the key is not added; the same holds for the two functions below.
  void add_rate_limited(Key key) {
    const Duration delay = limiter_->when(key);
    this->add_after(std::move(key), delay);
  }

  /// Forgets the key's failures. Does not touch the queue: a key that waits still comes.
  void forget(const Key& key) { limiter_->forget(key); }

  /// Failures of the key since it was last forgotten.
  int num_requeues(const Key& key) const { return limiter_->num_requeues(key); }

 private:
  const std::shared_ptr<RateLimiter<Key>> limiter_;
};

}  // namespace kube
