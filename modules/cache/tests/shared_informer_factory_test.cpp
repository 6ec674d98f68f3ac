// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/shared_informer_factory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  SharedInformerFactory factory{client()};
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
  const auto informer = factory.for_resource(pods(), {.resync_period = 2s});
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
  factory.for_resource(pods(), {.namespace_ = "web"});
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
  SharedInformerFactory second{client()};
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
  SharedInformerFactory shared(client());
  const InformerOptions first{.namespace_ = "web", .page_size = 10};
  const auto informer = shared.for_resource(pods(), first);
  EXPECT_EQ(shared.for_resource(pods(), first), informer);
  shared.for_resource(pods());
  SharedInformerFactory in_web(client(), {.namespace_ = "web"});
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
  SharedInformerFactory in_web(client(), {.namespace_ = "web"});
  in_web.for_resource(pods());
  in_web.start();
  EXPECT_EQ(next_list().path(), "/api/v1/namespaces/web/pods");
}

}  // namespace
}  // namespace kube::cache
