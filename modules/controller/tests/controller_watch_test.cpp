// SPDX-License-Identifier: Apache-2.0
//
// The controller and the informers that it watches, on a seeded executor.
#include <kube/controller/controller.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Informer = SharedInformer<Unstructured>;
using Objects = Cached<Unstructured>;

/// A server with one pod, and a controller that counts its reconciles.
class ControllerWatchTest : public ::testing::Test {
 protected:
  ControllerWatchTest() {
    transport_->on("GET", "/api/v1/pods", [this](testing::ScriptedCall call) {
      if (call.query("watch")) {
        watch_ = call.head(200);
        return;
      }
      call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},)"
                        R"("items":[)" +
                            pod("1") + "]}");
    });
    transport_->on("GET", "/apis/apps/v1/deployments",
                   [this](testing::ScriptedCall call) { deployment_list_ = std::move(call); });
  }
  /// Requests and timers that nobody waited for hold the client, and so these two.
  ~ControllerWatchTest() override {
    pods_.stop_and_wait();
    deployments_.stop_and_wait();
    transport_->stop();
    executor_->stop();
  }

  static std::string pod(const std::string& version) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","uid":"1",)"
           R"("resourceVersion":")" +
           version + R"("}})";
  }
  Runtime runtime() { return {.executor = executor_, .logger = log_}; }
  ControllerOptions options(std::string name = "demo") {
    return {.name = std::move(name), .executor = executor_};
  }
  Reconciler count() {
    return [this](const ReconcileRequest& request, std::stop_token) {
      keys_.push_back(request.key.to_string());
      return Result<ReconcileResult>(ReconcileResult::done());
    };
  }
  std::vector<std::string> awaited(const Controller& controller) {
    std::vector<std::string> result;
    for (const AwaitedInformer& each : controller.status().waiting_for) {
      result.push_back(each.resource + " " + std::string(to_string(each.state)));
    }
    return result;
  }

  const std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  const std::shared_ptr<testing::RecordingLogger> log_ =
      std::make_shared<testing::RecordingLogger>(LogLevel::Warning);
  const std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(
          testing::ScriptedTransport::Options{.executor = executor_});
  const RestClient client_ =
      *RestClient::create({.host = "http://server"}, {.executor = executor_}, transport_);
  Informer pods_{client_, {"", "v1", "Pod", "pods", "pod", true}, {.watch_list = false}};
  Informer deployments_{client_,
                        {"apps", "v1", "Deployment", "deployments", "deployment", true},
                        {.watch_list = false}};
  std::optional<testing::ScriptedCall> watch_;
  std::optional<testing::ScriptedCall> deployment_list_;
  std::vector<std::string> keys_;
};

TEST_F(ControllerWatchTest, WhatAnInitialListBringsComesLastWhenItIsAskedFor) {
  for (const bool last : {false, true}) {
    SCOPED_TRACE(last);
    keys_.clear();
    Informer informer(client_, {"", "v1", "Pod", "pods", "pod", true}, {.watch_list = false});
    ControllerOptions how = options();
    how.unchanged_last = last;
    Controller controller(runtime(), count(), how);
    ASSERT_TRUE(controller.watch(informer));
    ASSERT_TRUE(informer.start());
    executor_->run_for(seconds(1));
    ASSERT_TRUE(informer.has_synced());
    controller.enqueue({"x", "later"});
    ASSERT_TRUE(controller.start());
    executor_->run_for(seconds(1));
    EXPECT_EQ(keys_, last ? (std::vector<std::string>{"x/later", "x/a"})
                          : (std::vector<std::string>{"x/a", "x/later"}));
    // Asked for again before it is taken, it is as urgent as others.
    keys_.clear();
    watch_->data(R"({"type":"MODIFIED","object":)" + pod("7") + "}\n");
    executor_->run_for(seconds(1));
    EXPECT_EQ(keys_, (std::vector<std::string>{"x/a"}));
    controller.stop_and_wait();
    informer.stop_and_wait();
  }
}

TEST_F(ControllerWatchTest, RefusesAnInformerAfterStart) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.start());
  executor_->run_ready();
  const auto watched = controller.watch(pods_);
  ASSERT_FALSE(watched) << "its keys would be reconciled before it has synced";
  EXPECT_EQ(watched.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(watched.error().message(),
            "controller demo: watch pods: expected before start(); the controller is Running");
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  ASSERT_TRUE(pods_.has_synced());
  EXPECT_TRUE(pods_.status().handlers.empty()) << "nothing of a refused watch stays";
  EXPECT_TRUE(keys_.empty());
}

TEST_F(ControllerWatchTest, RefusesAnInformerWhileItSyncsAndAfterStop) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.start());
  EXPECT_EQ(controller.watch(deployments_).error().message(),
            "controller demo: watch deployments.apps: expected before start(); the controller is "
            "Syncing");
  controller.stop();
  EXPECT_EQ(controller.watch(deployments_).error().message(),
            "controller demo: watch deployments.apps: expected before start(); the controller is "
            "Stopped");
}

TEST_F(ControllerWatchTest, RefusesAnInformerThatIsStopped) {
  pods_.stop();
  Controller controller(runtime(), count(), options());
  const auto watched = controller.watch(pods_);
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(watched.error().message(),
            "controller demo: watch pods: the informer is stopped, and will never sync");
}

TEST_F(ControllerWatchTest, StartRefusesAnInformerThatWasStoppedMeanwhile) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  pods_.stop();
  const auto started = controller.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(started.error().message(),
            "controller demo: the informer of pods is stopped, and will never sync");
}

// [C1]
TEST_F(ControllerWatchTest, NoKeyIsReconciledBeforeEveryInformerHasSynced) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.watch(deployments_));
  controller.enqueue({"", "own"});
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(deployments_.start());
  executor_->run_for(seconds(1));
  ASSERT_TRUE(pods_.has_synced());
  EXPECT_TRUE(keys_.empty()) << "the server says nothing of deployments";
  ASSERT_TRUE(deployment_list_);
  deployment_list_->respond(200, R"({"kind":"DeploymentList","apiVersion":"apps/v1",)"
                                 R"("metadata":{"resourceVersion":"1"},"items":[]})");
  executor_->run_for(seconds(1));
  EXPECT_EQ(keys_, (std::vector<std::string>{"own", "x/a"}));
  EXPECT_EQ(controller.status().state, ControllerState::Running);
}

TEST_F(ControllerWatchTest, SaysWhichInformersItWaitsFor) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.watch(deployments_));
  EXPECT_TRUE(awaited(controller).empty()) << "not started";
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(deployments_.start());
  executor_->run_for(seconds(1));
  EXPECT_EQ(controller.status().state, ControllerState::Syncing);
  EXPECT_EQ(awaited(controller),
            (std::vector<std::string>{"pods NotStarted", "deployments.apps Listing"}));
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  EXPECT_EQ(awaited(controller), (std::vector<std::string>{"deployments.apps Listing"}));
  controller.stop();
  EXPECT_TRUE(awaited(controller).empty());
}

TEST_F(ControllerWatchTest, AForgottenStartIsInTheLog) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.watch(deployments_));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(deployments_.start());
  executor_->run_for(seconds(9));
  EXPECT_TRUE(log_->lines().empty());
  executor_->run_for(seconds(1));
  EXPECT_EQ(log_->lines(), (std::vector<std::string>{
                               "warning controller: no worker starts: an informer was not started "
                               "controller=demo resource=pods state=NotStarted",
                               "warning controller: no worker starts: an informer has not synced "
                               "controller=demo resource=deployments.apps state=Listing"}));
  executor_->run_for(seconds(180));
  EXPECT_EQ(log_->entries().size(), 8u) << "and again every minute";
  controller.stop();
  executor_->run_for(seconds(180));
  EXPECT_EQ(log_->entries().size(), 8u);
}

TEST_F(ControllerWatchTest, KeysOfOneThatWasNotStartedAreInTheLog) {
  const std::vector<std::string> reminder{
      "warning controller: keys wait, but it was not started: call start() controller=demo"};
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  executor_->run_for(seconds(60));
  log_->take_lines();  // of the informer
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(4));
  EXPECT_TRUE(log_->lines().empty());
  executor_->run_for(seconds(60));
  EXPECT_EQ(log_->lines(), reminder) << "once";
  for (const Duration delay : {Duration::zero(), Duration(seconds(60))}) {
    log_->take_lines();
    Controller other(runtime(), count(), options());
    other.enqueue_after({"", "own"}, delay);
    executor_->run_for(seconds(30));
    EXPECT_EQ(log_->lines(), reminder);
  }
}

TEST_F(ControllerWatchTest, OneThatIsStartedOrStoppedInTimeDoesNotRemind) {
  Controller started(runtime(), count(), options());
  Controller stopped(runtime(), count(), options());
  auto gone = std::make_unique<Controller>(runtime(), count(), options());
  for (Controller* controller : {&started, &stopped, gone.get()}) controller->enqueue({"", "own"});
  executor_->run_for(seconds(4));
  ASSERT_TRUE(started.start());
  stopped.stop();
  gone.reset();
  executor_->run_for(seconds(60));
  EXPECT_TRUE(log_->lines().empty());
}

TEST_F(ControllerWatchTest, ASyncedControllerDoesNotWarn) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(600));
  EXPECT_EQ(keys_, (std::vector<std::string>{"x/a"}));
  EXPECT_THAT(log_->lines(),
              ::testing::Not(::testing::Contains(::testing::HasSubstr("no worker"))));
}

TEST_F(ControllerWatchTest, KeysThatThrowForTheOldStateCostNotThoseOfTheNew) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch<Unstructured>(pods_, [](const Objects& object) {
    if (object.resource_version() == "1") throw std::runtime_error("surprise");
    return std::vector<ObjectKey>{object.object_key()};
  }));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  EXPECT_TRUE(keys_.empty());
  ASSERT_TRUE(watch_);
  watch_->data(R"({"type":"MODIFIED","object":)" + pod("2") + "}\n");
  executor_->run_for(seconds(1));
  EXPECT_EQ(keys_, (std::vector<std::string>{"x/a"}));
  ASSERT_EQ(pods_.status().handlers.size(), 1u);
  EXPECT_EQ(pods_.status().handlers[0].name, "demo");
  EXPECT_EQ(pods_.status().handlers[0].failures, 2u);
}

TEST_F(ControllerWatchTest, AKeysFunctionMayStopItsController) {
  Controller* self = nullptr;
  Controller controller(runtime(), count(), options());
  self = &controller;
  ASSERT_TRUE(controller.watch<Unstructured>(pods_, [&](const Objects& object) {
    self->stop_and_wait();
    return std::vector<ObjectKey>{object.object_key()};
  }));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(60));
  EXPECT_TRUE(keys_.empty());
  EXPECT_EQ(controller.status().state, ControllerState::Stopped);
}

TEST_F(ControllerWatchTest, AControllerMayBeDestroyedBeforeItsInformerHasSynced) {
  {
    Controller controller(runtime(), count(), options());
    ASSERT_TRUE(controller.watch(pods_));
    ASSERT_TRUE(controller.start());
  }
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(600));
  EXPECT_TRUE(pods_.has_synced());
  EXPECT_TRUE(keys_.empty());
  EXPECT_TRUE(log_->lines().empty());
}

TEST_F(ControllerWatchTest, TwoControllersOfOneNameWorkSideBySide) {
  Controller one(runtime(), count(), options());
  Controller other(runtime(), count(), options());
  ASSERT_TRUE(one.watch(pods_));
  ASSERT_TRUE(other.watch(pods_));
  ASSERT_TRUE(one.start());
  ASSERT_TRUE(other.start());
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  EXPECT_EQ(keys_, (std::vector<std::string>{"x/a", "x/a"}));
}

TEST_F(ControllerWatchTest, ItsWatchedInformersAndHandlersHaveAState) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.start());
  EXPECT_EQ(controller.watched().at(0).informer.state, InformerState::NotStarted);
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  const std::vector<WatchedInformer> watched = controller.watched();
  ASSERT_EQ(watched.size(), 1U);
  EXPECT_EQ(watched[0].resource, "pods");
  EXPECT_EQ(watched[0].informer.last_sync_resource_version, "1");
  EXPECT_EQ(watched[0].handler.name, "demo");
  EXPECT_EQ(watched[0].handler.delivered, 1U);

  EXPECT_TRUE(controller.wait_for_handlers({}));
  executor_->run_ready();
  EXPECT_EQ(pods_.status().handlers.size(), 1U) << "the handler of the wait is gone";
  pods_.stop_and_wait();
  EXPECT_FALSE(controller.wait_for_handlers({}));
}

TEST_F(ControllerWatchTest, WaitingForHandlersPassesOnWhatTheStoreHas) {
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods_));
  ASSERT_TRUE(controller.start());
  ASSERT_TRUE(pods_.start());
  executor_->run_for(seconds(1));
  keys_.clear();
  for (int version = 2; version < 50; ++version) {
    watch_->data(R"({"type":"MODIFIED","object":)" + pod(std::to_string(version)) + "}\n");
    // Until the store has it, in whatever step of the schedule; the handler may not have.
    executor_->run_until(
        [&] { return pods_.last_sync_resource_version() == std::to_string(version); });
    ASSERT_TRUE(controller.wait_for_handlers({}));
    const HandlerStatus handler = controller.watched().at(0).handler;
    EXPECT_EQ(handler.delivered + handler.pending, static_cast<std::uint64_t>(version));
  }
}

TEST_F(ControllerWatchTest, AKeyThatFailedIsCountedUntilItsRetry) {
  int left = 2;
  Controller controller(
      runtime(),
      [&](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
        if (left-- > 0) return Error(ErrorCode::Unreachable, "no server");
        return ReconcileResult::requeue_after(seconds(60));
      },
      {.name = "demo",
       .rate_limiter =
           std::make_shared<ItemExponentialFailureRateLimiter<ObjectKey>>(seconds(1), seconds(10)),
       .executor = executor_});
  ASSERT_TRUE(controller.start());
  controller.enqueue({"x", "a"});
  executor_->run_ready();
  EXPECT_EQ(controller.status().retrying, 1U);
  executor_->run_for(seconds(1));
  EXPECT_EQ(controller.status().retrying, 1U) << "it has failed again";
  executor_->run_for(seconds(2));
  EXPECT_EQ(controller.status().retrying, 0U) << "what asks to come back has not failed";
  EXPECT_EQ(controller.status().reconciled, 1U);
}

TEST_F(ControllerWatchTest, WatchesTheInformersOfSeveralNamespaces) {
  for (const std::string name : {"x", "y"}) {
    transport_->on("GET", "/api/v1/namespaces/" + name + "/pods",
                   [name](testing::ScriptedCall call) {
                     if (call.query("watch")) return;
                     call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":)"
                                       R"({"resourceVersion":"1"},"items":[{"metadata":)"
                                       R"({"name":"a","namespace":")" +
                                           name + R"(","resourceVersion":"1"}}]})");
                   });
  }
  MultiNamespaceInformer<Unstructured> pods(client_, pods_.resource(), {"x", "y"},
                                            {.watch_list = false});
  Controller controller(runtime(), count(), options());
  ASSERT_TRUE(controller.watch(pods));
  ASSERT_TRUE(controller.start());
  EXPECT_EQ(awaited(controller).size(), 2U);
  ASSERT_TRUE(pods.start());
  executor_->run_for(seconds(1));
  EXPECT_THAT(keys_, ::testing::UnorderedElementsAre("x/a", "y/a"));
  pods.stop_and_wait();
}

}  // namespace
}  // namespace kube
