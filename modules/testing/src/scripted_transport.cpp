// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/scripted_transport.hpp>

#include <utility>

#include "request_path.hpp"
#include "scripted_exchange.hpp"

namespace kube::testing {

using transport::HttpRequest;
using transport::ResponseHandler;

ScriptedTransport::ScriptedTransport() : ScriptedTransport(Options{}) {}

ScriptedTransport::ScriptedTransport(Options options)
    : core_(std::make_shared<Core>(std::move(options))) {}

ScriptedTransport::~ScriptedTransport() {
  stop();
}

void ScriptedTransport::stop() {
  MutexLock lock(core_->mutex);
  core_->closed = true;
  core_->queue.clear();
  core_->unclaimed.clear();
  // One at a time, as handlers may start further exchanges. The exchange of a handler that called
  // this ends when the handler returns.
  while (const std::shared_ptr<Core::Call> call = core_->next_to_close()) {
    core_->changed.wait(lock, [&call] { return !call->delivering; });
    if (call->ended) continue;
    call->delivering = true;
    call->deliverer = std::this_thread::get_id();
    lock.unlock();
    core_->finish(*call, call->error(ErrorCode::Cancelled, "the transport was stopped"));
    lock.lock();
    call->delivering = false;
    core_->changed.notify_all();
  }
  // Rules may hold calls or this transport's users.
  const std::vector<Core::Entry> rules = std::move(core_->rules);
  const std::deque<Core::Entry> once = std::move(core_->once);
  lock.unlock();
}

std::shared_ptr<transport::Exchange> ScriptedTransport::start(
    HttpRequest request, std::shared_ptr<ResponseHandler> handler, std::stop_token stop) {
  const auto call = std::make_shared<Core::Call>(core_, std::move(request), std::move(handler));
  const std::weak_ptr<Core::Call> weak = call;
  if (core_->executor) {
    call->heard = core_->executor->clock()->now();
    if (call->request.timeout) {
      call->deadline = core_->executor->submit_after(*call->request.timeout, [weak] {
        if (const auto self = weak.lock()) {
          self->abort(ErrorCode::Timeout, "the response was not complete in time");
        }
      });
    }
    if (call->request.idle_timeout) call->check_silence();
  }
  if (stop.stop_possible()) {
    call->stop_callback.emplace(std::move(stop), [weak] {
      if (const auto self = weak.lock()) self->cancel();
    });
  }
  bool sent = false;
  bool down = false;
  bool closed = false;
  bool passed = false;
  Rule rule;
  {
    const MutexLock lock(core_->mutex);
    call->starting = false;
    closed = core_->closed;
    core_->live.push_back(call);
    sent = !call->abort_with && !core_->closed;
    down = core_->down;
    if (sent) {
      core_->history.push_back(call->request);
      if (!down) rule = core_->find_rule(call->request);
      passed = !down && !rule && core_->otherwise;
      if (!down && !rule && !passed) core_->unclaimed.push_back(ScriptedCall(call));
    }
    core_->schedule(call);
  }
  core_->changed.notify_all();
  if (closed) {
    this->stop();
    return call;
  }
  if (sent && down) ScriptedCall(call).refuse();
  if (rule) rule(ScriptedCall(call));
  if (passed) call->pass_on();
  core_->run_queued();
  return call;
}

void ScriptedTransport::on(std::string method, std::string path, Rule rule) {
  const MutexLock lock(core_->mutex);
  core_->rules.push_back({std::move(method), std::move(path), std::move(rule)});
}

void ScriptedTransport::once(std::string method, std::string path, Rule rule) {
  const MutexLock lock(core_->mutex);
  core_->once.push_back({std::move(method), std::move(path), std::move(rule)});
}

void ScriptedTransport::set_down(bool down) {
  const MutexLock lock(core_->mutex);
  core_->down = down;
}

void ScriptedTransport::reset_all() {
  std::vector<std::shared_ptr<Core::Call>> calls;
  {
    const MutexLock lock(core_->mutex);
    calls = core_->live;
  }
  for (const std::shared_ptr<Core::Call>& call : calls) ScriptedCall(call).reset();
}

std::optional<ScriptedCall> ScriptedTransport::take_request() {
  const MutexLock lock(core_->mutex);
  return core_->take([](const HttpRequest&) { return true; });
}

std::optional<ScriptedCall> ScriptedTransport::take_request(std::string_view method,
                                                            std::string_view path) {
  const MutexLock lock(core_->mutex);
  return core_->take(
      [=](const HttpRequest& request) { return request_matches(method, path, request); });
}

Result<ScriptedCall> ScriptedTransport::await_request(std::stop_token stop) {
  return core_->await([](const HttpRequest&) { return true; }, "any request", std::move(stop));
}

Result<ScriptedCall> ScriptedTransport::await_request(std::string_view method,
                                                      std::string_view path, std::stop_token stop) {
  return core_->await(
      [=](const HttpRequest& request) { return request_matches(method, path, request); },
      std::string(method) + " " + std::string(path), std::move(stop));
}

std::size_t ScriptedTransport::waiting() const {
  const MutexLock lock(core_->mutex);
  return core_->unclaimed.size();
}

std::size_t ScriptedTransport::open() const {
  const MutexLock lock(core_->mutex);
  return core_->live.size();
}

std::vector<HttpRequest> ScriptedTransport::requests() const {
  const MutexLock lock(core_->mutex);
  return core_->history;
}

}  // namespace kube::testing
