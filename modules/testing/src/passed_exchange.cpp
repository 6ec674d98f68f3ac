// SPDX-License-Identifier: Apache-2.0
//
// Requests that a ScriptedTransport passes on to another transport.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "scripted_exchange.hpp"

namespace kube::testing {
/// Makes steps of the response of the other transport. It pauses while the client has not received
/// the last bytes, so that flow control reaches the server.
class ScriptedCall::PassedResponse final : public transport::ResponseHandler {
 public:
  explicit PassedResponse(std::shared_ptr<Exchange> call) : call_(std::move(call)) {}

  void on_head(transport::ResponseHead head) override { call_->send(std::move(head)); }
  transport::Flow on_data(std::string_view chunk) override {
    call_->send(std::string(chunk));
    const MutexLock lock(call_->core->mutex);
    call_->passed_paused = !call_->ended && !call_->steps.empty();
    return call_->passed_paused ? transport::Flow::Pause : transport::Flow::Continue;
  }
  void on_end(Result<void> result) override { call_->send(std::move(result)); }

 private:
  const std::shared_ptr<Exchange> call_;
};

void ScriptedCall::Exchange::pass_on() {
  const std::shared_ptr<transport::RoundTripper>& other = core->otherwise;
  if (!other || !request.upgrade.empty()) {
    send(Result<void>(
        error(ErrorCode::Internal, other ? "an upgrade of the connection can't be passed on"
                                         : "there is no transport to pass it on to")));
    return;
  }
  auto started = other->start(request, std::make_shared<PassedResponse>(shared_from_this()), {});
  bool unwanted = false;
  bool goes_on = false;
  {
    const MutexLock lock(core->mutex);
    unwanted = ended;
    if (!ended) passed = started;
    goes_on = takes_more();
    if (goes_on) passed_paused = false;
  }
  if (unwanted) started->cancel();
  if (goes_on) started->resume();
}

void ScriptedCall::pass_on() {
  exchange_->pass_on();
}

}  // namespace kube::testing
