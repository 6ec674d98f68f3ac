// SPDX-License-Identifier: Apache-2.0
//
// Calls of an Api<T> that nobody waits for.
#include <kube/client/detail/async_call.hpp>

#include <kube/meta/errors.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/url.hpp>

#include "request_attempts.hpp"
#include "request_url.hpp"
#include "rest_client_impl.hpp"

namespace kube::detail {
namespace {

std::string target_of(const Request& request) {
  return request.method + " " + request.path + "?" + encode_query(request.query);
}

std::string encodings_of(const Request& request) {
  return request.content_type + " " + request.accept;
}

}  // namespace

// Collects the response, and lets the call go on.
class AsyncCall::Receiver final : public transport::ForwardingHandler {
 public:
  Receiver(std::shared_ptr<AsyncCall> call, const Request& request,
           std::shared_ptr<transport::BodyCollector> collector, std::shared_ptr<Clock> clock)
      : ForwardingHandler(collector),
        call_(std::move(call)),
        target_(target_of(request)),
        encodings_(encodings_of(request)),
        collector_(std::move(collector)),
        bound_(request.bound),
        clock_(std::move(clock)) {}

  transport::Flow on_data(std::string_view chunk) override {
    const transport::Flow flow = ForwardingHandler::on_data(chunk);
    if (flow == transport::Flow::Pause) call_->stop_.request_stop();  // too long
    return flow;
  }

  void on_end(Result<void> result) override {
    ForwardingHandler::on_end(std::move(result));
    call_->executor_->submit([call = call_, target = target_, encodings = encodings_,
                              collector = collector_, bound = bound_, clock = clock_] {
      auto response = *collector->wait(*clock, {});  // it is there
      if (!response) response = named_by(bound, response.error(), *clock);
      call->answers_.push_back({target, encodings, std::move(response)});
      if (call->advance()) call->end();
    });
    call_.reset();
  }

 private:
  std::shared_ptr<AsyncCall> call_;
  const std::string target_;
  const std::string encodings_;
  const std::shared_ptr<transport::BodyCollector> collector_;
  const std::optional<CallBound> bound_;
  const std::shared_ptr<Clock> clock_;
};

AsyncCall::AsyncCall(const RawApi& api, const std::stop_token& stop)
    : api_(api.started()),
      client_(api.client_.impl_),
      executor_(api.client_.runtime().handler_executor()),
      stop_({stop}) {
  api_.client_.impl_.reset();
  api_.call_ = this;
}

AsyncCall::~AsyncCall() = default;

void AsyncCall::begin() {
  if (advance()) executor_->submit([call = shared_from_this()] { call->end(); });
}

void AsyncCall::end() {
  if (gone_) {
    deliver(*gone_);
  } else {
    deliver();
  }
}

bool AsyncCall::advance() {
  auto impl = client_.lock();
  if (!impl) {
    gone_ = Error(ErrorCode::Cancelled, "the client was destroyed before the call had ended");
    return true;
  }
  const RestClient client(std::move(impl));
  RawApi api = api_;
  api.client_ = client;
  run(api);
  if (!missing_) return true;
  start(client, *std::exchange(missing_, std::nullopt));
  return false;
}

Result<transport::HttpResponse> AsyncCall::answer_to(const Request& request) {
  // Other calls change the encodings of this one, so that a request that the server has carried out
  // may look different when the verb runs again. What was refused for its encoding was not.
  for (const Answer& answer : answers_) {
    const bool refused = !answer.response && (is_unsupported_media_type(answer.response.error()) ||
                                              is_not_acceptable(answer.response.error()));
    if (answer.target != target_of(request)) continue;
    if (!refused || answer.encodings == encodings_of(request)) return answer.response;
  }
  if (!missing_) missing_ = request;
  return Error(ErrorCode::Cancelled, "the answer has not come yet");
}

void AsyncCall::start(const RestClient& client, Request request) {
  if (!request.idle_timeout) {
    request.idle_timeout =
        idle_timeout_of(client.config(), request).value_or(std::chrono::milliseconds(0));
  }
  const std::string doing = what_request_does(request);
  auto collector = std::make_shared<transport::BodyCollector>(
      request.max_bytes,
      doing + ": " + request.method + " " + transport::printable_url(client.url(request)));
  auto receiver = std::make_shared<Receiver>(shared_from_this(), request, std::move(collector),
                                             client.runtime().clock());
  // From here on, the executor may run the call.
  client.start(request, std::move(receiver), stop_.token());
}

}  // namespace kube::detail
