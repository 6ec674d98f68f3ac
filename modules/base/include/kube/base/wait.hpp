// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a condition: apimachinery's util/wait (docs/reference/clients-and-config.md ch. 12).
//
// All functions may be called from any thread, and call the condition on it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/result.hpp>

namespace kube {

/// Whether the wait is over; an Error ends it too.
using WaitCondition = std::function<Result<bool>(const std::stop_token& stop)>;

/// Returns the error of a wait whose condition did not hold in time: Timeout, "timed out waiting
/// for the condition".
Error wait_timeout();
/// Whether a wait ended because of its limit or because it was stopped, not because of its
/// condition: Timeout or Cancelled.
bool is_wait_interrupted(const Error& error);

/// Calls the condition until it holds, at most Options::steps times, with the pauses of `backoff`
/// between two calls. The call that comes after the last pause is the last one.
/// @par Errors   Those of the condition. wait_timeout() after the last call; without any call for
///   fewer steps than one. Cancelled when `stop` is requested during a pause.
/// @par Blocks   While the condition does, and for the pauses.
Result<void> exponential_backoff(Clock& clock, const Backoff::Options& backoff,
                                 const WaitCondition& condition, const std::stop_token& stop,
                                 RandomSource random = default_random());

/// Calls the condition every `interval`, the first time at once when `immediate`, even if `stop` is
/// requested already; else after one interval.
/// @par Errors   Those of the condition; Cancelled when `stop` is requested.
/// @par Blocks   Until the condition holds or fails, or `stop` is requested.
Result<void> poll_until(Clock& clock, Duration interval, bool immediate,
                        const WaitCondition& condition, const std::stop_token& stop);

/// poll_until() for at most `timeout`.
/// @par Errors   As poll_until(); wait_timeout() when the time is over.
/// @par Blocks   As poll_until(), at most for `timeout` beside the condition's own time.
Result<void> poll_until_timeout(Clock& clock, Duration interval, Duration timeout, bool immediate,
                                const WaitCondition& condition, const std::stop_token& stop);

struct RepeatOptions {
  Duration period{};
  double jitter = 0;    ///< Adds up to jitter * period to each pause; 0 or less: none.
  bool sliding = true;  ///< The period begins when a run ends; else when it begins.
};

/// Runs `run` at once and then every period until `stop` is requested; not at all when it is
/// requested already. An exception of `run` is logged and passed on.
/// @par Blocks   Until `stop` is requested.
void repeat_until(Clock& clock, const RepeatOptions& options, const std::function<void()>& run,
                  const std::stop_token& stop, const std::shared_ptr<Logger>& logger = nullptr,
                  const RandomSource& random = default_random());

}  // namespace kube
