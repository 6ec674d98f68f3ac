// SPDX-License-Identifier: Apache-2.0
//
// Random calls of a controller, in schedules from seeds, against a model of what it promises:
//   - no key is reconciled before the informer has synced (C1), nor after the controller has
//     stopped (C4);
//   - no key is in two workers, and no more workers are at work than there are (C2);
//   - a reconcile begins after every event and every delay that was asked for, and none without one
//     of them: what fails comes back after the limiter's delay at the earliest (C3);
//   - a key's failures are those since its last success (C3).
// KUBE_SEEDS chooses other seeds (kube/testing/seeds.hpp).
#include <kube/controller/controller.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <kube/testing/scripted_transport.hpp>
#include <kube/testing/seeds.hpp>

#include "controller_fixture.hpp"

namespace kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kKeys = 5;
constexpr int kCalls = 60;
constexpr auto kLongestRetry = milliseconds(50);

/// What the model knows of a key.
struct KeyModel {
  int failures = 0;
  bool running = false;
  bool marked = false;                ///< An event has come since the last reconcile began.
  std::multiset<TimePoint> delays{};  ///< Ends of delays that may not have led to a reconcile yet.
  int begun = 0;                      ///< Reconciles.
  int begun_when_asked = -1;          ///< The same, when an event or a delay was last asked for.
};

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed)
      : executor_(std::make_shared<SeededExecutor>(seed)),
        transport_(std::make_shared<testing::ScriptedTransport>(
            testing::ScriptedTransport::Options{.executor = executor_})),
        client_(
            *RestClient::create({.host = "http://server"}, {.executor = executor_}, transport_)),
        workers_(1 + draw(3)),
        max_retries_(draw(3) == 0 ? draw(3) : -1),
        first_retry_(milliseconds(draw(3))) {
    transport_->on("GET", "/api/v1/pods", [this](testing::ScriptedCall call) {
      if (call.query("watch")) return;
      list_ = std::move(call);
      if (lists_) answer_list();
    });
    ControllerOptions options;
    options.workers = workers_;
    options.max_retries = max_retries_;
    options.executor = executor_;
    options.rate_limiter =
        std::make_shared<ItemExponentialFailureRateLimiter<ObjectKey>>(first_retry_, kLongestRetry);
    controller_.emplace(
        Runtime{.executor = executor_},
        [this](const ReconcileRequest& request, std::stop_token) { return reconcile(request); },
        std::move(options));
    if (!controller_->watch(pods_)) fail("the informer can't be watched");
  }
  ~RandomRun() {
    controller_->stop_and_wait();
    pods_.stop_and_wait();
    transport_->stop();
    executor_->stop();
  }
  RandomRun(const RandomRun&) = delete;
  RandomRun& operator=(const RandomRun&) = delete;

  /// The first promise that was broken; empty when none was.
  std::string run() {
    const int start_at = draw(kCalls);
    const int list_at = draw(kCalls);
    const int stop_at = draw(4) == 0 ? draw(kCalls) : kCalls;
    for (int i = 0; i < kCalls; ++i) {
      if (i == start_at) start();
      if (i == list_at) answer_list();
      if (i == stop_at) stop();
      call();
    }
    settle();
    return problem_;
  }

 private:
  int draw(int below) {
    return static_cast<int>(executor_->random() % static_cast<std::uint64_t>(below));
  }
  TimePoint now() const { return executor_->clock()->now(); }
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what;
  }

  void start() {
    const bool refused = stopped_;
    started_ = true;
    if (controller_->start().has_value() == refused) fail("start() gave the wrong answer");
    if (!pods_.start()) fail("the informer can't be started");
  }
  /// From now on the server answers lists.
  void answer_list() {
    lists_ = true;
    if (!list_) return;
    std::exchange(list_, std::nullopt)
        ->respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
                       R"("items":[]})");
  }
  void stop() {
    controller_->stop_and_wait();
    stopped_ = true;
  }

  void mark(KeyModel& key) {
    key.marked = true;
    key.begun_when_asked = key.begun;
  }
  void mark_after(KeyModel& key, Duration delay) {
    if (delay <= Duration::zero()) return mark(key);
    key.delays.insert(now() + delay);
    key.begun_when_asked = key.begun;
  }

  /// Something from outside happens, or time passes.
  void call() {
    const ObjectKey key{"ns", std::string(1, static_cast<char>('a' + draw(kKeys)))};
    switch (draw(6)) {
      case 0:
      case 1:
        mark(keys_[key]);
        controller_->enqueue(key);
        break;
      case 2: {
        const Duration delay = milliseconds(draw(20) - 2);
        mark_after(keys_[key], delay);
        controller_->enqueue_after(key, delay);
        break;
      }
      case 3:
        executor_->step();
        break;
      case 4:
        executor_->run_ready();
        break;
      default:
        executor_->run_for(milliseconds(draw(10)));
        break;
    }
  }

  Result<ReconcileResult> reconcile(const ReconcileRequest& request) {
    begin(request);
    // Meanwhile there are events, of this key and others, and the other workers go on.
    if (draw(4) == 0) {
      mark(keys_[request.key]);
      controller_->enqueue(request.key);
    }
    if (depth_ < 3 && draw(2) == 0) {
      ++depth_;
      for (int i = draw(3); i > 0; --i) settling_ ? void(executor_->step()) : call();
      --depth_;
    }
    keys_[request.key].running = false;
    --inside_;
    return end(request);
  }

  void begin(const ReconcileRequest& request) {
    const std::string name = request.key.to_string();
    KeyModel& key = keys_[request.key];
    if (!started_ || !pods_.has_synced())
      fail(name + ": reconciled before the informer has synced");
    if (stopped_) fail(name + ": reconciled after stop_and_wait()");
    if (std::exchange(key.running, true)) fail(name + ": in two workers");
    if (++inside_ > workers_) fail("more workers than there are");
    if (request.retries != key.failures) {
      fail(name + ": " + std::to_string(request.retries) + " retries after " +
           std::to_string(key.failures) + " failures");
    }
    ++key.begun;
    if (std::exchange(key.marked, false)) return;
    if (key.delays.empty() || *key.delays.begin() > now()) {
      fail(name + ": reconciled without an event or the end of a delay");
    } else {
      key.delays.erase(key.delays.begin());
    }
  }

  Result<ReconcileResult> end(const ReconcileRequest& request) {
    KeyModel& key = keys_[request.key];
    const int chance = settling_ ? 2 : draw(6);
    if (chance == 0) {
      const Duration delay = std::min<Duration>(first_retry_ * (1 << key.failures), kLongestRetry);
      const bool gives_up = max_retries_ >= 0 && key.failures >= max_retries_;
      key.failures = gives_up ? 0 : key.failures + 1;
      if (!gives_up) mark_after(key, std::max(delay, ReconcileResult::kMinDelay));
      return testing::broken();
    }
    key.failures = 0;
    if (chance != 1) return ReconcileResult::done();
    const Duration delay = milliseconds(draw(10));
    if (delay > Duration::zero()) mark_after(key, delay);
    return ReconcileResult::requeue_after(delay);
  }

  /// When everything succeeds, nothing is owed after a while.
  void settle() {
    settling_ = true;
    if (!started_) start();
    answer_list();
    executor_->run_for(seconds(60));
    const ControllerStatus status = controller_->status();
    if (status.running != 0) fail("a worker is at work for ever");
    if (executor_->failed_tasks() != 0) fail("a task threw");
    if (stopped_) return;
    if (status.state != ControllerState::Running) fail("the controller never ran");
    if (status.queued != 0) fail(std::to_string(status.queued) + " keys wait for ever");
    for (const auto& [name, key] : keys_) {
      if (key.begun <= key.begun_when_asked) fail(name.to_string() + ": lost");
    }
  }

  const std::shared_ptr<SeededExecutor> executor_;
  const std::shared_ptr<testing::ScriptedTransport> transport_;
  const RestClient client_;
  std::optional<testing::ScriptedCall> list_;
  SharedInformer<Unstructured> pods_{
      client_, {"", "v1", "Pod", "pods", "pod", true}, {.watch_list = false}};
  std::map<ObjectKey, KeyModel> keys_;
  std::string problem_;
  const int workers_;
  const int max_retries_;
  const Duration first_retry_;
  int inside_ = 0;
  int depth_ = 0;
  bool lists_ = false;
  bool started_ = false;
  bool stopped_ = false;
  bool settling_ = false;
  std::optional<Controller> controller_;
};

TEST(ControllerSchedules, KeepEveryPromise) {
  int problems = 0;
  for (const std::uint64_t seed : testing::chosen_seeds(3000)) {
    const std::string problem = RandomRun(seed).run();
    if (problem.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << problem;
    if (++problems == 3) break;
  }
}

}  // namespace
}  // namespace kube
