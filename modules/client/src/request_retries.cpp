// SPDX-License-Identifier: Apache-2.0
//
// Decides which failed attempts are repeated, and when.
#include "request_retries.hpp"

#include <string>
#include <utility>

#include <kube/transport/exchange_failure.hpp>

#include "answer_text.hpp"

namespace kube {

bool is_connection_lost(const Error& error) {
  if (error.code() != ErrorCode::Unreachable) return false;
  const auto failure = transport::exchange_failure(error);
  return failure == transport::ExchangeFailure::LostBeforeRequest ||
         failure == transport::ExchangeFailure::LostAfterRequest;
}

bool may_be_carried_out(const Error& error) {
  const auto failure = transport::exchange_failure(error);
  if (!failure) return error.code() == ErrorCode::Timeout;
  return failure == transport::ExchangeFailure::LostAfterRequest ||
         failure == transport::ExchangeFailure::BadResponse;
}

RequestRetries::RequestRetries(std::string_view method, const rest::RetryPolicy& policy, RetryOn on)
    : reads_(method == "GET" || method == "HEAD"),
      policy_(policy),
      on_(on),
      pauses_(
          {.initial = std::chrono::milliseconds(100), .cap = std::chrono::seconds(1), .jitter = 0}),
      refusal_pauses_({.initial = policy.refusal_backoff}) {}

std::optional<Duration> RequestRetries::delay_for(const Error& error) const {
  if (error.code() == ErrorCode::Server) {
    constexpr int kTooManyRequests = 429;
    constexpr int kBadGateway = 502;
    constexpr int kGatewayTimeout = 504;
    const int status = error.http_status();
    const bool asked = status == kTooManyRequests || status >= 500;
    const bool by_gateway = status == kBadGateway || status == kGatewayTimeout;
    const bool repeatable = reads_ || (policy_.retry_writes && !by_gateway);
    if (asked && repeatable && error.retry_after() &&
        *error.retry_after() <= policy_.max_retry_after) {
      return *error.retry_after();
    }
    // 429 says that nothing was done; after a 5xx without a time a write may have been.
    const bool undone = reads_ || (policy_.retry_writes && status == kTooManyRequests);
    const bool backs_off = policy_.refusal_backoff > Duration::zero();
    if (asked && undone && backs_off && !error.retry_after()) return policy_.refusal_backoff;
    return std::nullopt;
  }
  const bool lost = on_ != RetryOn::Answers && is_connection_lost(error);
  const bool late = on_ == RetryOn::LostOrTimeout && error.code() == ErrorCode::Timeout &&
                    transport::exchange_failure(error) != transport::ExchangeFailure::NoCredentials;
  if (policy_.retry_lost_connections && (lost || late)) return policy_.lost_connection_delay;
  return std::nullopt;
}

std::optional<Duration> RequestRetries::next(const Error& error) {
  std::optional<Duration> delay = delay_for(error);
  if (!delay || retries_ >= policy_.max_retries) return std::nullopt;
  if (error.code() == ErrorCode::Server && !error.retry_after()) delay = refusal_pauses_.next();
  if (*delay <= Duration::zero() && std::exchange(hurried_, true)) delay = pauses_.next();
  ++retries_;
  previous_ = error;
  return delay;
}

Error RequestRetries::out_of_time() const {
  if (previous_ && previous_->retry_after()) {
    return reworded(*previous_, previous_->message() + "; the server asks for a retry after " +
                                    std::to_string(previous_->retry_after()->count()) +
                                    " s, and the deadline comes before");
  }
  return final_error(Error(ErrorCode::Timeout, "the deadline comes before the next attempt"));
}

Error RequestRetries::final_error(const Error& error) const {
  const std::chrono::seconds longest = policy_.max_retry_after;
  if (retries_ < policy_.max_retries && error.code() == ErrorCode::Server &&
      error.retry_after() > longest) {
    return reworded(error, error.message() + "; the server asks for a retry after " +
                               std::to_string(error.retry_after()->count()) +
                               " s, more than the maximum of " + std::to_string(longest.count()) +
                               " s");
  }
  // by text: what a message would say twice, it says once
  if (!previous_ || previous_->message() == error.message()) return error;
  return reworded(error,
                  error.message() + " - error from a previous attempt: " + previous_->message());
}

}  // namespace kube
