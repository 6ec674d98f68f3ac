// SPDX-License-Identifier: Apache-2.0
//
// Decides which failed attempts are repeated, and when
// (docs/reference/clients-and-config.md ch. 4).
#pragma once

#include <optional>

#include <kube/base/backoff.hpp>
#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/config/retry_policy.hpp>

namespace kube {

/// The errors that a policy repeats for a caller, in addition to refusals with 429 and 5xx.
enum class RetryOn {
  Answers,         ///< No others.
  LostConnection,  ///< Connections that broke: safe for reads.
  LostOrTimeout,   ///< Also timeouts, but of credentials: for opening a watch.
};

/// Whether an established connection was lost, as transport::exchange_failure() says; false when no
/// connection was made.
bool is_connection_lost(const Error& error);

/// Whether the server may have got the request, though its response is missing.
bool may_be_carried_out(const Error& error);

/// The attempts of one request.
/// @par Thread safety   Not thread-safe.
class RequestRetries {
 public:
  RequestRetries(std::string_view method, const rest::RetryPolicy& policy, RetryOn on);

  /// Returns the delay before the next attempt; nullopt when the error is final.
  std::optional<Duration> next(const Error& error);
  int count() const { return retries_; }

  /// Returns the error for the caller. Its text has the error of the previous attempt when that is
  /// different, or the requested delay when it is too long.
  Error final_error(const Error& error) const;

  /// Returns the error for a caller whose deadline comes before the next attempt: the response that
  /// asks for one, else a Timeout without a context.
  Error out_of_time() const;

  /// Whether `error` would be retried if an attempt were left.
  bool is_retryable(const Error& error) const { return delay_for(error).has_value(); }

 private:
  std::optional<Duration> delay_for(const Error& error) const;

  bool reads_;
  rest::RetryPolicy policy_;
  RetryOn on_;
  int retries_ = 0;
  bool hurried_ = false;  // a delay of 0 was obeyed
  Backoff pauses_;
  Backoff refusal_pauses_;  // after refusals without a Retry-After
  std::optional<Error> previous_;
};

}  // namespace kube
