// SPDX-License-Identifier: Apache-2.0
#include "scripted_exchange.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/call_user_code.hpp>

#include "request_path.hpp"

namespace kube::testing {

using transport::Flow;
using transport::HttpRequest;
using transport::ResponseHead;

void ScriptedCall::Exchange::resume() {
  {
    const MutexLock lock(core->mutex);
    // Inside on_data() the Pause that this ends has not been returned yet.
    if (delivering) {
      resumed = true;
    } else {
      paused = false;
    }
    if (core->executor) heard = core->executor->clock()->now();
    core->schedule(shared_from_this());
  }
  core->run_queued();
}

void ScriptedCall::Exchange::cancel() {
  {
    const MutexLock lock(core->mutex);
    if (!ended) gave_up = true;
  }
  abort(ErrorCode::Cancelled, "the request was cancelled");
}

void ScriptedCall::Exchange::abort(ErrorCode code, std::string text) {
  {
    const MutexLock lock(core->mutex);
    if (ended || abort_with) return;
    abort_with = error(code, std::move(text));
    core->schedule(shared_from_this());
  }
  core->changed.notify_all();
  core->run_queued();
}

void ScriptedCall::Exchange::send(ScriptedStep step) {
  {
    const MutexLock lock(core->mutex);
    if (ended || end_sent) return;
    const auto* end = std::get_if<Result<void>>(&step);
    const bool is_head = std::holds_alternative<ResponseHead>(step);
    if (is_head && head_sent) {
      step = Result<void>(error(ErrorCode::Internal, "the script sent two heads"));
    } else if (!is_head && !head_sent && (end == nullptr || end->has_value())) {
      steps.emplace_back(ResponseHead{200, {{"Content-Type", "application/json"}}});
    }
    head_sent = true;
    end_sent = std::holds_alternative<Result<void>>(step);
    steps.push_back(std::move(step));
    core->schedule(shared_from_this());
  }
  core->run_queued();
}

void ScriptedCall::Exchange::check_silence() {
  const Duration bound = *request.idle_timeout;
  const TimePoint now = core->executor->clock()->now();
  TimePoint next;
  {
    const MutexLock lock(core->mutex);
    if (ended || abort_with) return;
    // The bytes are held back by the handler, or are already here: the server is not silent.
    next = (paused || !steps.empty() ? now : heard) + bound;
  }
  if (next <= now) {
    abort(ErrorCode::Timeout, "nothing was received for too long");
    return;
  }
  Timer timer = core->executor->submit_at(next, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_silence();
  });
  const MutexLock lock(core->mutex);
  if (!ended) std::swap(silence, timer);
}

void ScriptedTransport::Core::schedule(const std::shared_ptr<Call>& call) {
  if (closed || call->starting || call->scheduled || call->delivering || call->ended ||
      !call->deliverable()) {
    return;
  }
  call->scheduled = true;
  queue.push_back(call);
}

void ScriptedTransport::Core::run_queued() {
  if (executor) {
    std::deque<std::shared_ptr<Call>> calls;
    {
      const MutexLock lock(mutex);
      calls.swap(queue);
    }
    for (std::shared_ptr<Call>& call : calls) {
      executor->submit([core = shared_from_this(), call = std::move(call)] {
        core->deliver(call);
        core->run_queued();
      });
    }
    return;
  }
  MutexLock lock(mutex);
  if (draining) return;
  draining = true;
  while (!queue.empty()) {
    const std::shared_ptr<Call> call = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    deliver(call);
    lock.lock();
  }
  draining = false;
  changed.notify_all();
}

void ScriptedTransport::Core::deliver(const std::shared_ptr<Call>& call) {
  std::optional<ScriptedStep> step;
  {
    const MutexLock lock(mutex);
    call->scheduled = false;
    // The transport may have ended the call since the delivery was queued.
    if (closed || call->ended || call->delivering || !call->deliverable()) return;
    call->delivering = true;
    call->deliverer = std::this_thread::get_id();
    call->resumed = false;
    if (call->abort_with) {
      step = ScriptedStep(Result<void>(*call->abort_with));
    } else {
      step = std::move(call->steps.front());
      call->steps.pop_front();
    }
  }
  hand_over(*call, std::move(*step));
  std::shared_ptr<transport::Exchange> goes_on;
  MutexLock lock(mutex);
  if (closed && !call->ended) {
    // The handler destroyed the transport, which therefore did not wait for it.
    lock.unlock();
    finish(*call, call->error(ErrorCode::Cancelled, "the transport was destroyed"));
    lock.lock();
  }
  call->delivering = false;
  if (call->takes_more()) {
    call->passed_paused = false;
    goes_on = call->passed;
  }
  schedule(call);
  changed.notify_all();
  lock.unlock();
  if (goes_on) goes_on->resume();
}

void ScriptedTransport::Core::hand_over(Call& call, ScriptedStep step) {
  if (auto* result = std::get_if<Result<void>>(&step)) return finish(call, std::move(*result));
  const Result<void> called = call_user_code("the response handler", [&] {
    if (auto* head = std::get_if<ResponseHead>(&step)) {
      call.handler->on_head(std::move(*head));
    } else {
      const Flow flow = call.handler->on_data(std::get<std::string>(step));
      const MutexLock lock(mutex);
      call.paused = flow == Flow::Pause && !call.resumed;
    }
  });
  const MutexLock lock(mutex);
  if (!called && !call.abort_with)
    call.abort_with = called.error().with_context(printable_request(call.request));
  if (executor) call.heard = executor->clock()->now();
}

void ScriptedTransport::Core::finish(Call& call, Result<void> result) {
  try {
    call.handler->on_end(std::move(result));
  } catch (...) {  // the exchange has ended: it can't be reported
  }
  call.handler.reset();
  call.stop_callback.reset();
  call.deadline.cancel();
  Timer silence;
  std::shared_ptr<transport::Exchange> passed;
  {
    const MutexLock lock(mutex);
    call.ended = true;
    call.steps.clear();
    silence = std::move(call.silence);
    passed = std::move(call.passed);
    std::erase_if(live, [&call](const std::shared_ptr<Call>& c) { return c.get() == &call; });
  }
  if (passed) passed->cancel();  // has no effect when the response is complete
}

std::optional<ScriptedCall> ScriptedTransport::Core::take(
    const std::function<bool(const HttpRequest&)>& wanted) {
  const auto found =
      std::find_if(unclaimed.begin(), unclaimed.end(),
                   [&wanted](const ScriptedCall& call) { return wanted(call.request()); });
  if (found == unclaimed.end()) return std::nullopt;
  ScriptedCall call = std::move(*found);
  unclaimed.erase(found);
  return call;
}

Result<ScriptedCall> ScriptedTransport::Core::await(
    const std::function<bool(const HttpRequest&)>& wanted, const std::string& what,
    std::stop_token stop) {
  std::optional<ScriptedCall> call;
  MutexLock lock(mutex);
  changed.wait_for(lock, stop, kPatience, [&]() KUBE_REQUIRES(mutex) {
    call = take(wanted);
    return call.has_value();
  });
  if (call) return *std::move(call);
  if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "stopped waiting for " + what);
  return Error(ErrorCode::Timeout, "no request arrived while waiting for " + what);
}

ScriptedTransport::Rule ScriptedTransport::Core::find_rule(const HttpRequest& request) {
  const auto fits = [&request](const Entry& entry) {
    return request_matches(entry.method, entry.path, request);
  };
  if (const auto it = std::find_if(once.begin(), once.end(), fits); it != once.end()) {
    Rule rule = std::move(it->rule);
    once.erase(it);
    return rule;
  }
  const auto it = std::find_if(rules.rbegin(), rules.rend(), fits);
  return it == rules.rend() ? Rule() : it->rule;
}

std::shared_ptr<ScriptedTransport::Core::Call> ScriptedTransport::Core::next_to_close() const {
  const auto found = std::find_if(live.begin(), live.end(), [](const std::shared_ptr<Call>& call) {
    return !call->delivering || call->deliverer != std::this_thread::get_id();
  });
  return found == live.end() ? nullptr : *found;
}

}  // namespace kube::testing
