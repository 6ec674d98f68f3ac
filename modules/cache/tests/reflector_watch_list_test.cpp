// SPDX-License-Identifier: Apache-2.0
//
// The initial state as a stream of events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/transport/connection_retired.hpp>

#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;

class ReflectorWatchList : public testing::ReflectorFixture {
 protected:
  ScriptedCall start_streaming() {
    streams = true;
    start();
    return next_initial();
  }
  ScriptedCall next_initial(std::optional<std::string> version = {}) {
    ScriptedCall watch = next_watch();
    EXPECT_EQ(watch.query("sendInitialEvents"), "true");
    EXPECT_EQ(watch.query("resourceVersionMatch"), "NotOlderThan");
    EXPECT_EQ(watch.query("allowWatchBookmarks"), "true");
    EXPECT_EQ(watch.query("limit"), std::nullopt);
    EXPECT_EQ(watch.query("resourceVersion"), version);
    return watch;
  }
  ScriptedCall next_plain_watch() {
    ScriptedCall watch = next_watch();
    EXPECT_EQ(watch.query("sendInitialEvents"), std::nullopt);
    return watch;
  }
  static std::string added(std::string_view key, std::string_view version) {
    return event_text("ADDED", object_text(key, version));
  }
  /// Answers a list, and hands out the watch that follows.
  ScriptedCall list_and_watch() {
    next_list().respond(200, list_text({}, "10"));
    return next_plain_watch();
  }
  void expire(ScriptedCall watch) {
    watch.data(event_text("ERROR", testing::status_text(410, "Expired", "old")));
    run_for(60s);
  }
  static std::string end(std::string_view version) { return bookmark_text(version, "true"); }
};

TEST_F(ReflectorWatchList, RFL_09_WL_08_TheStreamThatBringsTheInitialStateGoesOnAsTheWatch) {
  ScriptedCall watch = start_streaming();
  EXPECT_EQ(reflector->progress().state, InformerState::Listing);
  watch.data(added("x/a", "1") + added("x/c", "2") + end("2"));
  run();
  EXPECT_THAT(target.take(), ElementsAre(::testing::AnyOf("replace x/a@1 x/c@2 at 2",
                                                          "replace x/c@2 x/a@1 at 2")));
  EXPECT_EQ(reflector->progress().state, InformerState::Watching);
  watch.data(added("x/b", "3"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("add x/b@3"));
  EXPECT_EQ(transport->requests().size(), 1U);
  EXPECT_EQ(reflector->last_sync_resource_version(), "3");
}

TEST_F(ReflectorWatchList, EventsBehindTheEndInTheSameBytesAreNotLost) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + end("2") + added("x/b", "3"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2", "add x/b@3"));
}

TEST_F(ReflectorWatchList, OfARefusedObjectTheLastStateIsKept) {
  target.refuse = "x/b";
  target.last_known = Cell::make(testing::text_type(), {"x", "b", "u", "1", Encoding::Json, "{}"});
  ScriptedCall watch = start_streaming();
  watch.data(added("x/b", "2") + end("3"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("refused: refused", "replace x/b@1 at 3",
                                         HasSubstr("objects refused: 1, the first")));
  EXPECT_EQ(reflector->progress().state, InformerState::Watching);
}

TEST_F(ReflectorWatchList, OfAnObjectThatTheTargetFailsForTheLastStateIsKept) {
  target.fail = "x/b";
  target.last_known = testing::make_cell("x/b", "1");
  ScriptedCall watch = start_streaming();
  watch.data(added("x/b", "2") + end("3"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("refused: failed", "replace x/b@1 at 3",
                                         HasSubstr("objects refused: 1, the first")));
}

TEST_F(ReflectorWatchList, AStreamThatBreaksOffIsToldUntilAnotherIsAccepted) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1"));
  run();
  watch.reset();
  run();
  ASSERT_TRUE(reflector->progress().last_error);
  EXPECT_THAT(reflector->progress().last_error.value().to_string(),
              AllOf(HasSubstr("watch pods in all namespaces: the stream ended before the initial "
                              "state was complete: "),
                    HasSubstr("reset")));
  next().head();
  run();
  EXPECT_FALSE(reflector->progress().last_error);
}

TEST_F(ReflectorWatchList, WL_05_NotUsedUnlessAskedFor) {
  start();
  ScriptedCall list = next_list();
  EXPECT_EQ(list.query("sendInitialEvents"), std::nullopt);
  EXPECT_EQ(list.query("resourceVersion"), "0");
  EXPECT_EQ(list.query("limit"), "500");
  list.respond(200, list_text({object_text("x/a", "5")}, "10"));
  EXPECT_EQ(next_plain_watch().query("resourceVersion"), "10");
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@5 at 10"));
}

TEST_F(ReflectorWatchList, WL_09_ChangesBeforeTheEndAreHonoured) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + added("x/b", "2") +
             event_text("MODIFIED", object_text("x/a", "3")) +
             event_text("DELETED", object_text("x/b", "4")) + end("4"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@3 at 4"));
}

TEST_F(ReflectorWatchList, WL_04_AStopBeforeTheEndLeavesNothing) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1"));
  run();
  stop.request_stop();
  run_for(1h);
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(target.log, IsEmpty());
  EXPECT_EQ(transport->requests().size(), 1U);
}

TEST_F(ReflectorWatchList, WL_06_WL_07_AServerThatCannotIsListed) {
  for (const int code : {422, 500}) {
    SetUp();
    ScriptedCall watch = start_streaming();
    respond_status(watch, code, code == 422 ? "Invalid" : "InternalError", "unknown parameter");
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "0");
    list.respond(200, list_text({object_text("x/a", "5")}, "10"));
    next_plain_watch().data(added("x/b", "11"));
    run();
    EXPECT_THAT(target.take(), ElementsAre("replace x/a@5 at 10", "add x/b@11"));
    EXPECT_THAT(target.errors, IsEmpty());
    reflector->stop();
    run();
  }
}

TEST_F(ReflectorWatchList, AfterAFailedStreamTheNextCycleTriesToStreamAgain) {
  ScriptedCall watch = start_streaming();
  respond_status(watch, 500, "InternalError", "oops");
  expire(list_and_watch());
  next_initial("10");
}

TEST_F(ReflectorWatchList, AServerThatRefusesStreamsIsAskedForOneAnHourLater) {
  ScriptedCall watch = start_streaming();
  respond_status(watch, 422, "Invalid", "sendInitialEvents is forbidden for watch");
  watch = list_and_watch();
  int minutes = 0;
  for (;; ++minutes) {
    expire(watch);
    ScriptedCall call = next();
    if (call.query("watch")) break;
    call.respond(200, list_text({}, "10"));
    watch = next_plain_watch();
  }
  EXPECT_EQ(minutes, 60);
}

TEST_F(ReflectorWatchList, AServerThatIgnoresTheRequestForAStreamIsListedAfterTenSilentSeconds) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1"));
  run_for(9s);
  watch.data(added("x/b", "2"));
  expect_pause(10s);
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(reflector->progress().last_error.value().to_string(),
              HasSubstr("the end of the initial state was not announced in time"));
  expire(list_and_watch());
  list_and_watch();  // it is not tried in each cycle
}

TEST_F(ReflectorWatchList, AStreamThatHasNotBegunMayTakeThreeMinutes) {
  start_streaming();
  expect_pause(3min);
  next_list();
}

TEST_F(ReflectorWatchList, WL_01_NotUsedWhenTheSourceDeclaresThatItHasNone) {
  for (const std::optional<bool> unsupported : {std::optional<bool>(), std::optional(false)}) {
    source = [&](std::shared_ptr<ListerWatcher> server) {
      return unsupported
                 ? to_lister_watcher_with_watch_list_semantics(std::move(server), *unsupported)
                 : server;
    };
    start_streaming();
    reflector->stop();
    run();
    streams = false;
    start();
    next_list();
    reflector->stop();
    run();
  }
  source = [](std::shared_ptr<ListerWatcher> server) {
    return to_lister_watcher_with_watch_list_semantics(std::move(server), true);
  };
  streams = true;
  start();
  next_list();
}

TEST_F(ReflectorWatchList, WL_03_TheVersionIsThatOfTheEndOfTheInitialState) {
  ScriptedCall watch = start_streaming();
  watch.head();
  run();
  EXPECT_EQ(reflector->progress().version, "");
  watch.data(added("x/a", "1"));
  run();
  EXPECT_EQ(reflector->progress().version, "");
  watch.data(end("2"));
  run();
  EXPECT_EQ(reflector->progress().version, "2");
}

TEST_F(ReflectorWatchList, WL_10_TooManyRequestsIsTriedAgain) {
  ScriptedCall watch = start_streaming();
  for (int i = 0; i < 2; ++i) {
    respond_status(watch, 429, "TooManyRequests", "later");
    run_for(30s);
    watch = next_initial();
  }
  watch.data(added("x/a", "1") + end("2"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2"));
  EXPECT_EQ(transport->requests().size(), 3U);
}

TEST_F(ReflectorWatchList, WL_11_AStreamThatBreaksOffBeginsAnew) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + added("x/gone", "1")).reset();
  watch = next_initial();
  watch.data(added("x/a", "2") + end("3"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@2 at 3")) << "nothing of the first stream";
}

TEST_F(ReflectorWatchList, ARetiredConnectionCostsNoStream) {
  ScriptedCall watch = start_streaming();
  for (int i = 0; i < 2 * kMaxInitialStreams; ++i) {
    if (i % 3 > 0) watch.head();
    if (i % 3 > 1) watch.data(added("x/gone", "1"));
    run();
    watch.fail(transport::connection_retired());
    watch = next_initial();
  }
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(reflector->progress().last_error, std::nullopt);
  watch.data(added("x/a", "1") + end("2"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2"));
}

TEST_F(ReflectorWatchList, AStreamThatNeverGetsToItsEndIsListed) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1")).reset();
  watch = next_initial();
  watch.data(added("x/a", "1")).reset();
  watch = next_initial();
  watch.data(added("x/a", "1")).reset();
  next_list();
}

TEST_F(ReflectorWatchList, AnEndThatNeverComesIsNotWaitedForForEver) {
  ScriptedCall watch = start_streaming();
  int version = 1;
  for (; version < 100 && !watch.cancelled(); ++version) {
    watch.data(added("x/a", std::to_string(version)));
    run_for(9s);
  }
  EXPECT_TRUE(watch.cancelled());
  EXPECT_EQ(version, 21) << "three minutes";
  EXPECT_EQ(next_list().query("resourceVersion"), "0");
  EXPECT_THAT(target.log, IsEmpty());
}

TEST_F(ReflectorWatchList, WL_12_AfterTheEndAClosedStreamIsFollowedByAPlainWatch) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + end("2") + added("x/b", "3")).end();
  EXPECT_EQ(next_plain_watch().query("resourceVersion"), "3");
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2", "add x/b@3"));
}

TEST_F(ReflectorWatchList, WL_13_APlainWatchThatExpiredAfterwardsIsAnErrorOfTheCycle) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + end("2") + added("x/b", "3")).end();
  watch = next_plain_watch();
  respond_status(watch, 410, "Expired", "old");
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_TRUE(is_resource_expired(target.errors[0]));
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2", "add x/b@3"));
}

TEST_F(ReflectorWatchList, WL_14_ABookmarkThatDoesNotSayTrueIsNotTheEnd) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + bookmark_text("2", "false") + bookmark_text("3"));
  run();
  EXPECT_THAT(target.take(), IsEmpty());
  EXPECT_EQ(reflector->progress().state, InformerState::Listing);
}

TEST_F(ReflectorWatchList, WL_17_AnExpiredVersionIsFollowedAtOnceByTheNewest) {
  ScriptedCall watch = start_streaming();
  watch.data(end("2") + event_text("ERROR", testing::status_text(410, "Expired", "old")));
  run_for(60s);
  watch = next_initial("2");
  respond_status(watch, 410, "Expired", "old");
  watch = next_initial();
  watch.data(end("9") + event_text("ERROR", testing::status_text(410, "Expired", "old")));
  run_for(60s);
  watch = next_initial("9");
  respond_status(
      watch, 504, "Timeout", "Timeout: Too large resource version",
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1})");
  watch = next_initial();
  watch.data(end("8"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("replace at 2", "replace at 9", "replace at 8"));
}

TEST_F(ReflectorWatchList, RFL_39_NoResyncComesWhileTheInitialStateIsStreamed) {
  target.period = 10s;
  ScriptedCall watch = start_streaming();
  for (int i = 0; i < 3; ++i) {
    watch.data(added("x/a", "1"));
    run_for(9s);
  }
  EXPECT_THAT(target.take(), IsEmpty());
  watch.data(end("2"));
  run_for(25s);
  EXPECT_THAT(target.take(), ElementsAre("replace x/a@1 at 2", "resync", "resync"));
}

TEST_F(ReflectorWatchList, WL_18_WhenTheTargetRefusesTheStateItIsListed) {
  target.fail_replace = Error(ErrorCode::InvalidArgument, "no");
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "1") + end("2"));
  next_list();
  EXPECT_TRUE(watch.cancelled());
}

TEST_F(ReflectorWatchList, AfterAnEndWithoutAVersionNothingOlderIsAskedFor) {
  const auto ends = [&](ScriptedCall watch, std::string_view event) {
    watch.data(std::string(event));
    run_for(60s);
  };
  const std::string expired = event_text("ERROR", testing::status_text(410, "Expired", "old"));
  for (const std::string& event :
       {event_text("ERROR", testing::status_text(429, "TooManyRequests", "busy")),
        event_text("ERROR", testing::status_text(401, "Unauthorized", "no")), expired}) {
    ScriptedCall watch = start_streaming();
    ends(watch.data(added("x/a", "5") + end("10")), expired);
    watch = next_initial("10");
    watch.data(added("x/a", "50") + end(""));
    run_for(10s);
    EXPECT_EQ(reflector->progress().version, "");
    EXPECT_TRUE(reflector->progress().version_unavailable);
    ends(watch, event);
    next_initial().data(end("60"));
    run();
    EXPECT_EQ(reflector->progress().version, "60");
    reflector->stop();
    run();
  }
}

TEST_F(ReflectorWatchList, AnEventAfterAnEndWithoutAVersionBringsOne) {
  ScriptedCall watch = start_streaming();
  watch.data(added("x/a", "5") + end("") + added("x/b", "51") +
             event_text("ERROR", testing::status_text(429, "TooManyRequests", "busy")));
  run_for(60s);
  EXPECT_EQ(next_plain_watch().query("resourceVersion"), "51");
  EXPECT_FALSE(reflector->progress().version_unavailable);
}

TEST_F(ReflectorWatchList, WL_16_AnEndWithoutAVersionSyncsInformersOfAllKinds) {
  SharedInformer<core::v1::Pod> typed(client(), {.protobuf = false});
  SharedInformer<Unstructured> dynamic(client(), testing::pods());
  SharedInformer<meta::PartialObjectMetadata> metadata(client(), testing::pods());
  const auto syncs = [&](auto& informer) {
    ASSERT_TRUE(informer.start());
    next_initial().data(added("x/a", "1") + end(""));
    run();
    EXPECT_TRUE(informer.has_synced());
    EXPECT_EQ(informer.indexer().list_keys().size(), 1U);
    EXPECT_EQ(informer.status().state, InformerState::Watching);
    EXPECT_EQ(transport->waiting(), 0U) << "nothing is listed";
    informer.stop();
    run();
  };
  syncs(typed);
  syncs(dynamic);
  syncs(metadata);
}

}  // namespace
}  // namespace kube::cache
