// SPDX-License-Identifier: Apache-2.0
//
// Invariants:
// 1. At most one thread is inside a handler of one exchange (Exchange::delivering), and without an
//    executor at most one in the whole transport (Core::draining).
// 2. No handler, rule or executor runs under Core::mutex.
// 3. on_end() is the last call of a handler, and each handler gets it.
#include <kube/testing/scripted_transport.hpp>

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>
#include <variant>

#include <kube/base/mutex.hpp>

namespace kube::testing {

using transport::Flow;
using transport::HttpRequest;
using transport::ResponseHandler;
using transport::ResponseHead;

namespace {

constexpr std::chrono::seconds kPatience{30};

std::string_view path_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  const std::size_t authority = scheme_end == std::string_view::npos ? 0 : scheme_end + 3;
  const std::size_t begin = url.find_first_of("/?#", authority);
  if (begin == std::string_view::npos || url[begin] != '/') return "/";
  return url.substr(begin, url.find_first_of("?#", begin) - begin);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string query_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                        hex_value(text[i + 2]) >= 0;
    if (escape) {
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

bool matches(std::string_view method, std::string_view path, const HttpRequest& request) {
  if (!method.empty() && method != request.method) return false;
  const std::string_view asked = path_of(request.url);
  if (!path.empty() && path.back() == '*') {
    return asked.substr(0, path.size() - 1) == path.substr(0, path.size() - 1);
  }
  return asked == path;
}

// What the server sent and the handler has not seen.
using Step = std::variant<ResponseHead, std::string, Result<void>>;

}  // namespace

class ScriptedCall::Exchange final : public transport::Exchange,
                                     public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::shared_ptr<ScriptedTransport::Core> owner, HttpRequest asked,
           std::shared_ptr<ResponseHandler> receiver)
      : core(std::move(owner)), request(std::move(asked)), handler(std::move(receiver)) {}

  void resume() override;
  void cancel() override;

  // Ends the exchange before anything that still waits for delivery.
  void abort(ErrorCode code, std::string text);
  void send(Step step);
  void check_silence();

  // The error as the real transport words it.
  Error error(ErrorCode code, std::string text) const {
    return Error(code, std::move(text))
        .with_context(request.method + " " + transport::printable_url(request.url));
  }

  bool deliverable() const { return abort_with || (!paused && !steps.empty()); }

  const std::shared_ptr<ScriptedTransport::Core> core;
  const HttpRequest request;

  // Only the delivering thread.
  std::shared_ptr<ResponseHandler> handler;

  // Written in start() before the exchange is visible, then only by the delivering thread.
  std::optional<std::stop_callback<std::function<void()>>> stop_callback;
  Timer deadline;

  // Guarded by core->mutex.
  std::deque<Step> steps;
  std::optional<Error> abort_with;
  bool gave_up = false;    // The client cancelled.
  bool starting = true;    // start() has not returned: nothing is delivered yet.
  bool head_sent = false;  // By the script.
  bool end_sent = false;   // By the script; what it sends later is lost.
  bool scheduled = false;  // A delivery is queued.
  bool delivering = false;
  std::thread::id deliverer{};  // While delivering.
  bool paused = false;
  bool resumed = false;  // resume() came while the handler was in on_data().
  bool ended = false;
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

  explicit Core(std::shared_ptr<Executor> runs_on) : executor(std::move(runs_on)) {}

  // Queues a delivery if there is something to deliver; the caller then calls run_queued().
  void schedule(const std::shared_ptr<Call>& call) KUBE_REQUIRES(mutex) {
    if (closed || call->starting || call->scheduled || call->delivering || call->ended ||
        !call->deliverable()) {
      return;
    }
    call->scheduled = true;
    queue.push_back(call);
  }

  // Without an executor: delivers what is queued, unless another frame or thread is doing so. With
  // one: submits a task for each queued delivery.
  void run_queued() KUBE_EXCLUDES(mutex) {
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

  // One step of one exchange.
  void deliver(const std::shared_ptr<Call>& call) KUBE_EXCLUDES(mutex) {
    std::optional<Step> step;
    {
      const MutexLock lock(mutex);
      call->scheduled = false;
      // The transport may have ended the call since the delivery was queued.
      if (closed || call->ended || call->delivering || !call->deliverable()) return;
      call->delivering = true;
      call->deliverer = std::this_thread::get_id();
      call->resumed = false;
      if (call->abort_with) {
        step = Step(Result<void>(*call->abort_with));
      } else {
        step = std::move(call->steps.front());
        call->steps.pop_front();
      }
    }
    hand_over(*call, std::move(*step));
    MutexLock lock(mutex);
    if (closed && !call->ended) {
      // The handler destroyed the transport, which therefore did not wait for it.
      lock.unlock();
      finish(*call, call->error(ErrorCode::Cancelled, "the transport was destroyed"));
      lock.lock();
    }
    call->delivering = false;
    schedule(call);
    changed.notify_all();
  }

  // Runs the handler; on return the call is ended if the step was the last one. The caller has set
  // `delivering`.
  void hand_over(Call& call, Step step) KUBE_EXCLUDES(mutex) {
    std::optional<Error> thrown;
    try {
      if (auto* head = std::get_if<ResponseHead>(&step)) {
        call.handler->on_head(std::move(*head));
      } else if (auto* bytes = std::get_if<std::string>(&step)) {
        const Flow flow = call.handler->on_data(*bytes);
        const MutexLock lock(mutex);
        call.paused = flow == Flow::Pause && !call.resumed;
      } else {
        finish(call, std::move(std::get<Result<void>>(step)));
        return;
      }
    } catch (const std::exception& e) {
      thrown =
          call.error(ErrorCode::Internal, std::string("the response handler threw: ") + e.what());
    } catch (...) {
      thrown = call.error(ErrorCode::Internal, "the response handler threw");
    }
    const MutexLock lock(mutex);
    if (thrown && !call.abort_with) call.abort_with = std::move(thrown);
    if (executor) call.heard = executor->clock()->now();
  }

  void finish(Call& call, Result<void> result) KUBE_EXCLUDES(mutex) {
    try {
      call.handler->on_end(std::move(result));
    } catch (...) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
    }
    call.handler.reset();
    call.stop_callback.reset();
    call.deadline.cancel();
    Timer silence;
    {
      const MutexLock lock(mutex);
      call.ended = true;
      call.steps.clear();
      silence = std::move(call.silence);
      std::erase_if(live, [&call](const std::shared_ptr<Call>& c) { return c.get() == &call; });
    }
  }

  std::optional<ScriptedCall> take(const std::function<bool(const HttpRequest&)>& wanted)
      KUBE_REQUIRES(mutex) {
    const auto found =
        std::find_if(unclaimed.begin(), unclaimed.end(),
                     [&wanted](const ScriptedCall& call) { return wanted(call.request()); });
    if (found == unclaimed.end()) return std::nullopt;
    ScriptedCall call = std::move(*found);
    unclaimed.erase(found);
    return call;
  }

  Result<ScriptedCall> await(const std::function<bool(const HttpRequest&)>& wanted,
                             const std::string& what, std::stop_token stop) KUBE_EXCLUDES(mutex) {
    std::optional<ScriptedCall> call;
    MutexLock lock(mutex);
    changed.wait_for(lock, stop, kPatience, [&]() KUBE_REQUIRES(mutex) {
      call = take(wanted);
      return call.has_value();
    });
    if (call) return *std::move(call);
    if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "stopped waiting for " + what);
    return Error(ErrorCode::Timeout, "no request came while waiting for " + what);
  }

  // The rule for a request, taken out if it was for once.
  Rule find_rule(const HttpRequest& request) KUBE_REQUIRES(mutex) {
    const auto fits = [&request](const Entry& entry) {
      return matches(entry.method, entry.path, request);
    };
    if (const auto it = std::find_if(once.begin(), once.end(), fits); it != once.end()) {
      Rule rule = std::move(it->rule);
      once.erase(it);
      return rule;
    }
    const auto it = std::find_if(rules.rbegin(), rules.rend(), fits);
    return it == rules.rend() ? Rule() : it->rule;
  }

  // An exchange that is open and not in the hands of this thread.
  std::shared_ptr<Call> next_to_close() const KUBE_REQUIRES(mutex) {
    const auto found =
        std::find_if(live.begin(), live.end(), [](const std::shared_ptr<Call>& call) {
          return !call->delivering || call->deliverer != std::this_thread::get_id();
        });
    return found == live.end() ? nullptr : *found;
  }

  const std::shared_ptr<Executor> executor;

  Mutex mutex;
  CondVar changed;
  std::deque<std::shared_ptr<Call>> queue KUBE_GUARDED_BY(mutex);
  bool draining KUBE_GUARDED_BY(mutex) = false;
  std::deque<ScriptedCall> unclaimed KUBE_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<Call>> live KUBE_GUARDED_BY(mutex);
  std::vector<HttpRequest> history KUBE_GUARDED_BY(mutex);
  std::vector<Entry> rules KUBE_GUARDED_BY(mutex);
  std::deque<Entry> once KUBE_GUARDED_BY(mutex);
  bool down KUBE_GUARDED_BY(mutex) = false;
  bool closed KUBE_GUARDED_BY(mutex) = false;
};

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

void ScriptedCall::Exchange::send(Step step) {
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
    // Held back by the handler, or already there: not the server's silence.
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

const HttpRequest& ScriptedCall::request() const {
  return exchange_->request;
}

std::string ScriptedCall::path() const {
  return std::string(path_of(exchange_->request.url));
}

std::optional<std::string> ScriptedCall::query(std::string_view name) const {
  std::string_view rest = exchange_->request.url;
  rest = rest.substr(0, rest.find('#'));
  const std::size_t begin = rest.find('?');
  if (begin == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(begin + 1);
  while (!rest.empty()) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    if (query_decoded(parameter.substr(0, equals)) != name) continue;
    return query_decoded(parameter.substr(std::min(equals + 1, parameter.size())));
  }
  return std::nullopt;
}

ScriptedCall& ScriptedCall::head(int status, transport::Headers headers) {
  exchange_->send(ResponseHead{status, std::move(headers)});
  return *this;
}

ScriptedCall& ScriptedCall::data(std::string bytes) {
  if (!bytes.empty()) exchange_->send(std::move(bytes));
  return *this;
}

ScriptedCall& ScriptedCall::data_in_pieces(std::string_view bytes, std::size_t piece) {
  piece = std::max<std::size_t>(piece, 1);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    data(std::string(bytes.substr(0, piece)));
  }
  return *this;
}

void ScriptedCall::end() {
  exchange_->send(Result<void>());
}

void ScriptedCall::respond(int status, std::string body, transport::Headers headers) {
  head(status, std::move(headers)).data(std::move(body)).end();
}

void ScriptedCall::fail(Error error) {
  exchange_->send(Result<void>(std::move(error)));
}

void ScriptedCall::refuse() {
  fail(exchange_->error(ErrorCode::Unreachable, "connection refused"));
}

void ScriptedCall::reset() {
  fail(exchange_->error(ErrorCode::Unreachable, "connection reset by peer"));
}

void ScriptedCall::truncate() {
  fail(exchange_->error(ErrorCode::Unreachable,
                        "the connection was closed before the body was complete"));
}

bool ScriptedCall::paused() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->paused && !exchange_->ended;
}

bool ScriptedCall::cancelled() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->gave_up;
}

bool ScriptedCall::ended() const {
  const MutexLock lock(exchange_->core->mutex);
  return exchange_->ended;
}

std::size_t ScriptedCall::undelivered() const {
  const MutexLock lock(exchange_->core->mutex);
  std::size_t bytes = 0;
  for (const Step& step : exchange_->steps) {
    if (const auto* chunk = std::get_if<std::string>(&step)) bytes += chunk->size();
  }
  return bytes;
}

bool ScriptedCall::await_cancelled(std::stop_token stop) const {
  MutexLock lock(exchange_->core->mutex);
  return exchange_->core->changed.wait_for(lock, std::move(stop), kPatience,
                                           [this] { return exchange_->gave_up; });
}

bool ScriptedCall::await_ended(std::stop_token stop) const {
  MutexLock lock(exchange_->core->mutex);
  return exchange_->core->changed.wait_for(lock, std::move(stop), kPatience,
                                           [this] { return exchange_->ended; });
}

ScriptedTransport::ScriptedTransport() : ScriptedTransport(Options{}) {}

ScriptedTransport::ScriptedTransport(Options options)
    : core_(std::make_shared<Core>(std::move(options.executor))) {}

ScriptedTransport::~ScriptedTransport() {
  stop();
}

void ScriptedTransport::stop() {
  MutexLock lock(core_->mutex);
  core_->closed = true;
  core_->queue.clear();
  core_->unclaimed.clear();
  // One at a time, as handlers may start further exchanges. A handler that called this stays: its
  // exchange ends when it returns.
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
          self->abort(ErrorCode::Timeout, "the answer was not complete in time");
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
      if (!down && !rule) core_->unclaimed.push_back(ScriptedCall(call));
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
  return core_->take([=](const HttpRequest& request) { return matches(method, path, request); });
}

Result<ScriptedCall> ScriptedTransport::await_request(std::stop_token stop) {
  return core_->await([](const HttpRequest&) { return true; }, "any request", std::move(stop));
}

Result<ScriptedCall> ScriptedTransport::await_request(std::string_view method,
                                                      std::string_view path, std::stop_token stop) {
  return core_->await([=](const HttpRequest& request) { return matches(method, path, request); },
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
