// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/shared_informer_factory.hpp>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/informer_health.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using kube::testing::RecordingLogger;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using ::testing::Not;
using testing::object_text;
using ::testing::Pair;
using testing::pods;
using testing::ScriptedCall;

meta::ResourceInfo deployments() {
  return {"apps", "v1", "Deployment", "deployments", "deployment", true};
}

class FactoryTest : public ::testing::Test, public testing::ScriptedRun {
 protected:
  void answer(const std::string& path) {
    transport->on("GET", path, [](ScriptedCall call) {
      if (!call.query("watch")) call.respond(200, list_text({object_text("x/a", "5")}, "10"));
    });
  }
  SharedInformerFactory factory{client(), {.watch_list = false}};
};

TEST_F(FactoryTest, FAC_02_TheSameResourceIsTheSameInformer) {
  EXPECT_EQ(factory.for_resource(pods()), factory.for_resource(pods()));
  EXPECT_NE(factory.for_resource(pods()), factory.for_resource(deployments()));
  EXPECT_NE(factory.for_resource(pods()), factory.for_resource(pods(), {.namespace_ = "web"}));
  EXPECT_EQ(factory.for_resource(pods(), {.namespace_ = "web"}),
            factory.for_resource(pods(), {.namespace_ = "web"}));
  EXPECT_NE(factory.for_resource(pods()), factory.for_resource(pods(), {.label_selector = "a=b"}));
  EXPECT_NE(factory.for_resource(pods()), factory.for_resource(pods(), {.field_selector = "a=b"}));
}

// One that does not know WatchList, and one that answers nothing but watches.
TEST_F(FactoryTest, FAC_02_AResourceMayHaveAResyncPeriodOfItsOwn) {
  answer("/api/v1/pods");
  int resyncs = 0;
  const auto informer = factory.for_resource(pods(), {.resync_period = 2s, .watch_list = false});
  const auto registration =
      informer->add_event_handler({.on_update = [&](const auto&, const auto&) { ++resyncs; }});
  factory.start();
  run_for(5s);
  EXPECT_EQ(resyncs, 2);
}

TEST_F(FactoryTest, FAC_01_InformersSyncByTheListOrByTheWatchAlone) {
  SharedInformerFactory streaming{client(), {.watch_list = true}};
  transport->on("GET", "/api/v1/pods", [](ScriptedCall call) {
    if (call.query("sendInitialEvents")) {
      call.respond(422, testing::status_text(422, "Invalid", "sendInitialEvents is unknown"));
    } else if (!call.query("watch")) {
      call.respond(200, list_text({object_text("x/a", "5")}, "10"));
    }
  });
  transport->on("GET", "/apis/apps/v1/deployments", [](ScriptedCall call) {
    if (!call.query("watch")) {
      call.respond(405, testing::status_text(405, "MethodNotAllowed", "no lists here"));
      return;
    }
    call.data(testing::event_text("ADDED", object_text("x/b", "6")) +
              testing::bookmark_text("10", "true"));
  });
  const auto listed = streaming.for_resource(pods());
  const auto watched = streaming.for_resource(deployments());
  streaming.start();
  const SyncResult result = streaming.wait_for_cache_sync({});
  EXPECT_THAT(result.synced, ElementsAre(Pair("pods", true), Pair("deployments.apps", true)));
  EXPECT_EQ(listed->status().lists, 1U);
  EXPECT_TRUE(listed->lister().find("x/a"));
  EXPECT_TRUE(watched->lister().find("x/b"));
  for (const transport::HttpRequest& request : transport->requests()) {
    if (request.url.find("deployments") == std::string::npos) continue;
    EXPECT_NE(request.url.find("watch=true"), std::string::npos) << request.url;
  }
}

TEST_F(FactoryTest, FAC_01_StartThenWaitForSync) {
  answer("/api/v1/pods");
  answer("/apis/apps/v1/deployments");
  const auto pod_informer = factory.for_resource(pods());
  const auto other = factory.for_resource(deployments());
  factory.start();
  const SyncResult result = factory.wait_for_cache_sync({});
  EXPECT_TRUE(result);
  EXPECT_TRUE(result.as_result());
  EXPECT_THAT(result.synced, ElementsAre(Pair("pods", true), Pair("deployments.apps", true)));
  EXPECT_TRUE(pod_informer->has_synced());
  EXPECT_EQ(other->lister().list().size(), 1U);
}

TEST_F(FactoryTest, FAC_03_StartingAgainStartsOnlyWhatIsNew) {
  factory.for_resource(pods());
  factory.start();
  factory.start();
  run();
  EXPECT_EQ(transport->requests().size(), 1U);
  factory.for_resource(deployments());
  run();
  EXPECT_EQ(transport->requests().size(), 1U) << "not started by being asked for";
  factory.start();
  run();
  EXPECT_EQ(transport->requests().size(), 2U);
}

TEST_F(FactoryTest, FAC_04_WaitingBeforeTheStartReturnsAtOnce) {
  factory.for_resource(pods());
  const SyncResult result = factory.wait_for_cache_sync({});
  EXPECT_TRUE(result);
  EXPECT_THAT(result.synced, IsEmpty());
}

TEST_F(FactoryTest, FAC_05_AfterAShutdownBeforeTheStartNothingStarts) {
  factory.shutdown();
  factory.for_resource(pods());
  factory.start();
  run_for(60s);
  EXPECT_TRUE(transport->requests().empty());
  factory.shutdown();
}

TEST_F(FactoryTest, ShutdownStopsWhatRuns) {
  const auto informer = factory.for_resource(pods());
  factory.start();
  run();
  EXPECT_EQ(transport->open(), 1U);
  factory.shutdown();
  run();
  EXPECT_EQ(transport->open(), 0U);
  EXPECT_EQ(informer->status().state, InformerState::Stopped);
}

TEST_F(FactoryTest, AStopTokenStopsWhatWasStartedWithIt) {
  std::stop_source stop;
  const auto first = factory.for_resource(pods());
  factory.start(stop.get_token());
  const auto second = factory.for_resource(deployments());
  factory.start();
  run();
  stop.request_stop();
  EXPECT_EQ(first->status().state, InformerState::Stopped);
  EXPECT_NE(second->status().state, InformerState::Stopped);
  std::stop_source before;
  before.request_stop();
  const auto third = factory.for_resource(pods(), {.namespace_ = "web"});
  factory.start(before.get_token());
  EXPECT_EQ(third->status().state, InformerState::Stopped);
}

TEST_F(FactoryTest, FAC_06_WF_08_AStoppedWaitNamesWhatHasNotSynced) {
  answer("/api/v1/namespaces/web/pods");
  factory.for_resource(deployments());
  factory.for_resource(pods());
  factory.for_resource(pods(), {.namespace_ = "web", .watch_list = false});
  factory.start();
  run();
  std::stop_source stop;
  stop.request_stop();
  const SyncResult result = factory.wait_for_cache_sync(stop.get_token());
  EXPECT_FALSE(result);
  EXPECT_THAT(result.synced, ElementsAre(Pair("deployments.apps", false), Pair("pods", false),
                                         Pair("pods in web", true)));
  const auto error = result.as_result();
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(error.error().message(), HasSubstr("deployments.apps, pods"));

  answer("/api/v1/pods");
  SharedInformerFactory second{client(), {.watch_list = false}};
  second.for_resource(deployments());
  second.for_resource(pods());
  second.start();
  run();
  const auto one = second.wait_for_cache_sync(stop.get_token()).as_result();
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(one.error().message(), AllOf(HasSubstr("deployments.apps"), Not(HasSubstr("pods"))));
  EXPECT_TRUE(SyncResult{}.as_result());
}

TEST_F(FactoryTest, OptionsThatComeTooLateAreWarnedOfOnce) {
  const auto log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  SharedInformerFactory shared(client(), {.watch_list = false});
  const InformerOptions first{.namespace_ = "web", .page_size = 10};
  const auto informer = shared.for_resource(pods(), first);
  EXPECT_EQ(shared.for_resource(pods(), first), informer);
  shared.for_resource(pods());
  SharedInformerFactory in_web(client(), {.namespace_ = "web", .watch_list = false});
  in_web.for_resource(pods(), first);
  in_web.for_resource(pods());
  EXPECT_THAT(log->lines(), IsEmpty()) << "the same, another informer, or one who takes any";

  InformerOptions other = first;
  other.page_size = 20;
  other.storage = StoragePolicy::Decoded;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(shared.for_resource(pods(), other), informer);
  const std::string line =
      "warning informer: option ignored: the informer exists with another value informer=pods in "
      "web option=";
  EXPECT_THAT(log->lines(), ElementsAre(line + "storage", line + "page_size"));
}

TEST_F(FactoryTest, DefaultsAreThoseOfTheFactory) {
  SharedInformerFactory in_web(client(), {.namespace_ = "web", .watch_list = false});
  in_web.for_resource(pods());
  in_web.start();
  EXPECT_EQ(next_list().path(), "/api/v1/namespaces/web/pods");
}

// ---- counted handles

TEST_F(FactoryTest, TheLastHandleClosesTheWatchAndTheInformerLeavesTheFactory) {
  answer("/api/v1/pods");
  factory.start();
  InformerHandle<Unstructured> one = factory.acquire(pods());
  InformerHandle<Unstructured> two = factory.acquire(pods());
  EXPECT_EQ(&*one, &*two) << "shared";
  run();
  EXPECT_TRUE(one->has_synced()) << "started, because the factory was";
  EXPECT_EQ(transport->open(), 1U);
  const SharedInformer<Unstructured>* first = &*one;
  one.release();
  one.release();
  run();
  EXPECT_EQ(transport->open(), 1U);
  EXPECT_EQ(factory.status().size(), 1U);
  EXPECT_EQ(two->lister().list().size(), 1U);
  const auto lister = two->lister();
  two = InformerHandle<Unstructured>();
  run();
  EXPECT_EQ(transport->open(), 0U);
  EXPECT_THAT(factory.status(), IsEmpty());
  EXPECT_EQ(lister.list().size(), 1U) << "stays readable";
  const InformerHandle<Unstructured> again = factory.acquire(pods());
  EXPECT_FALSE(again->is_stopped()) << "a new one: " << first;
  run();
  EXPECT_TRUE(again->has_synced());
}

TEST_F(FactoryTest, AnInformerThatWasRequestedForGoodOutlivesItsHandles) {
  InformerHandle<Unstructured> handle = factory.acquire(pods());
  const auto kept = factory.for_resource(pods());
  factory.start();
  handle.release();
  run();
  EXPECT_FALSE(kept->is_stopped());
  EXPECT_EQ(transport->open(), 1U);
  handle = factory.acquire(pods());
  EXPECT_EQ(&*handle, kept.get());
}

TEST_F(FactoryTest, AHandleBeforeTheStartIsStartedByIt) {
  std::stop_source stop;
  const InformerHandle<Unstructured> before = factory.acquire(pods());
  run();
  EXPECT_TRUE(transport->requests().empty());
  factory.start(stop.get_token());
  const InformerHandle<Unstructured> after = factory.acquire(deployments());
  run();
  EXPECT_EQ(transport->requests().size(), 2U);
  stop.request_stop();
  EXPECT_TRUE(before->is_stopped());
  EXPECT_TRUE(after->is_stopped()) << "the token of the last start";
}

TEST_F(FactoryTest, AHandleAfterAStoppedStartIsStartedByTheNextOne) {
  answer("/api/v1/pods");
  std::stop_source stop;
  factory.start(stop.get_token());
  stop.request_stop();
  const InformerHandle<Unstructured> handle = factory.acquire(pods());
  run();
  EXPECT_FALSE(handle->is_stopped());
  factory.start();
  run();
  EXPECT_TRUE(handle->has_synced());
}

TEST_F(FactoryTest, TheReleaseOfTheLastHandleWaitsBesideAWaitForSync) {
  factory.start();
  InformerHandle<Unstructured> handle = factory.acquire(pods());
  const std::weak_ptr<const void> store = handle->lister().store();
  std::jthread waits([&](std::stop_token stop) { factory.wait_for_cache_sync(stop); });
  handle.release();
  waits.join();
  run();
  EXPECT_TRUE(store.expired()) << "the memory is freed";
}

TEST_F(FactoryTest, HandlesMayOutliveTheFactory) {
  auto shared = std::make_unique<SharedInformerFactory>(client());
  InformerHandle<Unstructured> handle = shared->acquire(pods());
  shared->start();
  run();
  shared.reset();
  EXPECT_TRUE(handle->is_stopped());
  handle.release();
  EXPECT_FALSE(handle);
}

TEST_F(FactoryTest, AHandleMayBeReleasedInAHandlerOfItsInformer) {
  answer("/api/v1/pods");
  factory.start();
  InformerHandle<Unstructured> handle = factory.acquire(pods());
  int calls = 0;
  HandlerRegistration registration;
  registration = handle->add_event_handler({.on_add = [&](const auto&, bool) {
    ++calls;
    handle.release();
  }});
  run();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(transport->open(), 0U);
}

/// Calls a function in submit().
struct WatchedExecutor final : Executor {
  explicit WatchedExecutor(std::shared_ptr<Executor> inner_in) : inner(std::move(inner_in)) {}
  void submit(Task task) override {
    if (const auto call = std::exchange(on_submit, nullptr)) call();
    inner->submit(std::move(task));
  }
  Timer submit_at(TimePoint when, Task task) override {
    return inner->submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return inner->clock(); }
  const std::shared_ptr<Executor> inner;
  std::function<void()> on_submit;
};

TEST_F(FactoryTest, AHandleThatIsReleasedWhileTheFactoryStartsIsNoFault) {
  const auto log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  const auto watched = std::make_shared<WatchedExecutor>(executor);
  runtime.logger = log;
  runtime.executor = watched;
  SharedInformerFactory shared(client(), {.watch_list = false});
  const InformerHandle<Unstructured> first = shared.acquire(pods());
  InformerHandle<Unstructured> second = shared.acquire(deployments());
  run();
  watched->on_submit = [&] { second.release(); };  // as the first one starts
  shared.start();
  EXPECT_FALSE(second);
  EXPECT_THAT(log->lines(), IsEmpty());
  EXPECT_EQ(shared.status().size(), 1U);
}

TEST_F(FactoryTest, WhatCouldNotStartDoesSoAtTheNextStart) {
  answer("/api/v1/pods");
  answer("/apis/apps/v1/deployments");
  const auto watched = std::make_shared<WatchedExecutor>(executor);
  runtime.executor = watched;
  SharedInformerFactory shared(client(), {.watch_list = false});
  const auto first = shared.for_resource(pods());
  const auto second = shared.for_resource(deployments());
  run();
  watched->on_submit = [] { throw std::bad_alloc(); };
  EXPECT_THROW(shared.start(), std::bad_alloc);
  run();
  EXPECT_FALSE(first->has_synced());
  shared.start();
  run();
  EXPECT_TRUE(first->has_synced());
  EXPECT_TRUE(second->has_synced());
}

TEST_F(FactoryTest, AnInformerStopsWithoutMemory) {
  answer("/api/v1/pods");
  const auto watched = std::make_shared<WatchedExecutor>(executor);
  runtime.executor = watched;
  int events = 0;
  {
    SharedInformer<Unstructured> informer(client(), pods(), {.watch_list = false});
    const auto registration =
        informer.add_event_handler({.on_add = [&](const auto&, bool) { ++events; }});
    ASSERT_TRUE(informer.start());
    run();
    EXPECT_EQ(transport->open(), 1U);
    watched->on_submit = [] { throw std::bad_alloc(); };
    informer.stop();
    EXPECT_TRUE(informer.is_stopped());
    run_for(1h);
    EXPECT_EQ(transport->open(), 0U);
    EXPECT_EQ(events, 1);
  }
  EXPECT_FALSE(watched->on_submit);
}

TEST_F(FactoryTest, AUseThatCanNotBeginIsNotCounted) {
  const auto watched = std::make_shared<WatchedExecutor>(executor);
  runtime.executor = watched;
  SharedInformerFactory shared(client(), {.watch_list = false});
  shared.start();
  watched->on_submit = [] { throw std::runtime_error("no thread"); };
  EXPECT_THROW(static_cast<void>(shared.acquire(pods())), std::runtime_error);
  EXPECT_THAT(shared.status(), IsEmpty());
  InformerHandle<Unstructured> handle = shared.acquire(pods());
  EXPECT_FALSE(handle->is_stopped());
  handle.release();
  EXPECT_THAT(shared.status(), IsEmpty());
}

// ---- configured by type

TEST_F(FactoryTest, AConfigurationReachesEachInformerOfItsTypeBeforeItStarts) {
  answer("/api/v1/pods");
  transport->on("GET", "/apis/apps/v1/deployments", [](ScriptedCall call) {
    testing::respond_status(call, 500, "InternalError", "no");
  });
  std::vector<std::string> configured;
  std::vector<Error> errors;
  factory.configure<Unstructured>([&](SharedInformer<Unstructured>& informer) {
    configured.push_back(informer.resource().plural);
    ASSERT_TRUE(informer.set_transform([](Unstructured object) -> Result<Unstructured> {
      object.set_label("seen", "yes");
      return object;
    }));
    ASSERT_TRUE(
        informer.set_watch_error_handler([&](const Error& error) { errors.push_back(error); }));
  });
  factory.start();
  InformerHandle<Unstructured> handle = factory.acquire(pods());  // starts it
  run();
  const auto seen = [&] { return (*handle->lister().find("x/a")).labels().contains("seen"); };
  EXPECT_TRUE(seen());
  EXPECT_THAT(errors, IsEmpty());
  const InformerHandle<Unstructured> refused = factory.acquire(deployments());
  const InformerHandle<Unstructured> again = factory.acquire(deployments());
  run();
  EXPECT_EQ(errors.size(), 1U);
  EXPECT_THAT(configured, ElementsAre("pods", "deployments"));

  handle.release();
  handle = factory.acquire(pods());
  run();
  EXPECT_TRUE(seen());
  EXPECT_THAT(configured, ElementsAre("pods", "deployments", "pods")) << "the new one, too";
  factory.informer<meta::PartialObjectMetadata>(pods(), std::nullopt);
  EXPECT_EQ(configured.size(), 3U) << "another type";

  factory.configure<Unstructured>({});
  handle.release();
  handle = factory.acquire(pods());
  run();
  EXPECT_FALSE(seen());
}

TEST_F(FactoryTest, OptionsOfATypeHoldWhoeverAsksFirst) {
  answer("/api/v1/pods");
  answer("/api/v1/namespaces/web/pods");
  const auto log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  SharedInformerFactory shared(client(), {.watch_list = false});
  shared.configure_options<Unstructured>([](InformerOptions& options) {
    options.resync_period = 2s;
    options.namespace_ = "another";
  });
  const auto by_default = shared.for_resource(pods());
  EXPECT_EQ(shared.for_resource(pods(), {.resync_period = 1h, .watch_list = false}), by_default);
  const auto in_web =
      shared.for_resource(pods(), {.namespace_ = "web", .resync_period = 1h, .watch_list = false});
  EXPECT_THAT(log->lines(), IsEmpty()) << "nothing that was asked for is ignored silently";
  std::vector<std::string> resynced;
  const auto note = [&](const auto& old, const auto&) {
    resynced.push_back(std::string(old.key()));
  };
  const auto of_all = by_default->add_event_handler({.on_update = note});
  const auto of_web = in_web->add_event_handler({.on_update = note});
  shared.start();
  run_for(3s);
  EXPECT_EQ(resynced.size(), 2U) << "one each";
  EXPECT_EQ(by_default->status().state, InformerState::Watching);
  shared.configure_options<Unstructured>({});
  EXPECT_NE(shared.for_resource(pods(), {.label_selector = "a=b"}), by_default);
}

TEST_F(FactoryTest, WhatAConfigurationThrowsTheRequestThrows) {
  factory.configure<Unstructured>(
      [](SharedInformer<Unstructured>&) { throw std::runtime_error("no such transform"); });
  EXPECT_THROW(static_cast<void>(factory.acquire(pods())), std::runtime_error);
  EXPECT_THROW(factory.for_resource(pods()), std::runtime_error);
  EXPECT_THAT(factory.status(), IsEmpty());
  factory.configure<Unstructured>({});
  EXPECT_TRUE(factory.acquire(pods()));
}

// ---- started by the first use

TEST_F(FactoryTest, AnInformerStartsByItsFirstUseWhenAskedTo) {
  answer("/api/v1/pods");
  const auto log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  SharedInformerFactory lazy(client(), {.watch_list = false, .start_on_first_use = true});
  const auto informer = lazy.for_resource(pods());
  run_for(1min);
  EXPECT_TRUE(transport->requests().empty()) << "a request is no use";
  EXPECT_EQ(informer->status().state, InformerState::NotStarted);
  EXPECT_TRUE(check_health(lazy)) << "that is what it should be";
  EXPECT_TRUE(lazy.wait_for_cache_sync({}).synced.empty());
  const auto lister = informer->lister();
  run();
  EXPECT_EQ(lister.list().size(), 1U);
  EXPECT_EQ(lazy.wait_for_cache_sync({}).synced.size(), 1U) << "though start() was not called";
  lazy.start();
  run_for(1min);
  EXPECT_EQ(transport->requests().size(), 2U) << "a list and a watch";
  EXPECT_THAT(log->take_lines(), IsEmpty());
  EXPECT_TRUE(lazy.wait_for_cache_sync({}));
}

TEST_F(FactoryTest, EachUseStartsOneThatStartsByItself) {
  answer("/api/v1/pods");
  using Informer = SharedInformer<Unstructured>;
  HandlerRegistration registration;
  const std::vector<std::function<void(Informer&)>> uses = {
      [&](Informer& i) { registration = i.add_event_handler({}); },
      [](Informer& i) { EXPECT_FALSE(i.has_synced()); },
      [](Informer& i) { EXPECT_TRUE(i.wait_for_sync({})); },
      [](Informer& i) { EXPECT_TRUE(i.wait_for("10", 1min)); },
      [](Informer& i) { EXPECT_EQ(i.indexer().count("namespace", "x"), 0U); },
      [](Informer& i) { EXPECT_TRUE(i.start()); },
  };
  for (const auto& use : uses) {
    Informer informer(client(), pods(), {.watch_list = false, .start_on_first_use = true});
    run();
    EXPECT_EQ(informer.status().state, InformerState::NotStarted);
    use(informer);
    run();
    EXPECT_TRUE(informer.status().synced);
    EXPECT_FALSE(informer.start()) << "started already";
  }
  Informer stopped(client(), pods(), {.watch_list = false, .start_on_first_use = true});
  stopped.stop();
  EXPECT_FALSE(stopped.wait_for_sync({}));
}

}  // namespace
}  // namespace kube::cache
