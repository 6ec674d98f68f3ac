// SPDX-License-Identifier: Apache-2.0
#include <kube/base/backoff.hpp>

#include <random>

namespace kube {
namespace {

/// Returns delay * factor; Duration::max() when that does not fit.
Duration scaled(Duration delay, double factor) {
  const double product = static_cast<double>(delay.count()) * factor;
  if (product >= static_cast<double>(Duration::max().count())) return Duration::max();
  return Duration(static_cast<Duration::rep>(product));
}

Duration saturating_sum(Duration a, Duration b) {
  return a > Duration::max() - b ? Duration::max() : a + b;
}

}  // namespace

RandomSource default_random() {
  return [] {
    thread_local std::mt19937_64 engine = [] {
      std::random_device device;
      std::seed_seq seed{device(), device(), device(), device()};
      return std::mt19937_64(seed);
    }();
    // Uses the upper 53 bits: every double of that precision in [0, 1), never 1 itself.
    return static_cast<double>(engine() >> 11) * 0x1.0p-53;
  };
}

Duration jittered(Duration delay, double factor, const RandomSource& random) {
  if (factor <= 0) factor = 1.0;
  return saturating_sum(delay, scaled(delay, random() * factor));
}

Backoff::Backoff(Options options, RandomSource random)
    : options_(options), random_(std::move(random)) {
  reset();
}

void Backoff::reset() {
  current_ = options_.initial;
  left_ = options_.steps;
}

Duration Backoff::next() {
  const Duration delay = current_;
  if (left_ > 0) {
    --left_;
    if (options_.factor != 0) {
      current_ = scaled(delay, options_.factor);
      if (options_.cap > Duration::zero() && current_ > options_.cap) {
        current_ = options_.cap;
        left_ = 0;
      }
    }
  }
  return options_.jitter > 0 ? jittered(delay, options_.jitter, random_) : delay;
}

namespace {

Backoff::Options options_for_window(Backoff::Options options, Duration reset_after) {
  if (options.factor > 0 && reset_after <= Duration::zero()) options.factor = 0;
  return options;
}

}  // namespace

BackoffWithReset::BackoffWithReset(Backoff::Options options, Duration reset_after,
                                   std::shared_ptr<Clock> clock, RandomSource random)
    : backoff_(options_for_window(options, reset_after), std::move(random)),
      reset_after_(options.factor > 0 ? reset_after : Duration::zero()),
      clock_(std::move(clock)),
      last_reset_(clock_->now()) {}

Duration BackoffWithReset::next() {
  if (reset_after_ > Duration::zero()) {
    const TimePoint now = clock_->now();
    if (now - last_reset_ > reset_after_) {
      backoff_.reset();
      last_reset_ = now;
    }
  }
  return backoff_.next();
}

}  // namespace kube
