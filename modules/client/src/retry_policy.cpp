// SPDX-License-Identifier: Apache-2.0
//
// Decides which failed attempts are repeated, and when.
#include "retry_policy.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <kube/base/ascii.hpp>

#include "answer_text.hpp"

namespace kube {
// Transports report both cases as Unreachable; only the text shows whether there was a connection.
// In client-go, "probable EOF" is decided by the text too.
bool is_connection_lost(const Error& error) {
  if (error.code() != ErrorCode::Unreachable) return false;
  constexpr std::array<std::string_view, 13> kSigns = {
      "reset", "broken pipe", "eof",  "closed",       "goaway",         "empty reply",  "http/2",
      "http2", "was lost",    "died", "partial file", "receiving data", "sending data",
  };
  const std::string text = ascii::to_lower(error.message());
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

RetryPolicy::RetryPolicy(int max_retries, RetryOn on, std::chrono::seconds longest)
    : left_(max_retries),
      on_(on),
      longest_(longest),
      pauses_({.initial = std::chrono::milliseconds(100),
               .cap = std::chrono::seconds(1),
               .jitter = 0}) {}

std::optional<Duration> RetryPolicy::delay_for(const Error& error) const {
  if (error.code() == ErrorCode::Server) {
    const bool asked = error.http_status() == 429 || error.http_status() >= 500;
    if (asked && error.retry_after() && *error.retry_after() <= longest_) {
      return *error.retry_after();
    }
    return std::nullopt;
  }
  const bool lost = on_ != RetryOn::Answers && is_connection_lost(error);
  const bool late = on_ == RetryOn::LostOrTimeout && error.code() == ErrorCode::Timeout;
  if (lost || late) return std::chrono::seconds(1);
  return std::nullopt;
}

std::optional<Duration> RetryPolicy::next(const Error& error) {
  std::optional<Duration> delay = delay_for(error);
  if (!delay || left_ <= 0) return std::nullopt;
  if (*delay == Duration::zero() && std::exchange(hurried_, true)) delay = pauses_.next();
  --left_;
  ++retries_;
  previous_ = error;
  return delay;
}

Error RetryPolicy::final_error(const Error& error) const {
  if (left_ > 0 && error.code() == ErrorCode::Server && error.retry_after() > longest_) {
    return reworded(error, error.message() + "; the server asks for a retry after " +
                               std::to_string(error.retry_after()->count()) +
                               " s, more than the maximum of " + std::to_string(longest_.count()) +
                               " s");
  }
  if (!previous_ || previous_->message() == error.message()) return error;
  return reworded(error,
                  error.message() + " - error from a previous attempt: " + previous_->message());
}

Result<void> wait_for_retry(Clock& clock, Duration delay, TimePoint deadline,
                            std::stop_token stop) {
  const TimePoint until = clock.now() + delay;
  if (until >= deadline) {
    return Error(ErrorCode::Timeout, "the deadline comes before the next attempt");
  }
  if (clock.sleep_until(until, std::move(stop)) == WaitStatus::Stopped) {
    return Error(ErrorCode::Cancelled, "stopped while waiting to try again");
  }
  return {};
}

}  // namespace kube
