// SPDX-License-Identifier: Apache-2.0
//
// What a server says is taken within bounds: waits, versions, lists and watches that do not end.
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ever_learning.hpp"
#include "reflector_bounds.hpp"
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
using testing::status_text;

class ReflectorBounds : public testing::ReflectorFixture {
 protected:
  static constexpr int kAYear = 365 * 24 * 3600;
  static transport::Headers retry_after(int seconds) {
    return {{"Content-Type", "application/json"}, {"Retry-After", std::to_string(seconds)}};
  }
  void refuse_version(ScriptedCall call) {
    respond_status(call, 400, "BadRequest", "invalid resource version");
  }
};

TEST_F(ReflectorBounds, AYearsRetryAfterIsCapped) {
  start();
  ScriptedCall list = next_list();
  respond_status(list, 429, "TooManyRequests", "later", {}, retry_after(kAYear));
  run();
  expect_pause(kMaxRetryAfter);
  next_list().respond(200, list_text({}, "10"));
  ScriptedCall watch = next_watch();
  respond_status(watch, 429, "TooManyRequests", "later", {}, retry_after(kAYear));
  run();
  expect_pause(kMaxRetryAfter);
  watch = next_watch();
  const std::string details = R"("details":{"retryAfterSeconds":)" + std::to_string(kAYear) + "}";
  watch.data(event_text("ERROR", status_text(429, "TooManyRequests", "later", details)));
  run();
  expect_pause(kMaxRetryAfter);
  watch = next_watch();
  watch.data(event_text("ERROR", status_text(500, "InternalError", "later", details)));
  run();
  expect_pause(kMaxRetryAfter);
  next_list();
}

TEST_F(ReflectorBounds, ARetryAfterThatNoDurationCanHoldIsCappedToo) {
  start();
  ScriptedCall list = next_list();
  respond_status(list, 429, "TooManyRequests", "later",
                 R"("details":{"retryAfterSeconds":9223372036854775807})");
  run();
  expect_pause(kMaxRetryAfter);
}

TEST_F(ReflectorBounds, ABookmarksVersionThatTheServerRefusesIsNotAskedForAgain) {
  ScriptedCall watch = start_watching();
  watch.data(bookmark_text("not-a-version"));
  run_for(5s);
  watch.end();
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "not-a-version");
  refuse_version(watch);
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  run_for(60s);
  ScriptedCall list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), std::nullopt) << "the newest, whatever it is";
  list.respond(200, list_text({}, "20"));
  EXPECT_EQ(next_watch().query("resourceVersion"), "20");
}

TEST_F(ReflectorBounds, AnErrorEventThatRefusesTheVersionIsFollowedByAListOfTheNewest) {
  ScriptedCall watch = start_watching();
  watch.data(event_text("MODIFIED", object_text("x/a", "abc")) +
             event_text("ERROR", status_text(400, "BadRequest", "invalid resource version")));
  run_for(60s);
  EXPECT_EQ(next_list().query("resourceVersion"), std::nullopt);
}

TEST_F(ReflectorBounds, AListThatRefusesItsVersionIsFollowedAtOnceByOneOfTheNewest) {
  for (const int code : {400, 413, 414, 431}) {
    ScriptedCall watch = start_watching();
    watch.data(bookmark_text("abc") + event_text("ERROR", status_text(410, "Expired", "old")));
    run_for(60s);
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "abc");
    list.respond(code, "no");
    list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), std::nullopt) << code;
    list.respond(400, "not this either");
    run();
    EXPECT_EQ(target.errors.size(), 1U) << "once; then it is the list that is refused";
    EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
    target.errors.clear();
    reflector->stop();
  }
}

TEST_F(ReflectorBounds, AVersionThatMakesTheServerStumbleIsGivenUpAfterThreeLists) {
  ScriptedCall watch = start_watching();
  watch.data(bookmark_text("abc") + event_text("ERROR", status_text(410, "Expired", "old")));
  for (int i = 0; i < kMaxListsAtVersion; ++i) {
    run_for(60s);
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "abc");
    respond_status(list, 500, "InternalError", "parsing \"abc\": invalid syntax");
  }
  run_for(60s);
  EXPECT_EQ(next_list().query("resourceVersion"), std::nullopt);
}

TEST_F(ReflectorBounds, AStreamedInitialStateGivesUpARefusedVersionToo) {
  streams = true;
  start();
  next_watch().data(bookmark_text("abc", "true") +
                    event_text("ERROR", status_text(410, "Expired", "old")));
  run_for(60s);
  ScriptedCall watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "abc");
  refuse_version(watch);
  watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), std::nullopt);
  EXPECT_EQ(watch.query("sendInitialEvents"), "true");
}

TEST_F(ReflectorBounds, AVersionThatFitsIntoNoUrlIsNotTaken) {
  ScriptedCall watch = start_watching();
  watch.data(bookmark_text(std::string(60'000, '9')) +
             event_text("MODIFIED", object_text("x/a", std::string(kMaxVersion + 1, '9'))));
  run_for(5s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "10") << "the last good one";
}

TEST_F(ReflectorBounds, AListsVersionThatFitsIntoNoUrlFailsTheList) {
  start();
  next_list().respond(200, list_text({}, std::string(kMaxVersion + 1, '9')));
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(target.errors[0].to_string(),
            "list pods in all namespaces: expected a metadata.resourceVersion of at most 1024 "
            "bytes, found 1025");
  expect_pause(800ms);
}

TEST_F(ReflectorBounds, AListThatNeverEndsFailsAfterAnHour) {
  start();
  int pages = 0;
  transport->on("GET", "/api/v1/pods", [&](ScriptedCall call) {
    const std::string token = std::to_string(++pages);
    call.respond(200, list_text({object_text("x/" + token, "5")}, "10", token));
  });
  next_list().respond(200, list_text({}, "10", "first"));
  run_for(kMaxListTime - 1s);
  EXPECT_THAT(target.errors, IsEmpty());
  run_for(1s);
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(),
              HasSubstr("list pods in all namespaces: the list did not end within an hour: "));
  EXPECT_EQ(target.errors[0].code(), ErrorCode::Timeout);
}

TEST_F(ReflectorBounds, AnObjectThatDripsInForEverFailsItsListAfterAnHour) {
  start();
  ScriptedCall list = next_list();
  list.data(
      R"({"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":")");
  for (int i = 0; i < 60; ++i) {
    list.data("a");
    run_for(1min);
  }
  EXPECT_TRUE(list.cancelled());
  ASSERT_EQ(target.errors.size(), 1U);
}

TEST_F(ReflectorBounds, AListMayBringSoManyBytesOfObjects) {
  start({.page_size = 10, .max_list_bytes = 1 << 20});
  int pages = 0;
  transport->on("GET", "/api/v1/pods", [&](ScriptedCall call) {
    std::vector<std::string> items;
    const std::string token = std::to_string(++pages);
    for (int i = 0; i < 10; ++i) {
      items.push_back(object_text("x/" + token + "-" + std::to_string(i), "5", {},
                                  R"("data":")" + std::string(1000, 'z') + '"'));
    }
    call.respond(200, list_text(items, "10", token));
  });
  next_list().respond(200, list_text({}, "10", "first"));
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(), HasSubstr("InformerOptions::max_list_bytes"));
  EXPECT_LE(pages, 105);
  EXPECT_GE(pages, 80);
  EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
}

TEST_F(ReflectorBounds, AStreamedInitialStateMayBringSoManyBytesOfObjects) {
  source = [](std::shared_ptr<ListerWatcher> server) {  // is not asked: no server has refused
    return std::make_shared<testing::EverLearning>(std::move(server));
  };
  streams = true;
  start({.max_list_bytes = 10'000});
  ScriptedCall watch = next_watch();
  const std::string data = R"("data":")" + std::string(1000, 'z') + '"';
  // The same object again and again takes no more than once.
  for (int i = 0; i < 50; ++i) {
    watch.data(event_text("ADDED", object_text("x/a", std::to_string(i), {}, data)));
  }
  run();
  EXPECT_FALSE(watch.cancelled());
  for (int i = 0; i < 10; ++i) {
    watch.data(event_text("ADDED", object_text("x/" + std::to_string(i), "60", {}, data)));
  }
  run();
  EXPECT_TRUE(watch.cancelled());
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(), HasSubstr("max_list_bytes"));
  expect_pause(800ms);  // as after a list; a list would be as large
}

TEST_F(ReflectorBounds, WhatIsRefusedOfAStreamCountsToo) {
  streams = true;
  target.refuse = "x/a";
  start({.max_list_bytes = 10'000});
  ScriptedCall watch = next_watch();
  const std::string data = R"("data":")" + std::string(1000, 'z') + '"';
  for (int i = 0; i < 11; ++i) {
    watch.data(event_text("ADDED", object_text("x/a", std::to_string(i), {}, data)));
  }
  run();
  EXPECT_TRUE(watch.cancelled());
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(), HasSubstr("max_list_bytes"));
}

// One that sends bytes is not silent; yet it brings nothing.
TEST_F(ReflectorBounds, AWatchThatDoesNotEndWhenItWasAskedToIsOpenedAnew) {
  idle_timeout = 90s;
  ScriptedCall watch = start_watching();
  const auto asked = std::chrono::seconds(std::stoi(watch.query("timeoutSeconds").value()));
  watch.data(event_text("MODIFIED", object_text("x/a", "11")));
  watch.data(R"({"type":"ADDED","object":{"metadata":{"name":")");
  Duration passed{0};
  for (; passed < asked + kWatchGrace && !watch.cancelled(); passed += 10s) {
    watch.data("a");
    run_for(10s);
  }
  EXPECT_TRUE(watch.cancelled());
  EXPECT_GE(passed, asked);
  EXPECT_EQ(next_watch().query("resourceVersion"), "11");
  EXPECT_THAT(target.errors, IsEmpty());
}

// ---- without memory

/// Has no memory for some timers.
class ForgetfulExecutor final : public Executor {
 public:
  explicit ForgetfulExecutor(std::shared_ptr<Executor> real) : real_(std::move(real)) {}
  void submit(Task task) override { real_->submit(std::move(task)); }
  Timer submit_at(TimePoint when, Task task) override {
    if (forgets > 0) {
      --forgets;
      throw std::bad_alloc();
    }
    return real_->submit_at(when, std::move(task));
  }
  const std::shared_ptr<Clock>& clock() const override { return real_->clock(); }

  int forgets = 0;

 private:
  const std::shared_ptr<Executor> real_;
};

class ReflectorWithoutMemory : public testing::ReflectorFixture {
 protected:
  ReflectorWithoutMemory() { strand = Strand(timers); }
  void wait_for_request() {
    EXPECT_TRUE(executor->run_until([this] { return transport->waiting() > 0; }));
    EXPECT_EQ(timers->forgets, 0);
  }
  const std::shared_ptr<ForgetfulExecutor> timers = std::make_shared<ForgetfulExecutor>(executor);
};

TEST_F(ReflectorWithoutMemory, APauseThatCanNotBeginDoesSoOnceThereIsSome) {
  for (const int times : {1, 2, 3, 50}) {
    ScriptedCall watch = start_watching();
    timers->forgets = times;
    respond_status(watch, 500, "InternalError", "oops");
    wait_for_request();
    EXPECT_EQ(reflector->progress().state, InformerState::Listing);
    next_list().respond(200, list_text({object_text("x/a", "11")}, "11"));
    EXPECT_EQ(next_watch().query("resourceVersion"), "11") << times;
    EXPECT_THAT(target.take(), ElementsAre("replace x/a@11 at 11"));
    reflector->stop();
    run();
  }
}

TEST_F(ReflectorWithoutMemory, ARequestWhoseDeadlineCanNotBeSetFollowsLater) {
  for (const int times : {1, 2, 3, 50}) {
    timers->forgets = times;
    start();
    wait_for_request();
    ScriptedCall list = next_list();
    timers->forgets = times;
    list.respond(200, list_text({object_text("x/a", "5")}, "10"));
    run();
    wait_for_request();
    next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
    next_watch();
    reflector->stop();
    run();
  }
}

TEST_F(ReflectorWithoutMemory, AReportThatThrowsDoesNotKeepAPauseFromBeginning) {
  ScriptedCall watch = start_watching();
  target.on_error = [] { throw std::bad_alloc(); };
  respond_status(watch, 500, "InternalError", "oops");
  wait_for_request();
  EXPECT_EQ(target.errors.size(), 2U) << "the failure, and that its report threw";
  next_list();
}

TEST_F(ReflectorWithoutMemory, AStopEndsTheWaitForSome) {
  constexpr int kAlways = 1'000'000'000;
  ScriptedCall watch = start_watching();
  timers->forgets = kAlways;
  respond_status(watch, 500, "InternalError", "oops");
  const Timer stops = executor->submit_after(1h, [this] { stop_reflector(); });
  run_for(2h);
  EXPECT_LT(timers->forgets, kAlways - 3590) << "tried each second";
  EXPECT_GT(timers->forgets, kAlways - 3610) << "and no more often";
  EXPECT_EQ(reflector->progress().state, InformerState::Stopped);
  EXPECT_EQ(transport->requests().size(), 2U);
}

}  // namespace
}  // namespace kube::cache
