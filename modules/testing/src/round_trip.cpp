// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/round_trip.hpp>

#include <optional>
#include <string>

#include <kube/base/mutex.hpp>

namespace kube::testing {
namespace {

using transport::Flow;
using transport::HttpRequest;
using transport::HttpResponse;
using transport::ResponseHandler;
using transport::ResponseHead;
using transport::RoundTripper;

// Collects one response. It outlives a caller that stopped waiting: the exchange holds it too.
class Collector final : public ResponseHandler {
 public:
  explicit Collector(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void on_head(ResponseHead head) override {
    response_.status = head.status;
    response_.headers = std::move(head.headers);
  }

  Flow on_data(std::string_view chunk) override {
    if (too_long_ || chunk.size() > max_bytes_ - response_.body.size()) {
      // The pause stops the peer until wait() has cancelled the exchange.
      too_long_ = true;
      finish(Error(ErrorCode::Decode, "the response is longer than the maximum of " +
                                          std::to_string(max_bytes_) + " bytes"));
      return Flow::Pause;
    }
    response_.body.append(chunk);
    return Flow::Continue;
  }

  void on_end(Result<void> result) override { finish(std::move(result)); }

  // Waits for the end; a stop request ends the wait. Ready wins over stopped.
  std::optional<Result<void>> wait(std::stop_token stop) {
    MutexLock lock(mutex_);
    finished_.wait(lock, std::move(stop),
                   [this]() KUBE_REQUIRES(mutex_) { return result_.has_value(); });
    return result_;
  }

  // Only after wait() returned success.
  HttpResponse take() { return std::move(response_); }

 private:
  void finish(Result<void> result) {
    {
      const MutexLock lock(mutex_);
      if (result_) return;
      result_ = std::move(result);
    }
    finished_.notify_all();
  }

  const std::size_t max_bytes_;

  // Only the transport until result_ is set, then only the waiting caller.
  HttpResponse response_;
  bool too_long_ = false;

  Mutex mutex_;
  CondVar finished_;
  std::optional<Result<void>> result_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

Result<HttpResponse> round_trip(RoundTripper& transport, HttpRequest request, std::stop_token stop,
                                std::size_t max_bytes) {
  const std::string doing = transport::printable_request(request);
  auto collector = std::make_shared<Collector>(max_bytes);
  const std::shared_ptr<transport::Exchange> exchange =
      transport.start(std::move(request), collector, stop);
  const std::optional<Result<void>> result = collector->wait(stop);
  if (!result) {
    // The transport ends the exchange by itself.
    return Error(ErrorCode::Cancelled, "stopped while waiting for the response")
        .with_context(doing);
  }
  if (!*result) {
    exchange->cancel();  // Still open when the body was too long; else without effect.
    const Error& error = result->error();
    return error.code() == ErrorCode::Decode ? error.with_context(doing) : error;
  }
  return collector->take();
}

}  // namespace kube::testing
