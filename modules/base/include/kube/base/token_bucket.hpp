// SPDX-License-Identifier: Apache-2.0
//
// kube::TokenBucket: allows `burst` at once, and at most `qps` a second in the long run.
#pragma once

#include <memory>
#include <stop_token>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube {

/// Starts full with `burst` tokens and refills continuously at `qps` a second, never above `burst`;
/// the semantics of client-go's flowcontrol (golang.org/x/time/rate).
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   A mutex and one reading of the clock.
class TokenBucket {
 public:
  /// A `qps` of 0 or less never refills; a `burst` below 1 never gives a token.
  TokenBucket(double qps, int burst, std::shared_ptr<Clock> clock = real_clock());

  /// Takes a token if there is one. Does not block.
  bool try_accept();

  /// Takes a token that may not exist yet, and returns how long the caller has to wait before it
  /// acts. Each reservation delays the next one. When there will never be a token, it takes none
  /// and returns Duration::max().
  Duration reserve();

  /// Returns tokens that were taken but not needed, up to `burst`.
  void give_back(double tokens);

  /// Waits for a token.
  /// @par Errors   Cancelled when `stop` is requested, Timeout when there never will be a token. No
  ///   token is taken in either case.
  /// @par Blocks   Until it is the caller's turn, by the bucket's clock.
  Result<void> wait(std::stop_token stop) { return wait_until(TimePoint::max(), std::move(stop)); }

  /// Waits for a token until `deadline`.
  /// @par Errors   Those of wait(); Timeout, at once, when the token would come after `deadline`.
  /// @par Blocks   As wait().
  Result<void> wait_until(TimePoint deadline, std::stop_token stop);

  double qps() const { return qps_; }

 private:
  void refill(TimePoint now) KUBE_REQUIRES(mutex_);
  Duration delay_of_next() const KUBE_REQUIRES(mutex_);

  const double qps_;
  const double burst_;
  const std::shared_ptr<Clock> clock_;
  Mutex mutex_;
  double tokens_ KUBE_GUARDED_BY(mutex_);  // below zero: reserved ahead of time
  TimePoint last_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
