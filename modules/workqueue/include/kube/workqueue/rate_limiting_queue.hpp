// SPDX-License-Identifier: Apache-2.0
//
// kube::RateLimitingQueue: a DelayingQueue whose delays come from a rate limiter, for a program
// with workers of its own; kube::Controller has a queue inside.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <kube/workqueue/delaying_queue.hpp>
#include <kube/workqueue/rate_limiter.hpp>

namespace kube {

/// A DelayingQueue that asks a rate limiter for the delay of a key that failed.
///
///   if (failed) {
///     queue.add_rate_limited(item->key());
///   } else {
///     queue.forget(item->key());
///   }
///
/// @par Thread safety   All functions may be called from any thread, as those of WorkQueue.
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

  /// Counts a failure of the key and adds it after the limiter's delay. As in client-go there is no
  /// minimum: with a limiter that returns 0 a key that always fails is retried without pause (not
  /// in a Controller, see ReconcileResult::kMinDelay). An exception of the limiter leaves this
  /// function and the two below; then the key is not added.
  void add_rate_limited(Key key) {
    const Duration delay = delay_after_failure(key);
    this->add_after(std::move(key), delay);
  }

  /// Counts a failure of the key and returns the limiter's delay, for callers that add it
  /// themselves.
  Duration delay_after_failure(const Key& key) { return limiter_->when(key); }

  /// Forgets the key's failures. A waiting key is still added.
  void forget(const Key& key) { limiter_->forget(key); }

  /// Returns the number of failures of the key since it was last forgotten.
  int num_requeues(const Key& key) const { return limiter_->num_requeues(key); }

 private:
  const std::shared_ptr<RateLimiter<Key>> limiter_;
};

}  // namespace kube
