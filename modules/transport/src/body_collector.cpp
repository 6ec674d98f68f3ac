// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/body_collector.hpp>

#include <kube/transport/no_waiting.hpp>

namespace kube::transport {

void BodyCollector::on_head(ResponseHead head) {
  response_.status = head.status;
  response_.headers = std::move(head.headers);
}

Flow BodyCollector::on_data(std::string_view chunk) {
  if (too_long_ || chunk.size() > max_bytes_ - response_.body.size()) {
    // The pause stops the server until the caller has cancelled the exchange.
    too_long_ = true;
    response_.body = {};  // it may be a gigabyte
    finish(Error(ErrorCode::Decode, "the response is longer than the limit of " +
                                        std::to_string(max_bytes_) + " bytes")
               .with_context(doing_));
    return Flow::Pause;
  }
  response_.body.append(chunk);
  return Flow::Continue;
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
  if (tell_) tell_();
}

bool BodyCollector::is_finished() const {
  const MutexLock lock(mutex_);
  return result_.has_value();
}

std::optional<Result<HttpResponse>> BodyCollector::wait(Clock& clock, std::stop_token stop) {
  if (const auto allowed = may_wait(); !allowed) {
    return Result<HttpResponse>(allowed.error().with_context(doing_));
  }
  {
    MutexLock lock(mutex_);
    clock.wait_until(lock, finished_, TimePoint::max(), std::move(stop),
                     [this]() KUBE_REQUIRES(mutex_) { return result_.has_value(); });
    if (!result_) return std::nullopt;
    if (!*result_) return Result<HttpResponse>(result_->error());
  }
  return Result<HttpResponse>(std::move(response_));
}

}  // namespace kube::transport
