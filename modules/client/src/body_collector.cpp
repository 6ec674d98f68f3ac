// SPDX-License-Identifier: Apache-2.0
//
// Collects one response for a caller that waits for it.
#include "body_collector.hpp"

#include <string>

namespace kube {

void BodyCollector::on_head(transport::ResponseHead head) {
  response_.status = head.status;
  response_.headers = std::move(head.headers);
}

transport::Flow BodyCollector::on_data(std::string_view chunk) {
  if (too_long_ || chunk.size() > limit_bytes_ - response_.body.size()) {
    // The pause stops the server until the caller has cancelled the exchange.
    too_long_ = true;
    response_.body = {};  // it may be a gigabyte
    finish(Error(ErrorCode::Decode, "the answer is longer than the limit of " +
                                        std::to_string(limit_bytes_) + " bytes")
               .with_context(doing_));
    return transport::Flow::Pause;
  }
  response_.body.append(chunk);
  return transport::Flow::Continue;
}

void BodyCollector::on_end(Result<void> result) {
  finish(std::move(result));
}

void BodyCollector::finish(Result<void> result) {
  {
    const MutexLock lock(mutex_);
    if (result_) return;
    result_ = std::move(result);
  }
  finished_.notify_all();
}

std::optional<Result<transport::HttpResponse>> BodyCollector::wait(Clock& clock,
                                                                   std::stop_token stop) {
  {
    MutexLock lock(mutex_);
    clock.wait_until(lock, finished_, TimePoint::max(), std::move(stop),
                     [this]() KUBE_REQUIRES(mutex_) { return result_.has_value(); });
    if (!result_) return std::nullopt;
    if (!*result_) return Result<transport::HttpResponse>(result_->error());
  }
  return Result<transport::HttpResponse>(std::move(response_));
}

}  // namespace kube
