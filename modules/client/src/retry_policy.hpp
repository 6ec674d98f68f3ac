// SPDX-License-Identifier: Apache-2.0
//
// Which failed attempts are worth another one, and when
// (docs/reference/clients-and-config.md ch. 4).
#pragma once

#include <optional>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>

namespace kube {

/// What a caller wants repeated besides 429 and 5xx with Retry-After.
enum class RetryOn {
  Answers,         ///< Nothing: only what the server asked to repeat.
  LostConnection,  ///< Connections that broke: harmless for reads.
  LostOrTimeout,   ///< And timeouts: for opening a watch.
};

/// True when a connection that existed went away; false for one that never came about.
bool is_connection_lost(const Error& error);

/// The attempts of one request. One owner.
class RetryPolicy {
 public:
  /// A server that asks for more than `longest` is not waited for.
  RetryPolicy(int max_retries, RetryOn on, std::chrono::seconds longest);

  /// How long to wait before the next attempt; nothing: the error is final. "Retry-After: 0" is
  /// obeyed once; after that there are pauses of 0.1 s to 1 s, however often it comes.
  std::optional<Duration> next(const Error& error);
  int retries() const { return retries_; }

  /// The error for the caller: with the one of the attempt before in its text, if that says more,
  /// or with the delay that was asked for and is too long.
  Error final_error(const Error& error) const;

  /// Whether `error` is one of those that a retry could have helped against, had there been one
  /// left.
  bool is_retryable(const Error& error) const { return delay_for(error).has_value(); }

 private:
  std::optional<Duration> delay_for(const Error& error) const;

  int left_;
  RetryOn on_;
  std::chrono::seconds longest_;
  int retries_ = 0;
  bool hurried_ = false;  // "at once" has been obeyed
  Backoff pauses_;
  std::optional<Error> previous_;
};

/// Waits `delay`; Cancelled when asked to stop, Timeout at once when the deadline would come first.
Result<void> wait_for_retry(Clock& clock, Duration delay, TimePoint deadline, std::stop_token stop);

}  // namespace kube
