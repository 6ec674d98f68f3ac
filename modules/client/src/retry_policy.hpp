// SPDX-License-Identifier: Apache-2.0
//
// Decides which failed attempts are repeated, and when
// (docs/reference/clients-and-config.md ch. 4).
#pragma once

#include <optional>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>

namespace kube {

/// The errors that a caller wants to repeat, in addition to 429 and 5xx with Retry-After.
enum class RetryOn {
  Answers,         ///< No others.
  LostConnection,  ///< Connections that broke: safe for reads.
  LostOrTimeout,   ///< Also timeouts: for opening a watch.
};

/// Whether an established connection was lost, as transport::exchange_failure() says; false when no
/// connection was made.
bool is_connection_lost(const Error& error);

/// Whether the server may have got the request, though its response is missing.
bool may_be_carried_out(const Error& error);

/// The attempts of one request.
/// @par Thread safety   Not thread-safe.
class RetryPolicy {
 public:
  /// A Retry-After of more than `longest` is not obeyed. Requests of other methods than GET and
  /// HEAD are not repeated after a 502 or a 504: the server behind the gateway may be at work.
  RetryPolicy(std::string_view method, int max_retries, RetryOn on, std::chrono::seconds longest);

  /// Returns the delay before the next attempt; nullopt when the error is final. "Retry-After: 0"
  /// is obeyed once; after that there are pauses of 0.1 s to 1 s.
  std::optional<Duration> next(const Error& error);
  int retries() const { return retries_; }

  /// Returns the error for the caller. Its text has the error of the previous attempt when that is
  /// different, or the requested delay when it is too long.
  Error final_error(const Error& error) const;

  /// Whether `error` would be retried if an attempt were left.
  bool is_retryable(const Error& error) const { return delay_for(error).has_value(); }

 private:
  std::optional<Duration> delay_for(const Error& error) const;

  bool reads_;
  int left_;
  RetryOn on_;
  std::chrono::seconds longest_;
  int retries_ = 0;
  bool hurried_ = false;  // "Retry-After: 0" was obeyed
  Backoff pauses_;
  std::optional<Error> previous_;
};

}  // namespace kube
