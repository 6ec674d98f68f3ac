// SPDX-License-Identifier: Apache-2.0
//
// kube::flowcontrol: when a client may send its next request, and how long it leaves a server alone
// that fails: client-go's util/flowcontrol (docs/reference/clients-and-config.md ch. 12).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube::flowcontrol {

/// A queue for requests. Clients that share one share its rate (rest::Config::rate_limiter).
/// @par Thread safety   All functions may be called from any thread.
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  /// Takes a token if there is one. Does not block.
  virtual bool try_accept() = 0;
  /// Waits for a token. Waiters get theirs in the order of their calls.
  /// @par Blocks   Until it is the caller's turn; nothing but stop() ends it earlier.
  virtual void accept() = 0;
  /// Waits for a token until `deadline`.
  /// @par Errors   Cancelled when `stop` is requested; Timeout, at once, when the token would come
  ///   after `deadline` or never.
  /// @par Blocks   Until it is the caller's turn, by the limiter's clock.
  virtual Result<void> wait_until(TimePoint deadline, std::stop_token stop) = 0;
  Result<void> wait(std::stop_token stop) { return wait_until(TimePoint::max(), std::move(stop)); }
  /// Ends what accept() waits for, where that would last for ever.
  virtual void stop() {}
  /// Returns the configured number of requests a second.
  virtual float qps() const = 0;
};

/// Returns a limiter that allows `burst` requests at once and `qps` a second in the long run.
std::shared_ptr<RateLimiter> token_bucket_rate_limiter(float qps, int burst,
                                                       std::shared_ptr<Clock> clock = real_clock());
/// Returns a limiter that never delays anything, for clients without a limit.
std::shared_ptr<RateLimiter> always_rate_limiter();
/// Returns a limiter that allows nothing, for tests: accept() blocks until stop().
std::shared_ptr<RateLimiter> never_rate_limiter();

/// Delays that double for each key that fails again and again, and that are forgotten after twice
/// the maximum without an event.
/// @par Thread safety   All functions may be called from any thread. The predicate and the random
///   source are called without a lock held.
class Backoff {
 public:
  /// Whether an entry that was last changed at `last_update` has no effect on an event.
  using HasExpired =
      std::function<bool(TimePoint event, TimePoint last_update, Duration max_duration)>;
  struct Options {
    Duration initial = std::chrono::seconds(1);
    Duration max = std::chrono::seconds(60);
    double jitter = 0;         ///< Adds up to jitter * delay.
    HasExpired has_expired{};  ///< Empty: more than 2 * max have passed.
  };
  explicit Backoff(Options options, std::shared_ptr<Clock> clock = real_clock(),
                   RandomSource random = default_random());

  /// Counts a failure: the delay of `id` doubles, up to Options::max. The first is
  /// Options::initial.
  void next(std::string_view id, TimePoint event);
  /// Returns the delay of `id`; 0 without an entry.
  Duration get(std::string_view id) const;
  /// Forgets the failures of `id`.
  void reset(std::string_view id);
  /// Whether less than the delay of `id` has passed since `event`.
  bool is_in_backoff_since(std::string_view id, TimePoint event) const;
  /// Whether `event` came less than the delay of `id` after the last next().
  bool is_in_backoff_since_update(std::string_view id, TimePoint event) const;
  /// Removes the entries that have expired. Call it now and then: they are kept otherwise.
  void gc();

 private:
  struct Entry {
    Duration delay{};
    TimePoint last_update{};
  };
  std::optional<Entry> find(std::string_view id) const;
  bool expired(TimePoint event, const Entry& entry) const;

  const Options options_;
  const std::shared_ptr<Clock> clock_;
  const RandomSource random_;
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::flowcontrol
