// SPDX-License-Identifier: Apache-2.0
//
// An informer that is used and was never started says so; and what a factory does of
// informers that have been stopped.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer_factory.hpp>
#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using kube::testing::RecordingLogger;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::pods;
using testing::Recorder;
using testing::ScriptedCall;
using namespace std::chrono_literals;

constexpr const char* kReminder =
    "warning informer: used, but not started: call start() resource=pods";

class ForgottenStart : public testing::InformerFixture {
 protected:
  void SetUp() override {
    runtime.logger = log;
    make();
  }
  /// A token that asks to stop after so long.
  std::stop_token stop_after(Duration time) {
    timer = executor->submit_after(time, [this] { source.request_stop(); });
    return source.get_token();
  }
  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  std::stop_source source;
  Timer timer;
};

TEST_F(ForgottenStart, AWaitForSyncSaysSoInTheLogAndInTheStatus) {
  EXPECT_FALSE(informer->status().last_error);
  EXPECT_FALSE(informer->wait_for_sync(stop_after(60s)));
  EXPECT_THAT(log->take_lines(), ElementsAre(kReminder)) << "once";
  ASSERT_TRUE(informer->status().last_error);
  EXPECT_EQ(informer->status().last_error.value().to_string(),
            "pods: used, but not started: call start()");
  EXPECT_EQ(informer->status().state, InformerState::NotStarted);
  start();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_FALSE(informer->status().last_error);
}

TEST_F(ForgottenStart, EachUseSaysSo) {
  Recorder recorder;
  HandlerRegistration registration;
  const std::vector<std::function<void()>> uses = {
      [&] { registration = add(recorder); },
      [&] { add(recorder).wait_for_sync(stop_after(7s)); },
      [&] { EXPECT_FALSE(informer->has_synced()); },
      [&] { informer->on_synced([] {}); },
      [&] { wait_for_cache_sync(stop_after(7s), *informer); },
      [&] { EXPECT_THAT(informer->lister().list(), IsEmpty()); },
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    make();
    source = {};
    uses[i]();
    run_for(60s);
    EXPECT_THAT(log->take_lines(), ElementsAre(kReminder)) << "use " << i;
  }
}

TEST_F(ForgottenStart, AProgramThatPollsReadsItOnce) {
  for (int i = 0; i < 120; ++i) {
    EXPECT_FALSE(informer->has_synced());
    run_for(100ms);
  }
  EXPECT_THAT(log->take_lines(), ElementsAre(kReminder));
}

TEST_F(ForgottenStart, ALookAtTheStatusIsNoUse) {
  EXPECT_FALSE(informer->status().synced);
  run_for(60s);
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(ForgottenStart, OneThatIsStartedInTimeIsNotMentioned) {
  Recorder recorder;
  const auto registration = add(recorder);
  EXPECT_FALSE(informer->has_synced());
  informer->on_synced([] {});
  run_for(4s);
  start();
  run_for(60s);
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(ForgottenStart, NorIsOneThatHasStoppedOrGone) {
  informer->on_synced([] {});
  informer->stop();
  run_for(60s);
  informer->on_synced([] {});
  make();
  informer->on_synced([] {});
  run();
  informer.reset();
  run_for(60s);
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

class Factory : public ::testing::Test, public testing::ScriptedRun {
 protected:
  Factory() {
    runtime.logger = log;
    transport->on("GET", "/api/v1/pods", [](ScriptedCall call) {
      if (!call.query("watch")) call.respond(200, list_text({object_text("x/a", "5")}, "10"));
    });
    factory =
        std::make_unique<SharedInformerFactory>(client(), InformerOptions{.watch_list = false});
  }
  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Warning);
  std::unique_ptr<SharedInformerFactory> factory;
};

TEST_F(Factory, MakesANewInformerInPlaceOfAStoppedOne) {
  std::stop_source stop;
  const auto first = factory->for_resource(pods());
  factory->start(stop.get_token());
  run();
  EXPECT_TRUE(first->has_synced());
  EXPECT_EQ(factory->for_resource(pods()), first);
  stop.request_stop();
  const auto second = factory->for_resource(pods());
  ASSERT_NE(second, first);
  EXPECT_EQ(factory->for_resource(pods()), second);
  EXPECT_EQ(second->status().state, InformerState::NotStarted);
  factory->start();
  EXPECT_THAT(factory->wait_for_cache_sync({}).synced, ElementsAre(::testing::Pair("pods", true)));
  EXPECT_TRUE(second->has_synced());
  EXPECT_EQ(first->lister().list().size(), 1U) << "what was handed out stays readable";
  second->stop_and_wait();
  EXPECT_NE(factory->for_resource(pods()), second) << "whoever stopped it";
}

TEST_F(Factory, SaysWhenItStartsAnInformerThatHasBeenStopped) {
  const auto informer = factory->for_resource(pods());
  informer->stop();
  factory->start();
  EXPECT_THAT(log->take_lines(),
              ElementsAre("warning informer: an informer of a factory does not start "
                          "informer=pods error=the informer has been stopped"));
  EXPECT_FALSE(factory->wait_for_cache_sync({})) << "and does not wait for ever";
}

TEST_F(Factory, SaysWhichInformersWereNotStartedWhenItIsWaitedFor) {
  factory->for_resource(pods());
  EXPECT_TRUE(factory->wait_for_cache_sync({}));
  EXPECT_TRUE(factory->wait_for_cache_sync({}));
  EXPECT_THAT(log->take_lines(),
              ElementsAre("warning informer: not started: call start() of the factory after "
                          "requesting the informer informer=pods"));
  factory->start();
  EXPECT_TRUE(factory->wait_for_cache_sync({}));
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(Factory, SaysThatAnInformerWithAHandlerWasAskedForAfterItsStart) {
  factory->start();
  const auto registration = factory->for_resource(pods())->add_event_handler({});
  run_for(60s);
  EXPECT_THAT(log->take_lines(), ElementsAre(kReminder));
  factory->start();
  run_for(60s);
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(Factory, SaysWhenItsOwnStartWasForgotten) {
  factory->for_resource(pods());
  const auto handle = factory->acquire(pods(), {.namespace_ = "web"});
  run_for(10s);
  EXPECT_THAT(log->take_lines(), ElementsAre(std::string(kReminder) + " in web", kReminder))
      << "without any use";
  factory->start();
  static_cast<void>(factory->acquire(pods()));
  run_for(10s);
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(Factory, AfterAShutdownWhatItHandsOutHasStopped) {
  const auto before = factory->for_resource(pods());
  factory->shutdown();
  EXPECT_EQ(factory->for_resource(pods()), before);
  const auto after = factory->for_resource(pods(), {.namespace_ = "web"});
  for (const auto& informer : {before, after}) {
    EXPECT_EQ(informer->status().state, InformerState::Stopped);
    EXPECT_FALSE(informer->wait_for_sync({})) << "which returns at once";
    EXPECT_EQ(informer->start().error().to_string(), "the informer has been stopped");
  }
  log->take_lines();
  factory->start();
  EXPECT_THAT(log->take_lines(),
              ElementsAre("warning informer: the factory was shut down; no informer is started"));
}

}  // namespace
}  // namespace kube::cache
