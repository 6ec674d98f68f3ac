// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::RetryWithDeadline: whether an error that comes again and again is still worth a
// retry (client-go's tools/cache/retry_with_deadline.go).
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>

namespace kube::cache {

/// Retries for at most a given time since the first of the errors that count. An error that comes a
/// reset period or more after the one before it is a first one again.
/// @par Thread safety   Not thread-safe: used by one thread at a time.
class RetryWithDeadline {
 public:
  /// `counts`: whether an error is one of those that are retried. A `longest` of 0 or less never
  /// retries.
  RetryWithDeadline(Duration longest, Duration reset_period, bool (*counts)(const Error&),
                    std::shared_ptr<Clock> clock)
      : longest_(longest), reset_period_(reset_period), counts_(counts), clock_(std::move(clock)) {}

  /// Records an error.
  void after(const Error& error) {
    if (!counts_(error)) return;
    const TimePoint now = clock_->now();
    if (last_ && now - *last_ >= reset_period_) first_.reset();
    if (!first_) first_ = now;
    last_ = now;
  }
  /// Whether to retry now. Once it returns false, the next error is a first one.
  bool should_retry() {
    if (longest_ <= Duration::zero()) return false;
    if (first_ && clock_->now() - *first_ <= longest_) return true;
    reset();
    return false;
  }
  void reset() {
    first_.reset();
    last_.reset();
  }

 private:
  const Duration longest_;
  const Duration reset_period_;
  bool (*const counts_)(const Error&);
  const std::shared_ptr<Clock> clock_;
  std::optional<TimePoint> first_;
  std::optional<TimePoint> last_;
};

}  // namespace kube::cache
