// SPDX-License-Identifier: Apache-2.0
//
// How a reflector watches: events, versions, the ways in which a stream ends, resyncs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/transport/connection_retired.hpp>

#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using kube::testing::RecordingLogger;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;
using ::testing::StartsWith;
using testing::status_text;

class ReflectorWatch : public testing::ReflectorFixture {
 protected:
  static std::string added(std::string_view key, std::string_view version) {
    return event_text("ADDED", object_text(key, version));
  }
  static std::string modified(std::string_view key, std::string_view version) {
    return event_text("MODIFIED", object_text(key, version));
  }
  static std::string error(int code, std::string_view reason) {
    return event_text("ERROR", status_text(code, reason, "said the server"));
  }

  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Info);
};

TEST_F(ReflectorWatch, RFL_26_EveryEventReachesTheTargetAndMovesTheVersion) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11") + modified("x/b", "12") + bookmark_text("15") +
             event_text("DELETED", object_text("x/b", "14")));
  run();
  EXPECT_THAT(target.take(),
              ElementsAre("add x/b@11", "update x/b@12", "bookmark 15", "remove x/b@14"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "14")
      << "the last one counts, not the largest";
  EXPECT_EQ(reflector->progress().events, 4U);
  run_for(2s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "14");
}

TEST_F(ReflectorWatch, EventsMayBeCutAnywhere) {
  ScriptedCall watch = start_watching();
  watch.data_in_pieces(added("x/b", "11") + modified("x/b", "12"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("add x/b@11", "update x/b@12"));
}

TEST_F(ReflectorWatch, RFL_33_AWatchThatEndsIsFollowedByAnotherAtOnce) {
  ScriptedCall watch = start_watching();
  watch.head();
  run_for(1s);
  watch.end();
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "10");
  watch.data(added("x/b", "11")).end();
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "11");
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(reflector->progress().lists, 1U);
}

TEST_F(ReflectorWatch, AConnectionThatBreaksIsFollowedByAnotherWatch) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11"));
  run_for(5s);
  watch.reset();
  EXPECT_EQ(next_watch().query("resourceVersion"), "11");
}

TEST_F(ReflectorWatch, AnOlderBookmarkMovesTheVersionToo) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "12") + bookmark_text("11"));
  run_for(2s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "11") << "versions are not compared";
}

TEST_F(ReflectorWatch, AWatchThatBreaksOffIsToldUntilTheNextIsAccepted) {
  runtime.logger = log;
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11"));
  run_for(5s);
  EXPECT_FALSE(reflector->progress().last_error);
  watch.reset();
  watch = next_watch();
  ASSERT_TRUE(reflector->progress().last_error);
  const std::string error = reflector->progress().last_error.value().to_string();
  EXPECT_THAT(error, HasSubstr("watch pods in all namespaces: "));
  EXPECT_THAT(log->lines(),
              ElementsAre("info reflector: watch broke off informer=pods in all namespaces "
                          "resource_version=11 error=" +
                          error));
  EXPECT_THAT(target.errors, IsEmpty());
  watch.head();
  run();
  EXPECT_FALSE(reflector->progress().last_error);
}

TEST_F(ReflectorWatch, AVeryShortWatchIsToldUntilTheNextListHasCome) {
  start_watching().head().end();
  run();
  ASSERT_TRUE(reflector->progress().last_error);
  EXPECT_EQ(reflector->progress().last_error.value().to_string(),
            "watch pods in all namespaces: very short watch: closed at once without anything new");
  expect_pause(800ms);
  next_list().respond(200, list_text({}, "10"));
  next_watch();
  EXPECT_FALSE(reflector->progress().last_error);
}

TEST_F(ReflectorWatch, EveryErrorEventIsToldWithWhatWasWatched) {
  for (const auto& [code, reason] : std::vector<std::pair<int, std::string>>{
           {410, "Expired"}, {429, "TooManyRequests"}, {500, "InternalError"}}) {
    ScriptedCall watch = start_watching();
    watch.data(error(code, reason));
    run();
    ASSERT_TRUE(reflector->progress().last_error) << reason;
    EXPECT_EQ(reflector->progress().last_error.value().to_string(),
              "watch pods in all namespaces: said the server");
    reflector->stop();
    transport->take_request();
  }
}

TEST_F(ReflectorWatch, AnEventThatBreaksOffIsLostAndComesAgain) {
  ScriptedCall watch = start_watching();
  const std::string event = added("x/c", "12");
  watch.data(added("x/b", "11") + event.substr(0, event.size() / 2)).reset();
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "11");
  watch.data(event.substr(0, 30)).end();  // even if the connection ends well
  run_for(2s);
  EXPECT_THAT(target.log, ElementsAre("add x/b@11"));
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorWatch, RFL_06_AWatchClosedAtOnceBacksOffAndLists) {
  ScriptedCall watch = start_watching();
  for (const Duration open : {Duration(0), Duration(999ms)}) {
    watch.head();
    run_for(open);
    watch.end();
    run();
    EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
    EXPECT_EQ(
        reflector->progress().last_error.value().to_string(),
        "watch pods in all namespaces: very short watch: closed at once without anything new");
    EXPECT_EQ(transport->open(), 0U);
    expect_pause(open == Duration(0) ? 800ms : 1600ms);
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "10");
    EXPECT_THAT(target.errors, IsEmpty()) << "not an error of a list or of opening a watch";
    list.respond(200, list_text({}, "10"));
    watch = next_watch();
  }
}

TEST_F(ReflectorWatch, RFL_37_ABookmarkThatMovesTheVersionCountsAsAnEvent) {
  ScriptedCall watch = start_watching();
  watch.data(bookmark_text("11")).end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "11");
}

TEST_F(ReflectorWatch, AServerThatClosesEachWatchAtOnceIsAskedEverLessOften) {
  start();
  const auto answer = [this](ScriptedCall call) {
    if (!call.query("watch")) {
      call.respond(200, list_text({}, "10"));
    } else if (transport->requests().size() % 3 == 0) {
      call.head().end();
    } else {
      call.data(bookmark_text("10")).end();  // the same version again and again: no progress
    }
  };
  transport->on("GET", "/api/v1/pods", answer);
  answer(next_list());
  run_for(10min);
  // A list and a watch each time: 30 s apart in the end, and from the start every two minutes.
  EXPECT_LT(transport->requests().size(), 100U);
  EXPECT_GT(transport->requests().size(), 40U);
}

TEST_F(ReflectorWatch, RFL_31_ARefusedWatchIsTriedAgainWithoutAList) {
  ScriptedCall watch = start_watching();
  for (const Duration pause : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms}) {
    watch.refuse();
    run();
    expect_pause(pause);
    watch = next_watch();
    EXPECT_EQ(watch.query("resourceVersion"), "10");
  }
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(reflector->progress().last_error.value().code(), ErrorCode::Unreachable);
  watch.head();
  run();
  EXPECT_FALSE(reflector->progress().last_error);
  EXPECT_EQ(reflector->progress().watches, 1U);
}

TEST_F(ReflectorWatch, RFL_14_TooManyRequestsAtTheDoorIsTriedAgainWithoutAList) {
  ScriptedCall watch = start_watching();
  for (int i = 0; i < 4; ++i) {
    respond_status(watch, 429, "TooManyRequests", "later");
    run_for(30s);
    watch = next_watch();
  }
  watch.head();
  run();
  std::size_t watches = 0;
  for (const auto& request : transport->requests()) {
    if (request.url.find("watch=true") != std::string::npos) ++watches;
  }
  EXPECT_EQ(watches, 5U);
  EXPECT_EQ(transport->requests().size(), 6U);
}

TEST_F(ReflectorWatch, RFL_13_TooManyRequestsInTheStreamWaitsOnTheSameBackoff) {
  ScriptedCall watch = start_watching();
  respond_status(watch, 429, "TooManyRequests", "later");
  run();
  expect_pause(800ms);
  watch = next_watch();
  watch.data(error(429, "TooManyRequests"));
  run();
  EXPECT_TRUE(watch.cancelled());
  expect_pause(1600ms);
  next_watch();
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorWatch, RefusedCredentialsAreReportedAndTheWatchGoesOnWithoutAList) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11") + error(401, "Unauthorized"));  // in the middle
  run();
  EXPECT_TRUE(watch.cancelled());
  expect_pause(800ms);
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "11");
  respond_status(watch, 401, "Unauthorized", "the token has expired");  // at the door
  run();
  expect_pause(1600ms);
  watch = next_watch();
  watch.fail(Error(ErrorCode::Credentials, "the certificate is not trusted"));  // before it
  run();
  expect_pause(3200ms);
  EXPECT_EQ(next_watch().query("resourceVersion"), "11");
  ASSERT_EQ(target.errors.size(), 3U);
  EXPECT_TRUE(is_unauthorized(target.errors[0]));
  EXPECT_TRUE(is_unauthorized(target.errors[1]));
  EXPECT_EQ(target.errors[2].code(), ErrorCode::Credentials);
  EXPECT_EQ(transport->requests().size(), 5U) << "one list, four watches";
}

TEST_F(ReflectorWatch, ARetiredConnectionIsLeftAtOnceHoweverShortTheWatchWas) {
  ScriptedCall watch = start_watching();
  for (int i = 0; i < 3; ++i) {
    watch.fail(transport::connection_retired());
    watch = next_watch();
    EXPECT_EQ(watch.query("resourceVersion"), "10");
  }
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(transport->requests().size(), 5U) << "one list, four watches";
}

TEST_F(ReflectorWatch, WhatFollowsTheErrorOfAWatchIsNotHeardOnceAStopIsRequested) {
  streams = true;
  start({.max_internal_error_retry = 1min});
  ScriptedCall watch = next_watch();
  watch.data(bookmark_text("", "true"));  // no version, so that a list is to follow the error
  run();
  watch.data(event_text("ERROR", status_text(500, "InternalError", "oops")));
  watch.data(event_text("ADDED", object_text("x/a", "11")));
  strand.submit([this] {
    run();  // both wait for the strand
    stop.request_stop();
  });
  run_for(60s);
  EXPECT_THAT(target.take(), ElementsAre("replace at "));
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(transport->requests().size(), 1U);
}

TEST_F(ReflectorWatch, RetryAfterOfA429IsHonoured) {
  ScriptedCall watch = start_watching();
  respond_status(watch, 429, "TooManyRequests", "later", {},
                 {{"Content-Type", "application/json"}, {"Retry-After", "5"}});
  run();
  expect_pause(5s);
  next_watch();
}

TEST_F(ReflectorWatch, RFL_32_GoneAtTheDoorIsReportedAndListed) {
  ScriptedCall watch = start_watching();
  respond_status(watch, 410, "Expired", "too old");
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_TRUE(is_resource_expired(target.errors[0]));
  expect_pause(800ms);
  EXPECT_EQ(next_list().query("resourceVersion"), "10");
}

TEST_F(ReflectorWatch, RFL_01_RFL_32_GoneInTheStreamIsListedWithoutAReport) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11") + error(410, "Expired") + added("x/c", "12"));
  run();
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(target.take(), ElementsAre("add x/b@11")) << "nothing behind the error";
  EXPECT_THAT(target.errors, IsEmpty());
  expect_pause(800ms);
  EXPECT_EQ(next_list().query("resourceVersion"), "11") << "a list may well have that version";
}

TEST_F(ReflectorWatch, OtherErrorEventsAreListedToo) {
  ScriptedCall watch = start_watching();
  watch.data(error(500, "StoreReadError"));
  run();
  EXPECT_TRUE(watch.cancelled());
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_TRUE(reflector->progress().last_error);
  expect_pause(800ms);
  next_list();
}

TEST_F(ReflectorWatch, GarbageInTheStreamIsListed) {
  const std::vector<std::string> broken = {"<html>", "{\"type\":\"ADDED\"}\n", "}\n",
                                           R"({"type":"ADDED","object":7})"};
  ScriptedCall watch = start_watching();
  std::string version = "10";
  for (const std::string& bytes : broken) {
    version = std::to_string(std::stoi(version) + 1);
    watch.data(added("x/b", version) + bytes + added("x/z", "99"));
    run();
    EXPECT_TRUE(watch.cancelled()) << bytes;
    EXPECT_THAT(target.take(), ElementsAre("add x/b@" + version)) << bytes;
    EXPECT_EQ(reflector->progress().last_error.value().code(), ErrorCode::Decode);
    EXPECT_THAT(reflector->progress().last_error.value().to_string(),
                StartsWith("watch pods in all namespaces: "));
    run_for(60s);
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), version);
    list.respond(200, list_text({}, version));
    watch = next_watch();
    target.take();
  }
}

TEST_F(ReflectorWatch, AnEventOfUnknownTypeEndsTheWatchAndAListFollows) {
  ScriptedCall watch = start_watching();
  watch.data(added("x/a", "11") + event_text("SPLIT", object_text("x/b", "12")) +
             added("x/c", "13"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("add x/a@11"));
  EXPECT_THAT(reflector->progress().last_error.value().to_string(),
              HasSubstr("got invalid watch event type: SPLIT"));
  run_for(60s);
  ScriptedCall list = next_list();
  list.respond(200, list_text({object_text("x/c", "13")}, "13"));
  next_watch();
  EXPECT_THAT(target.take(), ElementsAre("replace x/c@13 at 13"));
}

TEST_F(ReflectorWatch, RFL_34_AnObjectThatIsRefusedIsReportedAndTheWatchGoesOn) {
  target.refuse = "x/b";
  ScriptedCall watch = start_watching();
  watch.data(added("x/b", "11"));
  run();
  EXPECT_THAT(target.take(),
              ElementsAre("refused: refused", "incomplete: watch pods in all namespaces: refused"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "11");
  watch.data(added("x/c", "12"));
  run();
  EXPECT_THAT(target.take(), ElementsAre("add x/c@12"));
}

TEST_F(ReflectorWatch, AFloodOfRefusedObjectsIsToldInSums) {
  const auto told = [&] {
    std::vector<std::string> result = target.take();
    std::erase(result, "refused: refused");
    return result;
  };
  const std::string one = "incomplete: watch pods in all namespaces: refused";
  const auto sum = [](int count) {
    return "incomplete: watch pods in all namespaces: objects refused: " + std::to_string(count) +
           ", the first: refused";
  };
  target.refuse = "x/b";
  ScriptedCall watch = start_watching();
  int version = 11;
  const auto refuse = [&](int count) {
    for (int i = 0; i < count; ++i) watch.data(added("x/b", std::to_string(version++)));
    run();
  };
  refuse(1000);
  EXPECT_EQ(told(), std::vector<std::string>(10, one));
  run_for(10s);
  refuse(5);
  EXPECT_THAT(told(), ElementsAre(sum(991)));
  watch.end();
  run();
  EXPECT_THAT(told(), ElementsAre(sum(4))) << "those that were left when the watch ended";
  watch = next_watch();
  run_for(10s);
  refuse(1);
  EXPECT_THAT(told(), ElementsAre(one));
}

TEST_F(ReflectorWatch, AListOfAVersionThatStandsForAnyHasFailed) {
  start();
  next_list().respond(200, list_text({}, "0"));
  run();
  EXPECT_EQ(reflector->last_sync_resource_version(), "");
  EXPECT_THAT(
      reflector->progress().last_error.value().to_string(),
      ::testing::HasSubstr("expected a metadata.resourceVersion to watch from, found \"0\""));
  run_for(2s);
  next_list().respond(200, list_text({}, "10"));
  next_watch().data(added("x/b", "0") + added("x/a", "30"));
  run();
  EXPECT_EQ(reflector->last_sync_resource_version(), "30");
}

TEST_F(ReflectorWatch, RFL_02_RFL_04_AStopEndsTheWatch) {
  ScriptedCall watch = start_watching();
  watch.head();
  run();
  stop.request_stop();
  run_for(10min);
  EXPECT_TRUE(watch.cancelled());
  EXPECT_TRUE(watch.ended());
  EXPECT_EQ(transport->requests().size(), 2U);
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorWatch, RFL_05_AStopBeforeOrAmongEventsEndsTheirHandling) {
  for (const bool among : {false, true}) {
    stop = std::stop_source();
    ScriptedCall watch = start_watching();
    watch.head();
    run();
    if (among) {
      target.on_flush = [this] { stop.request_stop(); };
      watch.data(added("x/b", "11"));
      run();
      EXPECT_THAT(target.take(), ElementsAre("add x/b@11"));
    } else {
      stop.request_stop();
    }
    watch.data(added("x/c", "12"));
    strand.submit([this] { reflector->stop(); });
    run_for(10min);
    EXPECT_THAT(target.take(), IsEmpty());
    EXPECT_TRUE(watch.ended());
    EXPECT_EQ(transport->open(), 0U);
    EXPECT_EQ(transport->waiting(), 0U) << "and nothing follows";
  }
}

TEST_F(ReflectorWatch, ASilentWatchIsOpenedAgain) {
  idle_timeout = 30s;
  ScriptedCall watch = start_watching();
  watch.head();
  run_for(20s);
  watch.data(bookmark_text("12"));
  run_for(29s);
  EXPECT_FALSE(watch.ended());
  EXPECT_EQ(reflector->last_proof_of_life(), executor->clock()->now() - 29s);
  run_for(1s);
  EXPECT_TRUE(watch.ended());
  EXPECT_EQ(next_watch().query("resourceVersion"), "12");
  EXPECT_EQ(reflector->progress().lists, 1U);
}

TEST_F(ReflectorWatch, TooMuchAtOnceHoldsTheServerBackUntilItIsTaken) {
  // Posted batches wait on the strand while it is busy elsewhere; here: not run yet.
  ScriptedCall watch = start_watching();
  const std::string big = event_text(
      "ADDED", object_text("x/b", "11", {}, R"("data":")" + std::string(1 << 20, 'z') + '"'));
  bool was_paused = false;
  for (int i = 0; i < 12; ++i) watch.data(big);
  while (watch.undelivered() > 0 && executor->step()) was_paused = was_paused || watch.paused();
  run();
  EXPECT_TRUE(was_paused) << "in none of the schedules tried; choose another seed";
  EXPECT_FALSE(watch.paused());
  EXPECT_EQ(target.log.size(), 12U);
}

// ---- resync

TEST_F(ReflectorWatch, RFL_29_RFL_39_ResyncsComeEachPeriodWhileWatching) {
  target.period = 10s;
  ScriptedCall watch = start_watching();
  watch.head();
  run_for(35s);
  EXPECT_THAT(target.take(), ElementsAre("resync", "resync", "resync"));
  watch.data(error(410, "Expired"));
  run_for(5s);
  ScriptedCall list = next_list();
  run_for(80s);
  EXPECT_THAT(target.take(), IsEmpty()) << "not while listing";
  list.respond(200, list_text({}, "20"));
  next_watch().head();
  target.take();
  run_for(9s);
  EXPECT_THAT(target.take(), IsEmpty()) << "from zero in each cycle";
  run_for(1s);
  EXPECT_THAT(target.take(), ElementsAre("resync"));
}

TEST_F(ReflectorWatch, RFL_29_APeriodOfZeroNeverFires) {
  start_watching().head();
  run_for(10h);
  EXPECT_THAT(target.take(), IsEmpty());
}

}  // namespace
}  // namespace kube::cache
