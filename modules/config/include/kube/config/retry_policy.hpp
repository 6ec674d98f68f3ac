// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::RetryPolicy: which requests are sent again, how often, and after how long. That of a
// rest::Config is for all requests of its clients; a Request may have its own:
//
//     config.retry = {.max_retries = 3, .retry_writes = false};
//     request.retry({.max_retries = 0});
#pragma once

#include <chrono>

namespace kube::rest {

/// What is sent again after a failure, unless the failure is the last one that is allowed:
///   - A request that was refused with 429 or 5xx and a Retry-After, after that time. Not a write
///     after 502 or 504: what a gateway says does not tell whether the server carries it out.
///   - With a refusal_backoff, also one that was refused without a Retry-After: with 429, or a GET
///     with 5xx.
///   - A GET whose connection was lost, and a watch that has not begun in time.
/// Nothing else: a server that can't be reached is reported at once, and a write whose response is
/// missing may have been carried out. The defaults are client-go's, but for max_retry_after: it
/// waits for as long as the server asks. "Retry-After: 0", and a delay of 0 here, is obeyed once;
/// after that there are pauses of 0.1 s to 1 s.
///
/// The policy does not apply to what has begun: informers and RetryWatcher open a watch that broke
/// again by themselves.
///
/// One of a request replaces that of its Config as a whole: `{.max_retries = 1}` retries writes,
/// too, where the Config says retry_writes = false. RestRequest::max_retries() changes that member
/// alone.
/// @par Thread safety   A value.
struct RetryPolicy {
  int max_retries = 10;      ///< The maximum for one request; 0 or less: nothing is sent again.
  bool retry_writes = true;  ///< Whether other requests than GET and HEAD are sent again.
  /// Whether a GET is sent again whose connection was lost, or a watch that has not begun in time.
  bool retry_lost_connections = true;
  /// The maximum Retry-After that is obeyed. When the server asks for a longer delay, its response
  /// is the error; text and retry_after() of the error have the delay.
  std::chrono::seconds max_retry_after{60};
  /// The first delay after a refusal without a Retry-After; it doubles with each one, up to 30 s,
  /// and up to as much is added at random, so that many clients do not come back at once. 0: such a
  /// response is the error.
  std::chrono::milliseconds refusal_backoff{0};
  /// The time after which a GET whose connection was lost, or a watch that has not begun in time,
  /// is sent again; always the same, without jitter.
  std::chrono::milliseconds lost_connection_delay{1000};

  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

}  // namespace kube::rest
