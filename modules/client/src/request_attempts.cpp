// SPDX-License-Identifier: Apache-2.0
#include "request_attempts.hpp"

#include <algorithm>

#include <kube/transport/url.hpp>

#include "answer_text.hpp"
#include "request_url.hpp"
#include "rest_client_impl.hpp"

namespace kube {
namespace {

std::string in_seconds(Duration duration) {
  return std::to_string(std::chrono::duration<double>(duration).count()) + "s";
}

// client-go's words, which people search logs for.
std::string retry_reason(int retries, const Error& error, Duration delay,
                         std::string_view flow_schema) {
  std::string text = "retries: " + std::to_string(retries) + ", retry-after: " +
                     go_duration(std::chrono::ceil<std::chrono::milliseconds>(delay)) +
                     " - retry-reason: ";
  if (error.http_status() == 429) {
    return text + "due to server-side throttling, FlowSchema UID: \"" + std::string(flow_schema) +
           "\"";
  }
  if (error.http_status() != 0) return text + std::to_string(error.http_status());
  return text + "due to retryable error, error: " + error.to_string();
}

// Adds the bound to a Timeout.
Error named(const std::optional<CallBound>& bound, const Error& error) {
  if (!bound || error.code() != ErrorCode::Timeout) return error;
  return reworded(
      error, "the call did not end within " +
                 go_duration(std::chrono::ceil<std::chrono::milliseconds>(bound->within)) + ": " +
                 error.message());
}

bool has_passed(const std::optional<CallBound>& bound, Clock& clock) {
  // A transport counts whole milliseconds.
  return bound && deadline_after(clock.now(), std::chrono::milliseconds(1)) >= bound->deadline;
}

}  // namespace

Error named_by(const std::optional<CallBound>& bound, const Error& error, Clock& clock) {
  return has_passed(bound, clock) ? named(bound, error) : error;
}

std::chrono::milliseconds time_until(TimePoint deadline, Clock& clock) {
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now()),
                  std::chrono::milliseconds(1));
}

std::string what_request_does(const Request& request) {
  const std::string& verb = request.verb.empty() ? request.method : request.verb;
  return verb + " " + (request.subject.empty() ? request.path : request.subject);
}

RequestAttempts::RequestAttempts(const RestClient& client, const Request& request, RetryOn on)
    : client_(client),
      method_(request.method),
      url_(client.url(request)),
      doing_(what_request_does(request)),
      limiter_(request.rate_limiter ? request.rate_limiter : client.impl_->limiter),
      backoff_(request.backoff ? request.backoff : client.impl_->backoff),
      bound_(request.bound),
      retries_(request.method, request.retry.value_or(client.config().retry), on) {}

Result<void> RequestAttempts::wait_for_rate_limit(const std::stop_token& stop) {
  if (!limiter_) return {};
  const RestClient::Impl& impl = *client_.impl_;
  Clock& clock = *impl.runtime.clock();
  const TimePoint started = clock.now();
  Result<void> waited = limiter_->wait_until(bound(), stop);
  const TimePoint now = clock.now();
  impl.metrics->rate_limited(method_, now - started);
  if (!waited) {
    // The caller's own stop needs no explanation.
    if (waited.error().code() == ErrorCode::Cancelled) return waited;
    return named(bound_,
                 Error(waited.error().code(),
                       "client rate limiter Wait returned an error: " + waited.error().message()));
  }
  if (const auto level = impl.throttle_log.level_of(now - started, now)) {
    KUBE_LOG(impl.runtime.logger, *level, "rest", "waited for our own rate limit",
             {"method", method_}, {"path", transport::printable_url(url_)},
             {"delay", in_seconds(now - started)}, {"reason", reason_});
  }
  return {};
}

Duration RequestAttempts::delay() const {
  return std::max(backoff_->calculate_backoff(url_), delay_.value_or(Duration::zero()));
}

// A response has its context.
Error RequestAttempts::out_of_time() const {
  const Error error = retries_.out_of_time();
  return error.code() == ErrorCode::Timeout ? error.with_context(doing_) : error;
}

Result<void> RequestAttempts::before(TimePoint deadline, const std::stop_token& stop) {
  Clock& clock = *client_.impl_->runtime.clock();
  const Duration delay = this->delay();
  const TimePoint next = deadline_after(clock.now(), delay);
  if (next >= bound()) {
    return named(bound_, retries_.final_error(Error(ErrorCode::Timeout,
                                                    "the deadline comes before the next attempt")))
        .with_context(doing_);
  }
  if (next >= deadline && delay > Duration::zero()) return out_of_time();
  if (backoff_->pause(clock, delay, stop) == WaitStatus::Stopped) {
    return retries_.final_error(Error(ErrorCode::Cancelled, "stopped while waiting to try again"))
        .with_context(doing_);
  }
  if (!delay_) return {};
  const Result<void> limited = wait_for_rate_limit(stop);
  if (!limited) return retries_.final_error(limited.error()).with_context(doing_);
  return {};
}

bool RequestAttempts::is_over() const {
  return has_passed(bound_, *client_.impl_->runtime.clock());
}

Error RequestAttempts::final_error(const Error& error) const {
  return named_by(bound_, retries_.final_error(error), *client_.impl_->runtime.clock());
}

bool RequestAttempts::after(const Error* error, int status, std::string_view flow_schema) {
  backoff_->update_backoff(url_, error != nullptr ? error->http_status() : status);
  if (error == nullptr) return false;
  delay_ = retries_.next(*error);
  if (!delay_) return false;
  reason_ = retry_reason(retries_.count(), *error, *delay_, flow_schema);
  KUBE_LOG(client_.impl_->runtime.logger, LogLevel::Debug, "rest", "request is tried again",
           {"attempt", std::to_string(retries_.count())}, {"delay", in_seconds(*delay_)},
           {"error", error->to_string()}, {"reason", reason_});
  return true;
}

}  // namespace kube
