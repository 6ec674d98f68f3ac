// SPDX-License-Identifier: Apache-2.0
//
// Stop helpers: one stop token out of several, and the loops that run until asked to stop
// (apimachinery's wait.Until and wait.Poll; reference: informers-and-queues.md ch. 11).
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

/// A stop source that is also stopped by any of the tokens added to it: "the caller's or my own".
///
/// @par Thread safety   All functions may be called from any thread. May be destroyed from inside a
///   stop callback of its own token.
/// @par Cost            One allocation for a group and one for a token.
class StopGroup {
 public:
  StopGroup() = default;
  StopGroup(std::initializer_list<std::stop_token> parents) {
    for (const std::stop_token& parent : parents) add(parent);
  }
  StopGroup(const StopGroup&) = delete;
  StopGroup& operator=(const StopGroup&) = delete;

  /// The group stops when `parent` does; at once if that has happened.
  void add(const std::stop_token& parent);

  bool request_stop() { return source_.request_stop(); }
  bool stop_requested() const { return source_.stop_requested(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct StopSource {
    std::stop_source source;
    void operator()() const {
      std::stop_source alive =
          source;  // the callback, and this with it, may be destroyed meanwhile
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

/// True for Timeout and Cancelled, whatever context was added: the loops below, and what they call,
/// ended because time or their caller's patience did.
bool is_interrupted(const Error& error);

struct RunEveryOptions {
  Duration period{};
  double jitter = 0;      ///< Lengthens each period by up to jitter * period; 0 or less: not.
  bool sliding = true;    ///< The period begins when f ends; otherwise when f begins.
  bool immediate = true;  ///< The first run is now; otherwise after a period.
  RandomSource random = default_random();
  /// Told of an exception that leaves f, and the loop goes on. Empty: it leaves run_every().
  std::function<void(std::exception_ptr)> on_exception{};
};

/// Runs f over and over until `stop`; never when stop was requested before (wait.Until and kin).
/// With `sliding` off, a run that took longer than the period is followed at once by the next.
/// @par Blocks   Until `stop`; a period that has begun is not waited for then.
void run_every(const std::shared_ptr<Clock>& clock, const RunEveryOptions& options,
               const std::function<void()>& f, std::stop_token stop);

struct PollOptions {
  Duration interval{};
  Duration timeout = Duration::max();  ///< Of the whole; max: none.
  bool immediate = true;  ///< The first look is now, even if stop was requested before.
  bool sliding =
      false;  ///< The interval begins when the condition returned, not when it was asked.
};

/// Asks `condition` every interval until it says true (wait.PollUntilContextTimeout and kin).
/// After a wake-up by stop or timeout it is not asked again.
///
/// @par Errors   Timeout, Cancelled, or the condition's own error, which ends the loop.
/// @par Blocks   Until one of them.
Result<void> poll_until(const std::shared_ptr<Clock>& clock, const PollOptions& options,
                        const std::function<Result<bool>()>& condition, std::stop_token stop);

/// Asks `condition` until it says true, with `backoff`'s delays in between, at most `steps` times
/// (wait.ExponentialBackoffWithContext).
///
/// @par Errors   Timeout when the steps are used up (no delay after the last), Cancelled by `stop`,
///   also before the first attempt, or the condition's own error.
/// @par Blocks   Until one of them.
Result<void> retry_with_backoff(const std::shared_ptr<Clock>& clock, Backoff backoff, int steps,
                                const std::function<Result<bool>()>& condition,
                                std::stop_token stop);

}  // namespace kube
