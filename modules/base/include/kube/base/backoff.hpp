// SPDX-License-Identifier: Apache-2.0
//
// kube::Backoff: growing delays between tries, as apimachinery's wait.Backoff counts them
// (docs/reference/informers-and-queues.md ch. 11).
#pragma once

#include <functional>
#include <limits>

#include <kube/base/clock.hpp>

namespace kube {

/// Returns a number in [0, 1), uniformly distributed. Injectable, so that a seed replays delays.
using RandomSource = std::function<double()>;

/// Returns a source that is seeded from the system once per thread; any thread may use it.
RandomSource default_random();

/// Returns delay plus up to factor * delay; a factor of 0 or less counts as 1 (apimachinery's
/// wait.Jitter).
Duration jittered(Duration delay, double factor, const RandomSource& random);

/// A sequence of growing delays. Copies continue independently.
///
/// The delay that reaches `cap` is the last one that grows. Jitter is added to the returned delay
/// and does not affect the next one; a negative jitter counts as 0.
/// @par Thread safety   A value: one thread at a time.
class Backoff {
 public:
  struct Options {
    Duration initial = std::chrono::milliseconds(800);
    Duration cap = std::chrono::seconds(30);      ///< 0: no cap.
    double factor = 2.0;                          ///< 0: the delay does not grow.
    double jitter = 1.0;                          ///< Adds up to jitter * delay.
    int steps = std::numeric_limits<int>::max();  ///< Growth stops after this many delays.
  };
  explicit Backoff(Options options, RandomSource random = default_random());

  /// Returns the delay before the next try.
  Duration next();
  /// Starts over with Options::initial and all steps.
  void reset();

 private:
  Options options_;
  RandomSource random_;
  Duration current_;
  int left_;  ///< Delays until growth stops.
};

/// A Backoff that starts over once more than `reset_after` has passed since its last reset, however
/// recently it was used. Construction counts as a reset. Reflectors use it.
///
/// With a `reset_after` of 0 or less the delay is always the initial one; with a factor of 0 or
/// less the delay neither grows nor is reset.
/// @par Thread safety   A value: one thread at a time.
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
