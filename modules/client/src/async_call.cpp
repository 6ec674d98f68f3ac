// SPDX-License-Identifier: Apache-2.0
//
// Calls of an Api<T> that nobody waits for.
#include <kube/client/detail/async_call.hpp>

#include <kube/base/call_user_code.hpp>
#include <kube/base/stop.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/url.hpp>

#include "async_answers.hpp"
#include "request_attempts.hpp"
#include "rest_client_impl.hpp"

namespace kube::detail {

// Collects the response, and lets the call go on.
class AsyncCall::Receiver final : public transport::ForwardingHandler {
 public:
  Receiver(std::shared_ptr<AsyncCall> call, std::shared_ptr<transport::BodyCollector> collector,
           std::stop_token client_is_gone)
      : ForwardingHandler(collector),
        call_(std::move(call)),
        collector_(std::move(collector)),
        stop_{call_->stop_, std::move(client_is_gone)} {}

  std::stop_token stop_token() const { return stop_.token(); }

  transport::Flow on_data(std::string_view chunk) override {
    const transport::Flow flow = ForwardingHandler::on_data(chunk);
    if (flow == transport::Flow::Pause) stop_.request_stop();  // too long
    return flow;
  }

  void on_end(Result<void> result) override {
    ForwardingHandler::on_end(std::move(result));
    call_->executor_->submit([call = call_, collector = collector_] {
      call->answers_->add(*collector);
      if (call->advance()) call->end();
    });
    call_.reset();
  }

 private:
  std::shared_ptr<AsyncCall> call_;
  const std::shared_ptr<transport::BodyCollector> collector_;
  StopGroup stop_;
};

AsyncCall::AsyncCall(const RawApi& api, std::stop_token stop)
    : api_(api.started()),
      client_(api.client_.impl_),
      executor_(api.client_.runtime().handler_executor()),
      stop_(std::move(stop)),
      answers_(std::make_shared<AsyncAnswers>(api.client_.runtime().clock(), stop_)) {
  api_.client_.impl_.reset();
  api_.answers_ = answers_;
}

AsyncCall::~AsyncCall() = default;

void AsyncCall::begin() {
  if (advance()) executor_->submit([call = shared_from_this()] { call->end(); });
}

void AsyncCall::end() {
  answers_->clear();
  if (failure_) {
    deliver(*failure_);
  } else {
    deliver();
  }
}

bool AsyncCall::advance() {
  auto impl = client_.lock();
  if (!impl) {
    failure_ = Error(ErrorCode::Cancelled, "the client was destroyed before the call had ended");
    return true;
  }
  const RestClient client(std::move(impl));
  RawApi api = api_;
  api.client_ = client;
  const Result<void> ran = call_user_code("the function that AsyncApi::call() got", [&] {
    const AsyncAnswers::Run this_run(*answers_);
    run(api);
  });
  if (answers_->missing()) {
    start(client, *answers_->missing());
    return false;
  }
  if (!ran) failure_ = ran.error();
  if (answers_->refused()) failure_ = answers_->refused();
  return true;
}

void AsyncCall::start(const RestClient& client, Request request) {
  if (!request.idle_timeout) {
    request.idle_timeout =
        idle_timeout_of(client.config(), request).value_or(std::chrono::milliseconds(0));
  }
  auto collector = std::make_shared<transport::BodyCollector>(
      request.max_bytes, what_request_does(request) + ": " + request.method + " " +
                             transport::printable_url(client.url(request)));
  auto receiver = std::make_shared<Receiver>(shared_from_this(), std::move(collector),
                                             client.impl_->is_gone.get_token());
  const std::stop_token stop = receiver->stop_token();
  // From here on, the executor may run the call.
  client.start_attempt(request, std::move(receiver), {.is_call = true}, stop);
}

}  // namespace kube::detail
