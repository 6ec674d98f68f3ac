// SPDX-License-Identifier: Apache-2.0
#include <kube/base/token_bucket.hpp>

#include <algorithm>
#include <cmath>

namespace kube {

TokenBucket::TokenBucket(double qps, int burst, std::shared_ptr<Clock> clock)
    : qps_(std::max(qps, 0.0)),
      burst_(std::max(burst, 0)),
      clock_(std::move(clock)),
      tokens_(burst_),
      last_(clock_->now()) {}

void TokenBucket::refill(TimePoint now) {
  if (now > last_) {
    const std::chrono::duration<double> passed = now - last_;
    tokens_ = std::min(burst_, tokens_ + passed.count() * qps_);
    last_ = now;
  }
}

Duration TokenBucket::delay_of_next() const {
  if (burst_ < 1) return Duration::max();
  const double missing = 1.0 - tokens_;
  if (missing <= 0) return Duration::zero();
  const double nanoseconds = missing * 1e9 / qps_;  // infinite for a qps of 0
  if (!(nanoseconds < static_cast<double>(Duration::max().count()))) return Duration::max();
  return Duration(std::llround(nanoseconds));
}

bool TokenBucket::try_accept() {
  MutexLock lock(mutex_);
  refill(clock_->now());
  if (delay_of_next() > Duration::zero()) return false;
  tokens_ -= 1;
  return true;
}

Duration TokenBucket::reserve() {
  MutexLock lock(mutex_);
  refill(clock_->now());
  const Duration delay = delay_of_next();
  if (delay != Duration::max()) tokens_ -= 1;
  return delay;
}

void TokenBucket::give_back(double tokens) {
  MutexLock lock(mutex_);
  refill(clock_->now());
  tokens_ = std::min(burst_, tokens_ + std::max(tokens, 0.0));
}

Result<void> TokenBucket::wait_until(TimePoint deadline, std::stop_token stop) {
  if (stop.stop_requested()) {
    return Error(ErrorCode::Cancelled, "stopped before the rate limiter allowed the request");
  }
  TimePoint turn;
  {
    MutexLock lock(mutex_);
    const TimePoint now = clock_->now();
    refill(now);
    const Duration delay = delay_of_next();
    turn = deadline_after(now, delay);
    if (turn == TimePoint::max()) {
      return Error(ErrorCode::Timeout, "the rate limiter will never allow the request");
    }
    if (turn > deadline) {
      return Error(ErrorCode::Timeout,
                   "the rate limiter would allow the request only after the deadline");
    }
    tokens_ -= 1;
    if (delay == Duration::zero()) return {};
  }
  if (clock_->sleep_until(turn, std::move(stop)) == WaitStatus::TimedOut) return {};
  give_back(1);
  return Error(ErrorCode::Cancelled, "stopped while waiting for the rate limiter");
}

}  // namespace kube
