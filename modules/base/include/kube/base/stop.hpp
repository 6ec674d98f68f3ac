// SPDX-License-Identifier: Apache-2.0
//
// Combines stop tokens, and runs loops until a stop is requested (apimachinery's wait.Until and
// wait.Poll; docs/reference/informers-and-queues.md ch. 11).
//
//   // wait.PollUntilContextTimeout: asks every second, for five minutes at most.
//   const auto is_ready = [&]() -> Result<bool> {
//     auto deployment = deployments.get("front");
//     if (!deployment) return deployment.error();
//     return deployment->status.ready_replicas == 3;
//   };
//   Result<void> ready = poll_until(clock, {.interval = 1s, .timeout = 5min}, is_ready, stop);
//   if (!ready && is_interrupted(ready.error())) return;  // wait.Interrupted: timeout or stop
//
//   // wait.JitterUntil: runs sync() every minute, until `stop`.
//   run_every(clock, {.period = 1min, .jitter = 0.1}, sync, stop);
//
//   // wait.ExponentialBackoff: five attempts, after 1, 2, 4 and 8 seconds.
//   const Backoff delays({.initial = 1s, .jitter = 0});
//   Result<void> done = retry_with_backoff(clock, delays, 5, is_ready, stop);
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <list>
#include <stop_token>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube {

/// A stop source that also stops when any of the tokens added to it does.
///
/// @par Thread safety   All functions may be called from any thread. May be destroyed inside a stop
///   callback of its own token.
/// @par Cost   One allocation for a group and one for each token.
class StopGroup {
 public:
  StopGroup() = default;
  StopGroup(std::initializer_list<std::stop_token> parents) {
    for (const std::stop_token& parent : parents) add(parent);
  }
  StopGroup(const StopGroup&) = delete;
  StopGroup& operator=(const StopGroup&) = delete;

  /// Makes the group stop when `parent` does, at once if it already has.
  void add(const std::stop_token& parent);

  bool request_stop() { return source_.request_stop(); }
  bool stop_requested() const { return source_.stop_requested(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct StopSource {
    std::stop_source source;
    void operator()() const {
      // A copy, because the callback that holds this may be destroyed meanwhile.
      std::stop_source alive = source;
      alive.request_stop();
    }
  };

  std::stop_source source_;
  Mutex mutex_;
  std::list<std::stop_callback<StopSource>> links_ KUBE_GUARDED_BY(mutex_);
};

/// Waits until `stop` is requested.
/// @par Blocks   Until then; for ever when no stop is possible.
void wait_for_stop(std::stop_token stop);

/// True for Timeout and Cancelled, whatever context was added (wait.Interrupted).
bool is_interrupted(const Error& error);

struct RunEveryOptions {
  Duration period{};
  double jitter = 0;      ///< Lengthens each period by up to jitter * period; not for 0 or less.
  bool sliding = true;    ///< The period begins when f ends; when f begins otherwise.
  bool immediate = true;  ///< The first run is now; after a period otherwise.
  RandomSource random = default_random();
  /// Receives an exception that leaves f; the loop continues. Empty: it leaves run_every().
  std::function<void(std::exception_ptr)> on_exception{};
};

/// Runs f again and again until `stop` is requested; never when it was requested before (wait.Until
/// and its variants). Without `sliding`, a run that took longer than the period is followed by the
/// next one at once.
/// @par Blocks   Until `stop` is requested and f has returned.
void run_every(const std::shared_ptr<Clock>& clock, const RunEveryOptions& options,
               const std::function<void()>& f, std::stop_token stop);

struct PollOptions {
  Duration interval{};
  Duration timeout = Duration::max();  ///< For all attempts together; max: no timeout.
  bool immediate = true;  ///< The first attempt is now, even when stop was requested before.
  bool sliding = false;   ///< The interval begins when the condition returns; else when called.
};

/// Calls `condition` every interval until it returns true (wait.PollUntilContextTimeout and its
/// variants). It is not called again after the timeout or a stop.
///
/// @par Errors   Timeout, Cancelled when `stop` is requested, or the condition's error, which ends
///   the loop.
/// @par Blocks   Until `condition` returns true or one of these errors.
Result<void> poll_until(const std::shared_ptr<Clock>& clock, const PollOptions& options,
                        const std::function<Result<bool>()>& condition, std::stop_token stop = {});

/// Calls `condition` until it returns true, at most `steps` times, with the delays of `backoff` in
/// between (wait.ExponentialBackoffWithContext).
///
/// @par Errors   Timeout after `steps` calls, without a delay after the last; Cancelled when `stop`
///   is requested, also before the first call; or the condition's error, which ends the loop.
/// @par Blocks   Until `condition` returns true or one of these errors.
Result<void> retry_with_backoff(const std::shared_ptr<Clock>& clock, Backoff backoff, int steps,
                                const std::function<Result<bool>()>& condition,
                                std::stop_token stop = {});

}  // namespace kube
