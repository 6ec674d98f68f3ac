// SPDX-License-Identifier: Apache-2.0
//
// Handles the response of one attempt: refusals, warnings, metrics.
#include "attempt_handler.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include <kube/base/printable.hpp>
#include <kube/meta/errors.hpp>
#include <kube/transport/no_waiting.hpp>

#include "answer_text.hpp"
#include "request_retries.hpp"
#include "retry_after.hpp"
#include "shared_mapper.hpp"

namespace kube {
namespace {

// A Status with many causes is long; a longer body is not a Status.
constexpr std::size_t kRefusalLimit = std::size_t{1} << 20;
constexpr std::chrono::seconds kRefusalPatience{10};

}  // namespace

AttemptHandler::AttemptHandler(Attempt attempt,
                               std::shared_ptr<transport::ResponseHandler> receiver,
                               const std::stop_token& stop)
    : attempt_(std::move(attempt)),
      receiver_(std::move(receiver)),
      started_(attempt_.clock->now()),
      stop_{stop} {}

void AttemptHandler::on_head(transport::ResponseHead head) {
  const transport::NoWaiting handles_responses;
  status_ = head.status;
  attempt_.metrics->attempt(attempt_.method, status_, attempt_.is_retry);
  hand_out_warnings(head.headers);
  constexpr int kSwitchingProtocols = 101;
  refused_ =
      (status_ < 200 || status_ > attempt_.greatest_success) && status_ != kSwitchingProtocols;
  if (!refused_) {
    receiver_->on_head(std::move(head));
    return;
  }
  headers_ = std::move(head.headers);
  if (const auto executor = attempt_.executor.lock()) {
    Timer patience = executor->submit_after(kRefusalPatience, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->enough();
    });
    const MutexLock lock(mutex_);
    patience_ = std::move(patience);
  }
}

transport::Flow AttemptHandler::on_data(std::string_view chunk) {
  const transport::NoWaiting handles_responses;
  if (!refused_) return receiver_->on_data(chunk);
  body_.append(chunk.substr(0, kRefusalLimit - body_.size()));
  if (body_.size() == kRefusalLimit) enough();
  return transport::Flow::Continue;
}

std::string AttemptHandler::flow_schema() const {
  return std::string(headers_.find("X-Kubernetes-PF-FlowSchema-UID").value_or(""));
}

void AttemptHandler::enough() {
  enough_ = true;
  stop_.request_stop();
}

void AttemptHandler::on_written() {
  const transport::NoWaiting handles_responses;
  receiver_->on_written();
}

void AttemptHandler::on_end(Result<void> result) {
  const transport::NoWaiting handles_responses;
  {
    Timer patience;
    const MutexLock lock(mutex_);
    patience = std::move(patience_);
  }
  const Duration taken = attempt_.clock->now() - started_;
  if (status_ == 0) attempt_.metrics->attempt(attempt_.method, 0, attempt_.is_retry);
  if (attempt_.is_request) attempt_.metrics->request(attempt_.method, taken);
  // A truncated refusal is still a refusal; only a stop request of the caller takes precedence.
  const bool cancelled = !result && result.error().code() == ErrorCode::Cancelled && !enough_;
  if (refused_ && !cancelled) {
    result = refusal();
    if (attempt_.not_served) {
      auto missing = not_served_by(result.error(), attempt_.resource, attempt_.path);
      if (missing) attempt_.not_served->add(*std::move(missing));
    }
  } else if (!result) {
    result = failure(result.error());
  }
  KUBE_LOG(attempt_.logger, LogLevel::Debug, "rest", "request done", {"method", attempt_.method},
           {"url", attempt_.url}, {"status", std::to_string(status_)},
           {"duration", std::to_string(std::chrono::duration<double>(taken).count()) + "s"},
           {"error", result ? std::string() : result.error().to_string()});
  receiver_->on_end(std::move(result).with_context(attempt_.doing));
}

Error AttemptHandler::refusal() const {
  const auto delay = retry_after(headers_, attempt_.clock->wall_now());
  const std::string_view type = headers_.find("Content-Type").value_or("");
  Error error = meta::error_from_response(status_, type,
                                          is_html(type, body_) ? quotable_body(type, body_) : body_,
                                          delay, attempt_.method, attempt_.resource, attempt_.name);
  // Only the header distinguishes "at once" from "never".
  if (delay) error = error.with_retry_after(*delay);
  if (!is_unexpected_server_error(error)) return error;
  // A response without a Status may come from a proxy instead of the API server.
  return reworded(error,
                  printable(error.message()) + ": " + what_answer_is(status_, headers_, body_))
      .with_context(attempt_.method + " " + attempt_.url);
}

// Returns the error of an exchange that broke off.
Error AttemptHandler::failure(const Error& error) const {
  if (!attempt_.may_write || !may_be_carried_out(error)) return error;
  return reworded(error, error.message() + "; the request may have been carried out");
}

void AttemptHandler::hand_out_warnings(const transport::Headers& headers) const {
  for (const rest::Warning& warning : rest::parse_warnings(headers)) {
    try {
      attempt_.warnings->handle_warning_header(warning.code, warning.agent, warning.text);
    } catch (const std::exception& thrown) {
      KUBE_LOG(attempt_.logger, LogLevel::Error, "rest", "warning handler threw",
               {"error", thrown.what()});
    } catch (...) {
      KUBE_LOG(attempt_.logger, LogLevel::Error, "rest", "warning handler threw",
               {"error", "not a std::exception"});
    }
  }
}

}  // namespace kube
