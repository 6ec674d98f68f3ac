// SPDX-License-Identifier: Apache-2.0
//
// How a reflector lists: versions, pages, errors, what is left of a list that breaks off.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>

#include "ever_learning.hpp"
#include "reflector_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;

class ReflectorList : public testing::ReflectorFixture {
 protected:
  /// Brings the reflector to the list that follows one at version `known`.
  ScriptedCall relist_from(std::string_view known, ReflectorOptions options = {}) {
    start(std::move(options));
    ScriptedCall list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "0");
    list.respond(200, list_text({}, known));
    end_cycle(next_watch());
    target.take();
    return next_list();
  }
  /// Ends a watch so that a list follows, and waits for it.
  void end_cycle(ScriptedCall watch) {
    watch.head().data(testing::event_text("ERROR", testing::status_text(410, "Expired", "old")));
    run_for(60s);
  }
  static std::vector<std::string> many(int count) {
    std::vector<std::string> items;
    for (int i = 0; i < count; ++i) items.push_back(object_text("x/" + std::to_string(i), "1"));
    return items;
  }
};

TEST_F(ReflectorList, RFL_08_FirstListsAnyVersionThenWatchesFromTheListsVersion) {
  start();
  ScriptedCall list = next_list();
  EXPECT_EQ(list.path(), "/api/v1/pods");
  EXPECT_EQ(list.query("resourceVersion"), "0");
  EXPECT_EQ(list.query("limit"), "500");
  EXPECT_EQ(list.query("resourceVersionMatch"), std::nullopt);
  EXPECT_EQ(reflector->progress().state, InformerState::Listing);
  list.respond(200, list_text({object_text("x/a", "5"), object_text("y/b", "7")}, "10"));

  const ScriptedCall watch = next_watch();
  EXPECT_EQ(watch.query("resourceVersion"), "10");
  EXPECT_EQ(watch.query("allowWatchBookmarks"), "true");
  EXPECT_EQ(watch.query("sendInitialEvents"), std::nullopt);
  EXPECT_THAT(target.log, ElementsAre("replace x/a@5 y/b@7 at 10"));
  EXPECT_EQ(reflector->progress().state, InformerState::Watching);
  EXPECT_EQ(reflector->progress().lists, 1U);
}

TEST_F(ReflectorList, SplitsAListWhereverItsBytesAreCut) {
  start();
  next_list()
      .data_in_pieces(list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"), 3)
      .end();
  next_watch();
  EXPECT_THAT(target.log, ElementsAre("replace x/a@5 x/b@6 at 10"));
}

TEST_F(ReflectorList, RFL_20_RFL_18_ARelistAsksForTheLastVersionAndWithoutALimit) {
  const ScriptedCall list = relist_from("10");
  EXPECT_EQ(list.query("resourceVersion"), "10");
  EXPECT_EQ(list.query("limit"), std::nullopt);
}

TEST_F(ReflectorList, RFL_17_AGivenPageSizeIsUsedForEveryListAndPagesAreFollowed) {
  ScriptedCall list = relist_from("10", {.page_size = 4});
  EXPECT_EQ(list.query("limit"), "4");
  const std::vector<std::string> items = many(10);
  list.respond(200, list_text({items.begin(), items.begin() + 4}, "20", "page 2/+="));
  list = next_list();
  EXPECT_EQ(list.query("limit"), "4");
  EXPECT_EQ(list.query("continue"), "page 2/+=");
  EXPECT_EQ(list.query("resourceVersion"), std::nullopt) << "the token says it";
  list.respond(200, list_text({items.begin() + 4, items.begin() + 8}, "20", "page3"));
  list = next_list();
  EXPECT_EQ(list.query("continue"), "page3");
  list.respond(200, list_text({items.begin() + 8, items.end()}, "20"));
  EXPECT_EQ(next_watch().query("resourceVersion"), "20");
  ASSERT_EQ(target.log.size(), 1U);
  EXPECT_THAT(target.log[0],
              HasSubstr("x/0@1 x/1@1 x/2@1 x/3@1 x/4@1 x/5@1 x/6@1 x/7@1 x/8@1 x/9@1"));
}

TEST_F(ReflectorList, PGR_02_PagesAreFollowedInOrderAndTheFirstPagesVersionCounts) {
  for (const int count : {11, 21}) {
    start();
    const std::vector<std::string> items = many(count);
    std::string expected = "replace";
    std::string token;
    for (int begin = 0; begin < count; begin += 10) {
      ScriptedCall list = next_list();
      EXPECT_EQ(list.query("continue").value_or(""), token);
      const int end = std::min(begin + 10, count);
      for (int i = begin; i < end; ++i) expected += " x/" + std::to_string(i) + "@1";
      token = end < count ? "from " + std::to_string(end) : "";
      list.respond(200, list_text({items.begin() + begin, items.begin() + end},
                                  std::to_string(20 + begin), token));
    }
    const ScriptedCall watch = next_watch();
    EXPECT_EQ(watch.query("resourceVersion"), "20");
    EXPECT_THAT(target.take(), ElementsAre(expected + " at 20"));
    end_cycle(watch);
    EXPECT_EQ(next_list().query("limit"), "500") << "that the list had pages is remembered";
    strand.submit([this] { reflector->stop(); });
    run();
  }
}

TEST_F(ReflectorList, TheListsVersionIsThatOfItsFirstPage) {
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10", "more"));
  next_list().respond(200, list_text({object_text("x/b", "6")}, "11"));
  EXPECT_EQ(next_watch().query("resourceVersion"), "10");
  EXPECT_THAT(target.log, ElementsAre("replace x/a@5 x/b@6 at 10"));
}

TEST_F(ReflectorList, RFL_19_OnceAnAnyVersionListWasPagedAllListsAre) {
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10", "more"));
  next_list().respond(200, list_text({}, "10"));
  end_cycle(next_watch());
  const ScriptedCall list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), "10");
  EXPECT_EQ(list.query("limit"), "500");
}

TEST_F(ReflectorList, RFL_21_AnExpiredVersionIsFollowedAtOnceByAListOfTheNewest) {
  ScriptedCall list = relist_from("10");
  respond_status(list, 410, "Expired", "too old");
  list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), std::nullopt);
  EXPECT_EQ(list.query("limit"), std::nullopt) << "as the list before";
  list.respond(200, list_text({object_text("x/a", "30")}, "31"));
  EXPECT_EQ(next_watch().query("resourceVersion"), "31");
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorList, RFL_21_WhenTheNewestCannotBeHadEitherTheNextCycleAsksForItAgain) {
  ScriptedCall list = relist_from("10");
  respond_status(list, 410, "Gone", "too old");
  list = next_list();
  respond_status(list, 500, "InternalError", "down");
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_TRUE(is_internal_error(target.errors[0]));
  run_for(60s);
  list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), std::nullopt);
  EXPECT_EQ(list.query("limit"), "500");
  list.respond(200, list_text({}, "31"));
  next_watch();
}

TEST_F(ReflectorList, RFL_22_PGR_04_AnExpiredPageIsFollowedByTheWholeAtTheSameVersion) {
  ScriptedCall list = relist_from("10", {.page_size = 4});
  list.respond(200, list_text({object_text("x/a", "5")}, "20", "more"));
  list = next_list();
  EXPECT_EQ(list.query("continue"), "more");
  EXPECT_EQ(list.query("resourceVersion"), std::nullopt);
  respond_status(list, 410, "Expired", "the continue token is too old");
  list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), "10");
  EXPECT_EQ(list.query("limit"), std::nullopt);
  EXPECT_EQ(list.query("continue"), std::nullopt);
  list.respond(200, list_text({object_text("x/b", "21")}, "22"));
  next_watch();
  EXPECT_THAT(target.log, ElementsAre("replace x/b@21 at 22")) << "nothing of the broken list";
}

TEST_F(ReflectorList, PGR_04_AListThatBeganInPagesIsRememberedAsOneWithPages) {
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "20", "more"));
  ScriptedCall list = next_list();
  respond_status(list, 410, "Expired", "the continue token is too old");
  list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), "0");
  EXPECT_EQ(list.query("limit"), std::nullopt);
  EXPECT_EQ(list.query("continue"), std::nullopt);
  list.respond(200, list_text({object_text("x/b", "21")}, "22"));
  end_cycle(next_watch());
  EXPECT_EQ(next_list().query("limit"), "500");
}

TEST_F(ReflectorList, RFL_23_AVersionTheServerHasNotReachedIsFollowedByAListOfTheNewest) {
  const std::string cause =
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1})";
  const std::string old_cause =
      R"("details":{"causes":[{"message":"Too large resource version"}],"retryAfterSeconds":1})";
  const std::string oldest_cause =
      R"("details":{"causes":[{"message":"Too large resource version: 1000, current: 999"}],"retryAfterSeconds":1})";
  ScriptedCall list = relist_from("10");
  for (const std::string& details : {cause, old_cause, oldest_cause}) {
    respond_status(list, 504, "Timeout", "Timeout: Too large resource version", details);
    list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), std::nullopt) << details;
    list.respond(200, list_text({}, "9"));
    end_cycle(next_watch());
    list = next_list();
    EXPECT_EQ(list.query("resourceVersion"), "9");
  }
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorList, RFL_35_WhenTheTargetRefusesAListItIsAnErrorAndTheVersionStays) {
  target.fail_replace = Error(ErrorCode::InvalidArgument, "no");
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.errors[0].to_string(), HasSubstr("list pods"));
  EXPECT_EQ(reflector->last_sync_resource_version(), "");
  run_for(800ms);
  ScriptedCall list = next_list();
  EXPECT_EQ(list.query("resourceVersion"), "0");
  list.respond(200, list_text({object_text("x/a", "5")}, "10"));
  end_cycle(next_watch());
  target.fail_replace = Error(ErrorCode::InvalidArgument, "no");
  next_list().respond(200, list_text({object_text("x/a", "15")}, "20"));
  run();
  EXPECT_EQ(reflector->last_sync_resource_version(), "10");
  run_for(60s);
  EXPECT_EQ(next_list().query("resourceVersion"), "10");
}

TEST_F(ReflectorList, AContinueTokenThatComesAgainFailsTheList) {
  const std::vector<std::vector<std::string>> circles = {{"a", "a"}, {"a", "b", "a"}};
  start({.page_size = 1});
  for (const auto& tokens : circles) {
    for (const std::string& token : tokens) {
      next_list().respond(200, list_text({object_text("x/" + token, "5")}, "10", token));
    }
    run();
    EXPECT_EQ(transport->waiting(), 0U) << "asked for a page that it has had";
    ASSERT_EQ(target.errors.size(), 1U);
    EXPECT_EQ(target.errors[0].code(), ErrorCode::Decode);
    EXPECT_THAT(target.errors[0].to_string(),
                ::testing::StartsWith("list pods in all namespaces: "));
    EXPECT_THAT(target.errors[0].to_string(), HasSubstr("continue token"));
    EXPECT_THAT(target.errors[0].to_string(), HasSubstr("list pods"));
    EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
    target.errors.clear();
    run_for(60s);
  }
  EXPECT_EQ(next_list().query("continue"), std::nullopt) << "the next cycle begins anew";
  EXPECT_THAT(target.log, IsEmpty());
}

TEST_F(ReflectorList, PagesWithoutItemsAreFollowedByTheNext) {
  start({.page_size = 1});
  next_list().respond(200, list_text({}, "10", "a"));
  next_list().respond(200, list_text({}, "10", "b"));
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  next_watch();
  EXPECT_THAT(target.log, ElementsAre("replace x/a@5 at 10"));
}

// A server may page what was asked for at once, and forget that, too.
TEST_F(ReflectorList, TokensThatExpireAgainAndAgainFailTheList) {
  start();
  int lists = 0;
  while (target.errors.empty()) {
    ASSERT_LT(++lists, 10) << "lists without a pause";
    next_list().respond(200, list_text({object_text("x/a", "5")}, "10", "more"));
    ScriptedCall page = next_list();
    EXPECT_EQ(page.query("continue"), "more");
    respond_status(page, 410, "Expired", "the continue token is too old");
    run();
  }
  EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
}

TEST_F(ReflectorList, AnObjectThatIsRefusedIsLeftOutAndToldOfOnce) {
  target.refuse = "x/b";
  start();
  const std::string b = object_text("x/b", "5");
  next_list().respond(200, list_text({object_text("x/a", "5"), b, b}, "10"));
  next_watch();
  EXPECT_THAT(
      target.take(),
      ElementsAre(
          "refused: refused", "refused: refused", "replace x/a@5 at 10",
          "incomplete: list pods in all namespaces: objects refused: 2, the first: refused"));
  EXPECT_THAT(target.errors, IsEmpty());
}

TEST_F(ReflectorList, APageThatIsAskedForAgainCountsOnce) {
  source = [](std::shared_ptr<ListerWatcher> server) {
    return std::make_shared<testing::EverLearning>(std::move(server));
  };
  target.refuse = "x/b";
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10", "t1"));
  const std::string page = list_text({object_text("x/b", "6"), object_text("x/c", "7")}, "10");
  for (int i = 0; i < 2; ++i) {
    ScriptedCall broken = next_list();
    broken.head().data(page.substr(0, page.find("]}")));
    broken.truncate();
    run();
    EXPECT_GT(target.freed_bytes, 0U);
  }
  ScriptedCall again = next_list();
  EXPECT_EQ(again.query("continue"), "t1");
  again.respond(200, page);
  next_watch();
  EXPECT_THAT(target.log, ::testing::Contains("replace x/a@5 x/c@7 at 10"));
  EXPECT_THAT(target.log, ::testing::Contains(HasSubstr("objects refused: 1, the first")));
}

TEST_F(ReflectorList, WhatIsKnownOfARefusedObjectIsKept) {
  target.refuse = "x/b";
  target.last_known = Cell::make(testing::text_type(), {"x", "b", "u", "3", Encoding::Json, "{}"});
  start();
  next_list().respond(200, list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10"));
  next_watch();
  EXPECT_EQ(target.log.at(1), "replace x/a@5 x/b@3 at 10");
}

TEST_F(ReflectorList, StoppingWhenToldOfRefusedObjectsEndsIt) {
  target.refuse = "x/a";
  target.on_error = [this] { stop_reflector(); };
  start();
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  run_for(60s);
  EXPECT_EQ(transport->requests().size(), 1U);
  EXPECT_EQ(reflector->progress().state, InformerState::Stopped);
}

TEST_F(ReflectorList, RFIFO_35_AnObjectThatCanNotBeAdmittedFailsTheList) {
  target.fail = "x/b";
  start();
  ScriptedCall list = next_list();
  list.data(list_text({object_text("x/a", "5"), object_text("x/b", "5")}, "10"));
  run();
  EXPECT_TRUE(list.cancelled()) << "the rest is of no use";
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.log, IsEmpty());
  run_for(800ms);
  next_list();
}

TEST_F(ReflectorList, RFL_38_AFailedListIsReportedAndTriedAgainAfterABackoff) {
  start();
  next_list().refuse();
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(target.errors[0].code(), ErrorCode::Unreachable);
  EXPECT_EQ(reflector->progress().state, InformerState::BackingOff);
  EXPECT_EQ(reflector->progress().last_error.value().code(), ErrorCode::Unreachable);
  expect_pause(800ms);
  ScriptedCall list = next_list();
  respond_status(list, 403, "Forbidden", "no");
  run();
  EXPECT_TRUE(is_forbidden(target.errors.at(1)));
  expect_pause(1600ms);
  list = next_list();
  list.respond(200, list_text({object_text("x/a", "5")}, "10"));
  next_watch();
  EXPECT_THAT(target.log, ElementsAre("replace x/a@5 at 10"));
  EXPECT_FALSE(reflector->progress().last_error);
}

TEST_F(ReflectorList, RetryAfterOfA429IsHonoured) {
  start();
  ScriptedCall list = next_list();
  respond_status(list, 429, "TooManyRequests", "later", {},
                 {{"Content-Type", "application/json"}, {"Retry-After", "7"}});
  run();
  expect_pause(7s);
  next_list();
}

TEST_F(ReflectorList, AListThatBreaksOffLeavesNothingBehind) {
  start();
  next_list()
      .head()
      .data(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[)" +
            object_text("x/a", "5") + "," + object_text("x/b", "5").substr(0, 20))
      .reset();
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(target.errors[0].code(), ErrorCode::Unreachable);
  EXPECT_THAT(target.log, IsEmpty());
  run_for(800ms);
  next_list().respond(200, list_text({object_text("x/c", "5")}, "10"));
  next_watch();
  EXPECT_THAT(target.log, ElementsAre("replace x/c@5 at 10"));
}

TEST_F(ReflectorList, AListThatEndsTooEarlyIsAnErrorEvenIfTheConnectionEndsWell) {
  start();
  const std::string whole = list_text({object_text("x/a", "5"), object_text("x/b", "5")}, "10");
  next_list().data(whole.substr(0, whole.size() - 20)).end();
  run();
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_THAT(target.log, IsEmpty());
  expect_pause(800ms);
}

TEST_F(ReflectorList, GarbageInsteadOfAListIsAnErrorThatSaysSo) {
  const std::vector<std::string> bodies = {
      "<html>welcome</html>", R"({"kind":"PodList","items":[[]]})", object_text("x/a", "1"), ""};
  start();
  for (const std::string& body : bodies) {
    ScriptedCall list = next_list();
    list.head();
    if (!body.empty()) list.data(body);
    list.end();
    run();
    ASSERT_EQ(target.errors.size(), 1U) << body;
    EXPECT_FALSE(target.errors[0].message().empty());
    target.errors.clear();
    EXPECT_THAT(target.log, IsEmpty());
    run_for(60s);
  }
}

TEST_F(ReflectorList, RFL_03_NothingIsAskedAfterAStop) {
  stop.request_stop();
  start();
  run_for(60s);
  EXPECT_TRUE(transport->requests().empty());
}

TEST_F(ReflectorList, RFL_40_AListThatIsStoppedLeavesNothingBehind) {
  start();
  ScriptedCall list = next_list();
  list.data(list_text({object_text("x/a", "5")}, "10"));
  stop.request_stop();
  run_for(60s);
  EXPECT_TRUE(list.cancelled());
  EXPECT_THAT(target.log, IsEmpty());
  EXPECT_THAT(target.errors, IsEmpty());
  EXPECT_EQ(transport->requests().size(), 1U);
}

TEST_F(ReflectorList, StoppingFromTheErrorHandlerEndsIt) {
  start();
  target.on_error = [this] { stop_reflector(); };
  next_list().refuse();
  run_for(60s);
  EXPECT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(transport->requests().size(), 1U);
  EXPECT_EQ(reflector->progress().state, InformerState::Stopped);
}

TEST_F(ReflectorList, ASilentListIsGivenUp) {
  start();
  ScriptedCall list = next_list();
  list.head();
  run_for(89s);
  EXPECT_FALSE(list.ended());
  run_for(2s);
  EXPECT_TRUE(list.ended());
  ASSERT_EQ(target.errors.size(), 1U);
  EXPECT_EQ(target.errors[0].code(), ErrorCode::Timeout);
}

TEST_F(ReflectorList, RFL_38_TheBackoffStartsOverTwoMinutesAfterItsLastReset) {
  start();
  const auto fail = [&] {
    next_list().refuse();
    run();
  };
  for (const Duration pause : {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
    fail();
    expect_pause(pause);
  }
  // 110 s have passed; the ninth pause ends behind the two minutes.
  fail();
  expect_pause(30s);
  fail();
  expect_pause(800ms);
}

}  // namespace
}  // namespace kube::cache
