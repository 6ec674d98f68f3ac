// SPDX-License-Identifier: Apache-2.0
//
// The attempts of one request: rate limit, backoff of the host, and retries, in client-go's order
// (docs/reference/clients-and-config.md ch. 4.3).
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/client/rest_client.hpp>

#include "request_retries.hpp"

namespace kube {

/// Call before() and after() around each attempt.
/// @par Thread safety   Not thread-safe.
class RequestAttempts {
 public:
  RequestAttempts(const RestClient& client, const Request& request, RetryOn on);

  /// Waits until the attempt may be sent: for the backoff, and before a retry for Retry-After and
  /// the rate limit, but not beyond `deadline` and Request::bound. Errors are final.
  Result<void> before(TimePoint deadline, const std::stop_token& stop);
  /// Records the outcome of an attempt, null for success with `status`. Returns whether another
  /// attempt follows.
  bool after(const Error* error, int status, std::string_view flow_schema = {});
  /// Returns how long the next attempt has to wait.
  Duration delay() const;
  /// Returns the error when the deadline comes before that.
  Error out_of_time() const;
  /// Waits for the rate limit, before the first before(): that wait is not part of the request's
  /// own time, but for Request::bound. Watches do not.
  Result<void> wait_for_rate_limit(const std::stop_token& stop);

  /// Starts a streaming attempt.
  std::shared_ptr<transport::Exchange> start(const Request& request,
                                             std::shared_ptr<transport::ResponseHandler> handler,
                                             std::stop_token stop) const {
    return client_.start_attempt(request, std::move(handler), {.is_retry = is_retry()},
                                 std::move(stop));
  }

  bool is_retry() const { return retries_.count() > 0; }
  const RequestRetries& retries() const { return retries_; }
  /// Returns the error for the caller, after the last attempt.
  Error final_error(const Error& error) const;
  /// Whether Request::bound has passed.
  bool is_over() const;
  /// Returns the deadline of Request::bound; the greatest time without one.
  TimePoint bound() const { return bound_ ? bound_->deadline : TimePoint::max(); }

 private:
  const RestClient client_;
  const std::string method_;
  const std::string url_;
  const std::string doing_;
  const std::shared_ptr<flowcontrol::RateLimiter> limiter_;  // null: no limit
  const std::shared_ptr<rest::BackoffManager> backoff_;
  const std::optional<CallBound> bound_;
  RequestRetries retries_;
  std::string reason_;  // of the retry that comes
  std::optional<Duration> delay_;
};

/// Returns a Timeout that `bound` has caused with its name, any other error as it is.
Error named_by(const std::optional<CallBound>& bound, const Error& error, Clock& clock);

/// Returns the time that is left, at least 1 ms.
std::chrono::milliseconds time_until(TimePoint deadline, Clock& clock);

/// Returns "verb subject", the context of a request's errors.
std::string what_request_does(const Request& request);

}  // namespace kube
