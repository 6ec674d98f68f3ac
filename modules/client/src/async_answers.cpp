// SPDX-License-Identifier: Apache-2.0
#include "async_answers.hpp"

#include <kube/meta/errors.hpp>

#include "request_attempts.hpp"

namespace kube::detail {
namespace {

bool have_equal_encodings(const Request& a, const Request& b) {
  return a.content_type == b.content_type && a.accept == b.accept;
}

// Other calls change the encodings of this one, so that a request that the server has carried out
// may look different when the function runs again.
bool are_equal(const Request& a, const Request& b) {
  return a.method == b.method && a.path == b.path && a.query == b.query &&
         (a.body == b.body || !have_equal_encodings(a, b));
}

bool was_refused_for_its_encoding(const Result<transport::HttpResponse>& response) {
  return !response &&
         (is_unsupported_media_type(response.error()) || is_not_acceptable(response.error()));
}

}  // namespace

AsyncAnswers::Run::Run(AsyncAnswers& answers) : answers_(answers) {
  answers_.next_ = 0;
  answers_.missing_.reset();
  answers_.refused_.reset();
  answers_.runner_ = std::this_thread::get_id();
}

AsyncAnswers::Run::~Run() {
  answers_.runner_ = std::thread::id();
}

Result<transport::HttpResponse> AsyncAnswers::answer_to(const Request& request) {
  const std::string doing = what_request_does(request);
  if (runner_ != std::this_thread::get_id()) {
    return Error(ErrorCode::InvalidArgument,
                 "the Api that AsyncApi::call() passes to a function is for that function alone, "
                 "until it returns")
        .with_context(doing);
  }
  if (refused_) return *refused_;
  while (!missing_ && next_ < answers_.size()) {
    const Answer& answer = answers_[next_++];
    if (!are_equal(answer.request, request)) {
      refused_ = Error(ErrorCode::InvalidArgument,
                       "the function that AsyncApi::call() got has sent another request before, "
                       "and has to do the same each time that it runs")
                     .with_context(doing);
      return *refused_;
    }
    const bool is_sent_again = was_refused_for_its_encoding(answer.response) &&
                               !have_equal_encodings(answer.request, request);
    if (!is_sent_again) return answer.response;
  }
  if (!missing_) {
    if (stop_.stop_requested()) {
      return Error(ErrorCode::Cancelled, "stopped before the request was sent").with_context(doing);
    }
    if (request.bound && clock_->now() >= request.bound->deadline) {
      const Error late(ErrorCode::Timeout, "the deadline comes before the next attempt");
      return named_by(request.bound, late, *clock_).with_context(doing);
    }
    missing_ = request;
  }
  return Error(ErrorCode::Cancelled, "the response has not come yet");
}

void AsyncAnswers::add(transport::BodyCollector& collected) {
  Request request = *std::exchange(missing_, std::nullopt);
  Result<transport::HttpResponse> response = *collected.wait(*clock_, {});
  if (!response) response = named_by(request.bound, response.error(), *clock_);
  answers_.push_back({std::move(request), std::move(response)});
}

}  // namespace kube::detail
