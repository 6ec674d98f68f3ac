// SPDX-License-Identifier: Apache-2.0
//
// kube::RateLimiter: the delay of a key that failed before its next attempt, and client-go's
// limiters. (kube::TokenBucket limits requests.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/token_bucket.hpp>

namespace kube {

/// Chooses the delays of keys that failed. Users may implement their own.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;

  /// Returns the delay before the key's next attempt. Counts the call as a failure of the key.
  virtual Duration when(const Key& key) = 0;

  /// Forgets the failures of a key that succeeded or was given up. Limiters that count per key grow
  /// with each key that is never forgotten.
  virtual void forget(const Key& key) = 0;

  /// Returns the number of failures of the key since it was last forgotten.
  virtual int num_requeues(const Key& key) const = 0;
};

namespace detail {

/// Counts failures per key.
template <class Key>
class FailureCounts {
 public:
  /// Counts a failure and returns the number before it.
  int increment(const Key& key) {
    MutexLock lock(mutex_);
    int& count = counts_[key];
    return count == std::numeric_limits<int>::max() ? count : count++;
  }
  void forget(const Key& key) {
    MutexLock lock(mutex_);
    counts_.erase(key);
  }
  int count(const Key& key) const {
    MutexLock lock(mutex_);
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  mutable Mutex mutex_;
  std::unordered_map<Key, int> counts_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace detail

/// Returns base * 2^failures, at most max.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class ItemExponentialFailureRateLimiter final : public RateLimiter<Key> {
 public:
  ItemExponentialFailureRateLimiter(Duration base, Duration max) : base_(base), max_(max) {}

  Duration when(const Key& key) override {
    const double delay = std::ldexp(static_cast<double>(base_.count()), failures_.increment(key));
    // Also at the limit: as a double, Duration::max() is 2^63, which no Duration holds.
    if (delay >= static_cast<double>(max_.count())) return max_;
    return Duration(static_cast<Duration::rep>(delay));
  }
  void forget(const Key& key) override { failures_.forget(key); }
  int num_requeues(const Key& key) const override { return failures_.count(key); }

 private:
  const Duration base_;
  const Duration max_;
  detail::FailureCounts<Key> failures_;
};

/// Returns `fast` for the first `max_fast_attempts` failures, then `slow`.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class ItemFastSlowRateLimiter final : public RateLimiter<Key> {
 public:
  ItemFastSlowRateLimiter(Duration fast, Duration slow, int max_fast_attempts)
      : fast_(fast), slow_(slow), max_fast_attempts_(max_fast_attempts) {}

  Duration when(const Key& key) override {
    return failures_.increment(key) < max_fast_attempts_ ? fast_ : slow_;
  }
  void forget(const Key& key) override { failures_.forget(key); }
  int num_requeues(const Key& key) const override { return failures_.count(key); }

 private:
  const Duration fast_;
  const Duration slow_;
  const int max_fast_attempts_;
  detail::FailureCounts<Key> failures_;
};

/// Takes one token of a bucket for each attempt, whatever the key. Tokens are reserved and never
/// returned, so that delays add up; limiters may share a bucket. With a bucket that never has a
/// token (burst below 1, or empty without refill) the delay is Duration::max(). It counts no
/// failures: num_requeues() is 0.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class BucketRateLimiter final : public RateLimiter<Key> {
 public:
  explicit BucketRateLimiter(std::shared_ptr<TokenBucket> bucket) : bucket_(std::move(bucket)) {}

  Duration when(const Key& /*key*/) override { return bucket_->reserve(); }
  void forget(const Key& /*key*/) override {}
  int num_requeues(const Key& /*key*/) const override { return 0; }

 private:
  const std::shared_ptr<TokenBucket> bucket_;
};

/// Returns the maximum delay and the maximum number of failures of several limiters. Every call is
/// passed to each of them.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class MaxOfRateLimiter final : public RateLimiter<Key> {
 public:
  explicit MaxOfRateLimiter(std::vector<std::shared_ptr<RateLimiter<Key>>> limiters)
      : limiters_(std::move(limiters)) {}

  Duration when(const Key& key) override {
    Duration longest{};
    for (const auto& limiter : limiters_) longest = std::max(longest, limiter->when(key));
    return longest;
  }
  void forget(const Key& key) override {
    for (const auto& limiter : limiters_) limiter->forget(key);
  }
  int num_requeues(const Key& key) const override {
    int highest = 0;
    for (const auto& limiter : limiters_) highest = std::max(highest, limiter->num_requeues(key));
    return highest;
  }

 private:
  const std::vector<std::shared_ptr<RateLimiter<Key>>> limiters_;
};

/// Returns another limiter's delay, at most `max`.
/// @par Thread safety   All functions may be called from any thread.
template <class Key>
class WithMaxWaitRateLimiter final : public RateLimiter<Key> {
 public:
  WithMaxWaitRateLimiter(std::shared_ptr<RateLimiter<Key>> limiter, Duration max)
      : limiter_(std::move(limiter)), max_(max) {}

  Duration when(const Key& key) override { return std::min(limiter_->when(key), max_); }
  void forget(const Key& key) override { limiter_->forget(key); }
  int num_requeues(const Key& key) const override { return limiter_->num_requeues(key); }

 private:
  const std::shared_ptr<RateLimiter<Key>> limiter_;
  const Duration max_;
};

/// Returns client-go's default for controllers: the longer of a delay per key from 5 ms doubling to
/// 1000 s, and an overall limit of 10 attempts a second with bursts of 100.
template <class Key>
std::shared_ptr<RateLimiter<Key>> default_controller_rate_limiter(
    std::shared_ptr<Clock> clock = real_clock()) {
  return std::make_shared<MaxOfRateLimiter<Key>>(std::vector<std::shared_ptr<RateLimiter<Key>>>{
      std::make_shared<ItemExponentialFailureRateLimiter<Key>>(std::chrono::milliseconds(5),
                                                               std::chrono::seconds(1000)),
      std::make_shared<BucketRateLimiter<Key>>(
          std::make_shared<TokenBucket>(10, 100, std::move(clock)))});
}

/// Returns a limiter per key from 1 ms doubling to 1000 s, without an overall limit.
template <class Key>
std::shared_ptr<RateLimiter<Key>> default_item_based_rate_limiter() {
  return std::make_shared<ItemExponentialFailureRateLimiter<Key>>(std::chrono::milliseconds(1),
                                                                  std::chrono::seconds(1000));
}

}  // namespace kube
