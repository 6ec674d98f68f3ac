// SPDX-License-Identifier: Apache-2.0
//
// The exchanges of a ScriptedTransport and the queue of their deliveries.
//
// Invariants:
// 1. At most one thread is inside a handler of one exchange (Exchange::delivering), and without an
//    executor at most one in the whole transport (Core::draining).
// 2. No handler, rule or executor runs under Core::mutex.
// 3. on_end() is the last call of a handler, and each handler receives it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/transport/url.hpp>

namespace kube::testing {

/// A part of the response that the handler has not received.
using ScriptedStep = std::variant<transport::ResponseHead, std::string, Result<void>>;

class ScriptedCall::Exchange final : public transport::Exchange,
                                     public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::shared_ptr<ScriptedTransport::Core> owner, transport::HttpRequest asked,
           std::shared_ptr<transport::ResponseHandler> receiver)
      : core(std::move(owner)), request(std::move(asked)), handler(std::move(receiver)) {}

  void resume() override;
  void cancel() override;

  // Ends the exchange before anything that still waits for delivery.
  void abort(ErrorCode code, std::string text);
  void send(ScriptedStep step);
  void check_silence();

  // Sends the request to core->otherwise; the response becomes steps.
  void pass_on();
  // Whether core->otherwise has been paused and may go on.
  bool takes_more() const { return passed_paused && passed && (steps.empty() || ended); }

  // Returns the error in the words of the real transport.
  Error error(ErrorCode code, std::string text) const {
    return Error(code, std::move(text))
        .with_context(request.method + " " + transport::printable_url(request.url));
  }

  bool deliverable() const { return abort_with || (!paused && !steps.empty()); }

  const std::shared_ptr<ScriptedTransport::Core> core;
  const transport::HttpRequest request;

  // Used only by the delivering thread.
  std::shared_ptr<transport::ResponseHandler> handler;

  // Written in start() before the exchange is visible, then only by the delivering thread.
  std::optional<std::stop_callback<std::function<void()>>> stop_callback;
  Timer deadline;

  // Guarded by core->mutex.
  std::deque<ScriptedStep> steps;
  std::optional<Error> abort_with;
  bool gave_up = false;    // The client has cancelled.
  bool starting = true;    // start() has not returned: nothing is delivered yet.
  bool head_sent = false;  // The script has sent it.
  bool end_sent = false;   // The script has sent it; anything later is lost.
  bool scheduled = false;  // A delivery is queued.
  bool delivering = false;
  std::thread::id deliverer{};  // While delivering.
  bool paused = false;
  bool resumed = false;  // resume() came while the handler was in on_data().
  bool ended = false;
  std::shared_ptr<transport::Exchange> passed;  // The exchange of core->otherwise, until the end.
  bool passed_paused = false;
  TimePoint heard{};  // Last delivery or resume.
  Timer silence;
};

struct ScriptedTransport::Core : std::enable_shared_from_this<ScriptedTransport::Core> {
  using Call = ScriptedCall::Exchange;
  struct Entry {
    std::string method;
    std::string path;
    Rule rule;
  };

  explicit Core(Options options)
      : executor(std::move(options.executor)), otherwise(std::move(options.otherwise)) {}

  // Queues a delivery if there is something to deliver; the caller then calls run_queued().
  void schedule(const std::shared_ptr<Call>& call) KUBE_REQUIRES(mutex);

  // Without an executor: delivers what is queued, unless another frame or thread is doing so. With
  // an executor: submits a task for each queued delivery.
  void run_queued() KUBE_EXCLUDES(mutex);

  void deliver(const std::shared_ptr<Call>& call) KUBE_EXCLUDES(mutex);

  // Runs the handler; on return the call has ended if the step was the last one. The caller has set
  // `delivering`.
  void hand_over(Call& call, ScriptedStep step) KUBE_EXCLUDES(mutex);

  void finish(Call& call, Result<void> result) KUBE_EXCLUDES(mutex);

  std::optional<ScriptedCall> take(const std::function<bool(const transport::HttpRequest&)>& wanted)
      KUBE_REQUIRES(mutex);

  Result<ScriptedCall> await(const std::function<bool(const transport::HttpRequest&)>& wanted,
                             const std::string& what, std::stop_token stop) KUBE_EXCLUDES(mutex);

  // Returns the rule for a request, and removes it if it was for once.
  Rule find_rule(const transport::HttpRequest& request) KUBE_REQUIRES(mutex);

  // Returns an exchange that is open and that this thread does not deliver.
  std::shared_ptr<Call> next_to_close() const KUBE_REQUIRES(mutex);

  const std::shared_ptr<Executor> executor;
  const std::shared_ptr<transport::RoundTripper> otherwise;

  Mutex mutex;
  CondVar changed;
  std::deque<std::shared_ptr<Call>> queue KUBE_GUARDED_BY(mutex);
  bool draining KUBE_GUARDED_BY(mutex) = false;
  std::deque<ScriptedCall> unclaimed KUBE_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<Call>> live KUBE_GUARDED_BY(mutex);
  std::vector<transport::HttpRequest> history KUBE_GUARDED_BY(mutex);
  std::vector<Entry> rules KUBE_GUARDED_BY(mutex);
  std::deque<Entry> once KUBE_GUARDED_BY(mutex);
  bool down KUBE_GUARDED_BY(mutex) = false;
  bool closed KUBE_GUARDED_BY(mutex) = false;
};

}  // namespace kube::testing
