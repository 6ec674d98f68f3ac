// SPDX-License-Identifier: Apache-2.0
//
// A reconciler that writes is not run again on a cache without its write [C5].
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/controller/controller.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/scripted_transport.hpp>
#include <kube/testing/seeds.hpp>

#include "controller_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using testing::RecordingLogger;
using testing::ScriptedCall;

std::string child_text(const std::string& name, int version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"x","name":")" + name +
         R"(","uid":"u","resourceVersion":")" + std::to_string(version) + R"("}})";
}

/// What the gauge and the counter of waits are.
struct WaitMetrics final : metrics::Provider {
  struct Set final : metrics::GaugeImpl, metrics::CounterImpl {
    explicit Set(double& to) : value(to) {}
    void set(double to) override { value = to; }
    void add(double amount) override { value += amount; }
    double& value;
  };
  std::shared_ptr<metrics::CounterImpl> counter(std::string_view name,
                                                const metrics::Labels&) override {
    return std::make_shared<Set>(values[std::string(name)]);
  }
  std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view name,
                                            const metrics::Labels&) override {
    return std::make_shared<Set>(values[std::string(name)]);
  }
  std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                    const metrics::Labels&) override {
    return nullptr;
  }
  double held() const { return values.at("controller_held_keys"); }
  double expired() const { return values.at("controller_write_waits_expired_total"); }
  std::map<std::string, double> values{};
};

/// Parents that want one pod of their name each. The server's watch is late, as the test decides.
class World {
 public:
  World(std::uint64_t seed, bool reports_writes, Duration max_write_wait = 2min)
      : executor(std::make_shared<SeededExecutor>(seed)),
        transport(std::make_shared<testing::ScriptedTransport>(
            testing::ScriptedTransport::Options{.executor = executor})),
        reports_writes_(reports_writes) {
    transport->on("GET", "/api/v1/pods", [this](ScriptedCall call) {
      if (call.query("watch")) {
        watch = std::move(call);
      } else {
        call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":)"
                          R"({"resourceVersion":"10"},"items":[]})");
      }
    });
    runtime = Runtime{.executor = executor, .logger = log, .metrics = numbers};
    pods.emplace(*RestClient::create({.host = "http://server"}, runtime, transport),
                 meta::ResourceInfo{"", "v1", "Pod", "pods", "pod", true},
                 InformerOptions{.watch_list = false});
    ControllerOptions options;
    options.executor = executor;
    options.workers = 2;
    options.max_write_wait = max_write_wait;
    controller.emplace(
        runtime,
        [this](const ReconcileRequest& request, std::stop_token) { return reconcile(request); },
        options);
    EXPECT_TRUE(controller->watch(*pods));
    EXPECT_TRUE(controller->start());
    EXPECT_TRUE(pods->start());
    executor->run_ready();
  }
  ~World() {
    controller->stop_and_wait();
    pods->stop_and_wait();
    transport->stop();
    executor->stop();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Result<ReconcileResult> reconcile(const ReconcileRequest& request) {
    ++reconciles[request.key.name];
    if (pods->lister().find(request.key)) return ReconcileResult::done();
    const int version = ++last_version;
    ++created[request.key.name];
    unsent.push_back(child_text(request.key.name, version));
    if (reports_writes_) request.written(*pods, std::to_string(version));
    if (fails) return testing::broken();
    return ReconcileResult::done();
  }
  /// The watch reports the first write that it has not reported.
  void send_one() {
    if (unsent.empty() || !watch) return;
    watch->data(R"({"type":"ADDED","object":)" + unsent.front() + "}\n");
    unsent.erase(unsent.begin());
  }
  void enqueue(const std::string& name) { controller->enqueue({"x", name}); }

  std::shared_ptr<SeededExecutor> executor;
  std::shared_ptr<testing::ScriptedTransport> transport;
  std::shared_ptr<WaitMetrics> numbers = std::make_shared<WaitMetrics>();
  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  Runtime runtime;
  std::optional<SharedInformer<Unstructured>> pods;
  std::optional<ScriptedCall> watch;
  std::vector<std::string> unsent;
  std::map<std::string, int> created;
  std::map<std::string, int> reconciles;
  int last_version = 10;
  bool fails = false;
  std::optional<Controller> controller;

 private:
  const bool reports_writes_;
};

TEST(ReadYourWrites, AKeyWaitsForItsWriteAndRunsOnceMoreForWhatCameMeanwhile) {
  World world(1, true);
  world.enqueue("a");
  world.executor->run_for(1s);
  EXPECT_EQ(world.created["a"], 1);
  EXPECT_EQ(world.controller->status().held, 1U);
  EXPECT_EQ(world.numbers->held(), 1);
  for (int i = 0; i < 5; ++i) {
    world.enqueue("a");
    world.executor->run_for(1s);
  }
  EXPECT_EQ(world.reconciles["a"], 1) << "the cache has no pod yet";
  world.enqueue("b");
  world.executor->run_for(1s);
  EXPECT_EQ(world.reconciles["b"], 1) << "other keys go on";
  world.send_one();
  world.executor->run_for(1s);
  EXPECT_GE(world.reconciles["a"], 2);
  EXPECT_LE(world.reconciles["a"], 3) << "what waited, and the event of the pod";
  EXPECT_EQ(world.created["a"], 1);
  EXPECT_EQ(world.controller->status().held, 1U) << "b";
  EXPECT_EQ(world.numbers->held(), 1);
  world.send_one();
  world.executor->run_for(1s);
  EXPECT_EQ(world.numbers->held(), 0);
  EXPECT_EQ(world.numbers->expired(), 0);
}

TEST(ReadYourWrites, AKeyWithoutAnEventIsNotReconciledWhenItsWriteArrives) {
  World world(1, true);
  world.enqueue("a");
  world.executor->run_for(1s);
  // A bookmark says that the cache has the version, without an event of the object.
  world.watch->data(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                    R"({"resourceVersion":"11"}}})"
                    "\n");
  world.executor->run_for(1s);
  EXPECT_EQ(world.controller->status().held, 0U);
  EXPECT_EQ(world.numbers->held(), 0);
  EXPECT_EQ(world.reconciles["a"], 1);
}

TEST(ReadYourWrites, AFailureAfterTheWriteWaitsToo) {
  World world(1, true);
  world.fails = true;
  world.enqueue("a");
  world.executor->run_for(1min);
  EXPECT_EQ(world.reconciles["a"], 1) << "its retries wait";
  world.fails = false;
  world.send_one();
  world.executor->run_for(1min);
  EXPECT_GE(world.reconciles["a"], 2);
  EXPECT_EQ(world.created["a"], 1);
}

TEST(ReadYourWrites, TheWaitHasABoundAndIsLogged) {
  World world(1, true, 10s);
  world.enqueue("a");
  world.executor->run_for(1s);
  world.enqueue("a");
  world.executor->run_for(8s);
  EXPECT_EQ(world.reconciles["a"], 1);
  EXPECT_TRUE(world.log->take_lines().empty());
  EXPECT_EQ(world.numbers->held(), 1);
  world.executor->run_for(2s);
  EXPECT_EQ(world.reconciles["a"], 2);
  EXPECT_EQ(world.numbers->held(), 1) << "by what it has written again";
  EXPECT_EQ(world.numbers->expired(), 1);
  EXPECT_THAT(world.log->take_lines(),
              ::testing::ElementsAre("warning controller: a cache lacks what was written; its key "
                                     "is no longer held back controller=controller key=x/a"));
}

TEST(ReadYourWrites, StoppingDropsWhatIsHeld) {
  World world(1, true);
  world.enqueue("a");
  world.executor->run_for(1s);
  world.enqueue("a");
  world.executor->run_for(1s);
  world.controller->stop_and_wait();
  EXPECT_EQ(world.controller->status().held, 0U);
  world.send_one();
  world.executor->run_for(5min);
  EXPECT_EQ(world.reconciles["a"], 1);
  EXPECT_TRUE(world.log->take_lines().empty());
}

TEST(ReadYourWrites, ARequestThatNoControllerMadeReportsNothing) {
  World world(1, false);
  const ReconcileRequest request{{"x", "a"}};
  request.written(*world.pods, *unstructured_from_json(child_text("a", 11)));
}

/// Events of a few keys and late watch events, as the seed decides; returns the pods that were made
/// twice.
int duplicates(std::uint64_t seed, bool reports_writes) {
  World world(seed, reports_writes);
  const auto draw = [&](std::uint64_t below) { return world.executor->random() % below; };
  for (int step = 0; step < 40; ++step) {
    const std::uint64_t what = draw(4);
    if (what == 0) world.enqueue(std::string(1, static_cast<char>('a' + draw(4))));
    if (what == 1) world.send_one();
    if (what == 2) world.executor->run_ready();
    if (what == 3) world.executor->run_for(std::chrono::milliseconds(draw(20)));
  }
  world.executor->run_for(1s);
  while (!world.unsent.empty()) {
    world.send_one();
    world.executor->run_for(1s);
  }
  world.executor->run_for(1s);
  EXPECT_EQ(world.controller->status().held, 0U) << "seed " << seed;
  EXPECT_EQ(world.controller->status().queued, 0U) << "seed " << seed;
  int twice = 0;
  for (const auto& [name, count] : world.created) twice += count > 1 ? 1 : 0;
  return twice;
}

TEST(ReadYourWrites, InEverySeedNoPodIsMadeTwiceAndWithoutReportsSomeAre) {
  int without = 0;
  for (const std::uint64_t seed : testing::chosen_seeds(300)) {
    ASSERT_EQ(duplicates(seed, true), 0) << "seed " << seed;
    without += duplicates(seed, false);
  }
  EXPECT_GT(without, 0);
}

}  // namespace
}  // namespace kube
