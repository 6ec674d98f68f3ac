// SPDX-License-Identifier: Apache-2.0
//
// Keys, workers and the end of a controller. What needs informers is in controller_watch_test.cpp,
// what needs servers in tests/scenarios.
#include <kube/controller/controller.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "controller_fixture.hpp"

namespace kube {
namespace {

using std::chrono::seconds;
using testing::broken;
using testing::ControllerTest;
using testing::done;

static_assert(!std::is_copy_constructible_v<Controller>);
static_assert(!std::is_move_constructible_v<Controller>);

TEST_F(ControllerTest, ReconcilesEachEnqueuedKeyOnceHoweverOftenItWasEnqueued) {
  std::map<std::string, int> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) {
        ++calls[request.key.to_string()];
        return done();
      },
      options());
  for (int i = 0; i < 3; ++i) {
    controller.enqueue({"default", "a"});
    controller.enqueue({"", "node"});
  }
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(calls, (std::map<std::string, int>{{"default/a", 1}, {"node", 1}}));
  EXPECT_EQ(controller.status().reconciled, 2u);
  EXPECT_EQ(controller.status().queued, 0u);
}

TEST_F(ControllerTest, DoesNothingBeforeItsStart) {
  int calls = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) {
        ++calls;
        return done();
      },
      options());
  controller.enqueue({"", "a"});
  executor_->run_ready();
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(calls, 1);
}

TEST_F(ControllerTest, StartsOnlyOnce) {
  Controller controller(
      runtime(), [](const ReconcileRequest&, std::stop_token) { return done(); }, options());
  ASSERT_TRUE(controller.start());
  const auto again = controller.start();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::InvalidArgument);
}

/// Throws where it is told to.
TEST_F(ControllerTest, LoggersAndMetricsThatThrowCostNoWorker) {
  struct Throwing final : Logger, metrics::Provider, metrics::CounterImpl, metrics::HistogramImpl {
    bool enabled(LogLevel, std::string_view) const override { return true; }
    void write(const LogRecord&) override { fail(); }
    std::shared_ptr<metrics::CounterImpl> counter(std::string_view,
                                                  const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    std::shared_ptr<metrics::GaugeImpl> gauge(std::string_view, const metrics::Labels&) override {
      throw std::runtime_error("no gauges");
    }
    std::shared_ptr<metrics::HistogramImpl> histogram(std::string_view,
                                                      const metrics::Labels&) override {
      return {std::shared_ptr<void>(), this};
    }
    void add(double) override { fail(); }
    void observe(double) override { fail(); }
    void fail() {
      ++failures;
      throw std::runtime_error("disk full");
    }
    int failures = 0;
  };
  const auto throwing = std::make_shared<Throwing>();
  Runtime world = runtime();
  world.logger = throwing;
  world.metrics = throwing;
  int calls = 0;
  Controller controller(
      world,
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        if (++calls < 3) return broken();
        return done();
      },
      options());
  ASSERT_TRUE(controller.start());
  controller.enqueue({"", "a"});
  executor_->run_for(seconds(10));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(controller.status().failed, 2u);
  EXPECT_EQ(controller.status().reconciled, 1u);
  EXPECT_GT(throwing->failures, 5);
}

TEST_F(ControllerTest, AnExecutorThatThrowsCostsNoWorkerForGood) {
  struct Picky final : Executor {
    explicit Picky(std::shared_ptr<Executor> to) : below(std::move(to)) {}
    void submit(Task task) override {
      if (++submits <= 2 || submits == 4) throw std::runtime_error("no threads left");
      below->submit(std::move(task));
    }
    Timer submit_at(TimePoint when, Task task) override {
      return below->submit_at(when, std::move(task));
    }
    const std::shared_ptr<Clock>& clock() const override { return below->clock(); }
    std::shared_ptr<Executor> below;
    int submits = 0;
  };
  ControllerOptions picky = options();
  picky.executor = std::make_shared<Picky>(executor_);
  std::vector<std::string> calls;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) {
        calls.push_back(request.key.name);
        return done();
      },
      picky);
  ASSERT_TRUE(controller.start());
  for (const char* name : {"a", "b", "c"}) controller.enqueue({"", name});
  executor_->run_ready();
  EXPECT_EQ(calls, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(ControllerTest, AnEventDuringTheWorkCausesOneMoreRunAfterIt) {
  int calls = 0;
  Controller* self = nullptr;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) {
        if (++calls == 1) {
          for (int i = 0; i < 3; ++i) self->enqueue(request.key);
          executor_->run_ready();
          EXPECT_EQ(calls, 1) << "the key is in work: nobody else may take it";
        }
        return done();
      },
      options(4));
  self = &controller;
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(calls, 2);
}

TEST_F(ControllerTest, NothingRunsAfterStopAndQueuedKeysAreDropped) {
  int calls = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) {
        ++calls;
        return done();
      },
      options());
  ASSERT_TRUE(controller.start());
  controller.enqueue({"", "a"});
  controller.stop_and_wait();
  controller.stop_and_wait();
  controller.enqueue({"", "b"});
  controller.enqueue_after({"", "c"}, seconds(1));
  executor_->run_for(seconds(60));
  EXPECT_EQ(calls, 0);
}

TEST_F(ControllerTest, CanBeStoppedBeforeItsStartAndDestroyedWithoutEither) {
  {
    Controller controller(
        runtime(), [](const ReconcileRequest&, std::stop_token) { return done(); }, options());
    controller.stop_and_wait();
    EXPECT_FALSE(controller.start()) << "stopped for good";
  }
  const Controller unused(runtime(),
                          [](const ReconcileRequest&, std::stop_token) { return done(); });
}

TEST_F(ControllerTest, AReconcilerMayStopItsController) {
  Controller* self = nullptr;
  int calls = 0;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token stop) {
        ++calls;
        self->stop_and_wait();
        EXPECT_TRUE(stop.stop_requested());
        return done();
      },
      options());
  self = &controller;
  controller.enqueue({"", "a"});
  controller.enqueue({"", "b"});
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(calls, 1);
}

TEST_F(ControllerTest, AReconcilerMayDestroyItsController) {
  std::unique_ptr<Controller> controller;
  int calls = 0;
  controller = std::make_unique<Controller>(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) {
        ++calls;
        controller.reset();
        return done();
      },
      options(2));
  for (const char* name : {"a", "b", "c"}) controller->enqueue({"", name});
  ASSERT_TRUE(controller->start());
  executor_->run_for(seconds(60));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(executor_->failed_tasks(), 0u);
}

TEST_F(ControllerTest, AKeyThatItsReconcilerEnqueuesKeepsNoOtherWaiting) {
  std::vector<std::string> calls;
  Controller* self = nullptr;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest& request, std::stop_token) {
        calls.push_back(request.key.name);
        if (request.key.name == "hot" && calls.size() < 6) self->enqueue(request.key);
        return done();
      },
      options());
  self = &controller;
  for (const char* name : {"hot", "a", "b"}) controller.enqueue({"", name});
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(calls, (std::vector<std::string>{"hot", "a", "b", "hot", "hot", "hot"}));
}

TEST_F(ControllerTest, CancelledByTheStopIsNoFailure) {
  Controller* self = nullptr;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        self->stop();
        return Error(ErrorCode::Cancelled, "stopped");
      },
      options());
  self = &controller;
  controller.enqueue({"", "a"});
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  EXPECT_EQ(controller.status().failed, 0u);
}

TEST_F(ControllerTest, TheSameSeedRunsTheSameSchedule) {
  const auto run = [](std::uint64_t seed) {
    auto executor = std::make_shared<SeededExecutor>(seed);
    std::vector<std::string> order;
    ControllerOptions options;
    options.workers = 3;
    options.executor = executor;
    Controller controller(
        {.executor = executor},
        [&](const ReconcileRequest& request, std::stop_token) -> Result<ReconcileResult> {
          order.push_back(request.key.name);
          if (executor->random() % 3 == 0) return broken();
          return done();
        },
        options);
    EXPECT_TRUE(controller.start());
    for (char name = 'a'; name < 'k'; ++name) controller.enqueue({"", std::string(1, name)});
    executor->run_for(seconds(60));
    EXPECT_EQ(controller.status().reconciled, 10u);
    return order;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_EQ(run(2), run(2));
}

/// Gives the same delay each time.
TEST_F(ControllerTest, StartNamesWhatIsWrongWithTheOptionsAndMayBeCalledAgain) {
  const auto reconcile = [](const ReconcileRequest&, std::stop_token) { return done(); };
  for (const int workers : {0, -1}) {
    Controller controller(runtime(), reconcile, options(workers));
    for (int round = 0; round < 2; ++round) {
      const auto started = controller.start();
      ASSERT_FALSE(started);
      EXPECT_EQ(started.error().code(), ErrorCode::InvalidArgument);
      EXPECT_EQ(started.error().message(), "controller controller: workers is " +
                                               std::to_string(workers) + "; expected at least 1");
    }
  }
  Controller controller(runtime(), nullptr, options());
  const auto started = controller.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message(), "controller controller: it has no reconciler");
}

TEST_F(ControllerTest, SaysWhatItDoes) {
  Controller controller(
      runtime(), [](const ReconcileRequest&, std::stop_token) { return done(); }, options());
  EXPECT_EQ(controller.status().state, ControllerState::NotStarted);
  ASSERT_TRUE(controller.start());
  EXPECT_EQ(controller.status().state, ControllerState::Running) << "nothing to wait for";
  controller.stop();
  EXPECT_EQ(controller.status().state, ControllerState::Stopped);
  EXPECT_EQ(to_string(ControllerState::Syncing), "Syncing");
}

// On real threads: as many keys at a time as there are workers, never one twice.
TEST(ControllerThreads, WorkersRunSideBySideOnTheirOwnThreadsAndStopWaitsForThem) {
  constexpr int kWorkers = 3;
  auto pool = std::make_shared<ThreadPool>();
  std::atomic<int> inside{0};
  std::promise<void> all_inside;
  ControllerOptions options;
  options.workers = kWorkers;
  Controller controller(
      {.executor = pool},
      [&](const ReconcileRequest&, std::stop_token stop) {
        if (++inside == kWorkers) all_inside.set_value();
        std::mutex mutex;
        std::condition_variable_any woken;
        std::unique_lock lock(mutex);
        woken.wait(lock, stop, [] { return false; });  // until the controller stops
        --inside;
        return done();
      },
      options);
  ASSERT_TRUE(controller.start());
  for (int i = 0; i < 10; ++i) controller.enqueue({"", std::to_string(i)});
  all_inside.get_future().wait();
  EXPECT_EQ(controller.status().running, 3u);
  controller.stop_and_wait();
  EXPECT_EQ(inside, 0);
  EXPECT_EQ(controller.status().reconciled, 3u);
}

TEST(ControllerThreads, AReconcilerMayDestroyItsControllerOnTheControllersOwnThread) {
  auto pool = std::make_shared<ThreadPool>();
  std::unique_ptr<Controller> controller;
  std::promise<void> destroyed;
  controller = std::make_unique<Controller>(Runtime{.executor = pool},
                                            [&](const ReconcileRequest&, std::stop_token) {
                                              controller.reset();
                                              destroyed.set_value();
                                              return done();
                                            });
  controller->enqueue({"", "a"});
  ASSERT_TRUE(controller->start());
  destroyed.get_future().wait();
  pool->stop();
}

TEST(ControllerThreads, StopWaitsForTheKeysFunctionUnderWay) {
  auto pool = std::make_shared<ThreadPool>();
  auto transport = std::make_shared<testing::ScriptedTransport>();
  transport->on("GET", "/api/v1/pods", [](testing::ScriptedCall call) {
    if (call.query("watch")) return;
    call.respond(
        200,
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
        R"("items":[{"metadata":{"name":"a","namespace":"x","uid":"1","resourceVersion":"1"}}]})");
  });
  const auto client = RestClient::create({.host = "http://server"}, {.executor = pool}, transport);
  SharedInformer<Unstructured> pods(*client, {"", "v1", "Pod", "pods", "pod", true},
                                    {.watch_list = false});
  std::promise<void> inside;
  std::atomic<bool> stopping{false};
  std::atomic<bool> returned{false};
  Controller controller({.executor = pool},
                        [](const ReconcileRequest&, std::stop_token) { return done(); });
  ASSERT_TRUE(controller.watch<Unstructured>(pods, [&](const Cached<Unstructured>&) {
    inside.set_value();
    EXPECT_TRUE(kube::testing::eventually([&] { return stopping.load(); }));
    std::this_thread::yield();
    returned = true;
    return std::vector<ObjectKey>{};
  }));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(pods.start());
  inside.get_future().wait();
  stopping = true;
  controller.stop_and_wait();
  EXPECT_TRUE(returned);
  pods.stop_and_wait();
  pool->stop();
}

}  // namespace
}  // namespace kube
