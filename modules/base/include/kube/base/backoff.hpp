// SPDX-License-Identifier: Apache-2.0
//
// kube::Backoff: growing delays between tries, as apimachinery's wait.Backoff counts them
// (reference: informers-and-queues.md ch. 11).
#pragma once

#include <functional>
#include <limits>

#include <kube/base/clock.hpp>

namespace kube {

/// Uniform in [0, 1). Injectable, so that a seed replays every delay.
using RandomSource = std::function<double()>;

/// Seeded from the system once per thread.
RandomSource default_random();

/// The next delays. A value: copies go on independently.
class Backoff {
 public:
  struct Options {
    Duration initial = std::chrono::milliseconds(800);
    Duration cap = std::chrono::seconds(30);  ///< 0: none.
    double factor = 2.0;                      ///< 0: the delay does not grow.
    double jitter = 1.0;                      ///< Adds up to jitter * delay.
    int steps = std::numeric_limits<int>::max();  ///< Growth stops after so many delays.
  };
  explicit Backoff(Options options, RandomSource random = default_random());

  /// The delay before the next try.
  Duration next();
  void reset();

 private:
  Options options_;
  RandomSource random_;
  Duration current_;
  int left_;
};

/// A Backoff that starts over once `reset_after` has passed since its last reset (fixed window, not
/// since the last use), as a reflector's does.
class BackoffWithReset {
 public:
  BackoffWithReset(Backoff::Options options, Duration reset_after, std::shared_ptr<Clock> clock,
                   RandomSource random = default_random());
  Duration next();

 private:
  Backoff backoff_;
  Duration reset_after_;
  std::shared_ptr<Clock> clock_;
  TimePoint last_reset_;
};

}  // namespace kube
