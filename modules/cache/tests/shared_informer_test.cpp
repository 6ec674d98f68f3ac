// SPDX-License-Identifier: Apache-2.0
//
// What an informer's store and handlers see of lists and watches.
#include <kube/cache/shared_informer.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"

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
using testing::pods;
using testing::Recorder;
using testing::respond_status;
using testing::ScriptedCall;
using testing::show;
using testing::status_text;
using ::testing::UnorderedElementsAre;

static_assert(!std::is_copy_constructible_v<SharedInformer<Unstructured>>);
static_assert(!std::is_move_constructible_v<SharedInformer<Unstructured>>);
static_assert(!std::is_copy_constructible_v<HandlerRegistration>);
static_assert(std::is_nothrow_move_constructible_v<HandlerRegistration>);
static_assert(std::is_copy_constructible_v<Lister<Unstructured>>);
// What a cache hands out can't be written to.
static_assert(
    std::is_same_v<decltype(*std::declval<Cached<Unstructured>&>()), const Unstructured&>);

class SharedInformerTest : public testing::InformerFixture {};

TEST_F(SharedInformerTest, CTL_02_INF_34_SyncedOnceTheWholeListWasApplied) {
  make();
  EXPECT_FALSE(informer->has_synced());
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  EXPECT_FALSE(informer->has_synced());
  const std::string text = list_text({object_text("x/a", "5"), object_text("x/b", "6")}, "10");
  list.data(text.substr(0, text.size() - 10));
  run();
  EXPECT_FALSE(informer->has_synced());
  EXPECT_EQ(informer->indexer().size(), 0U) << "nothing of half a list";
  list.data(text.substr(text.size() - 10)).end();
  run();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(informer->indexer().size(), 2U);
  informer->stop_and_wait();
  EXPECT_TRUE(informer->has_synced()) << "what was reached stays";
}

TEST_F(SharedInformerTest, RFIFO_33_SYN_04_AnEmptyListSyncsToo) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  start({});
  EXPECT_TRUE(informer->has_synced());
  EXPECT_TRUE(registration.has_synced());
  EXPECT_THAT(recorder.take(), IsEmpty());
  EXPECT_EQ(informer->last_sync_resource_version(), "10");
}

TEST_F(SharedInformerTest, INF_34_NeverSyncedWhenStoppedBefore) {
  make();
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  informer->stop();
  list.respond(200, list_text({object_text("x/a", "5")}, "10"));
  run();
  EXPECT_FALSE(informer->has_synced());
  EXPECT_EQ(informer->status().state, InformerState::Stopped);
}

TEST_F(SharedInformerTest, DINF_03_HND_02_AddUpdateAndDeleteReachTheHandlerInOrder) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5"));
  watch.data(added("x/b", "11") + modified("x/b", "12") + deleted("x/b", "13") +
             added("x/b", "14"));
  run();
  EXPECT_THAT(recorder.take(),
              ElementsAre("add x/b@11", "update x/b@11 -> x/b@12", "delete x/b@13", "add x/b@14"));
}

TEST_F(SharedInformerTest, PresenceInTheStoreDecidesBetweenAddAndUpdate) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  recorder.take();
  watch.data(modified("x/new", "11") + added("x/new", "12"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("add x/new@11", "update x/new@11 -> x/new@12"));
}

TEST_F(SharedInformerTest, CTL_14_ADeletionOfWhatTheStoreNeverHadIsDelivered) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start({});
  watch.data(deleted("x/ghost", "11"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("delete x/ghost@11"));
  EXPECT_EQ(informer->indexer().size(), 0U);
}

TEST_F(SharedInformerTest, CTL_11_TheStoresVersionIsThatOfTheLastEventBookmarksIncluded) {
  ScriptedCall watch = start();
  EXPECT_EQ(informer->last_sync_resource_version(), "10");
  watch.data(modified("x/a", "12"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "12");
  watch.data(deleted("x/a", "13"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "13");
  watch.data(bookmark_text("20"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "20");
}

TEST_F(SharedInformerTest, RFL_10_AfterEachCycleTheStoreIsWhatTheServerHad) {
  make();
  std::vector<Error> errors;
  ASSERT_TRUE(informer->set_watch_error_handler([&](const Error& e) { errors.push_back(e); }));
  const auto content = [&] {
    std::vector<std::string> objects;
    for (const auto& object : informer->lister().list()) objects.push_back(show(object));
    return objects;
  };
  // A list and events.
  ScriptedCall watch = start({object_text("x/a", "1"), object_text("x/b", "2")});
  watch.data(modified("x/a", "11") + added("x/c", "12") + deleted("x/b", "13"));
  run();
  EXPECT_THAT(content(), UnorderedElementsAre("x/a@11", "x/c@12"));
  EXPECT_THAT(errors, IsEmpty());
  // The watch expires, and the list that follows fails.
  watch.data(event_text("ERROR", status_text(410, "Expired", "old")));
  run_for(60s);
  ScriptedCall list = next_list();
  respond_status(list, 403, "Forbidden", "not now");
  run_for(60s);
  EXPECT_THAT(content(), UnorderedElementsAre("x/a@11", "x/c@12")) << "as before";
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(is_forbidden(errors[0]));
  EXPECT_THAT(errors[0].to_string(), HasSubstr("list pods"));
  // A list that drops one and brings one; the watch after it is refused.
  next_list().respond(200, list_text({object_text("x/c", "12"), object_text("x/d", "19")}, "20"));
  watch = next_watch();
  EXPECT_THAT(content(), UnorderedElementsAre("x/c@12", "x/d@19"));
  respond_status(watch, 403, "Forbidden", "no watch");
  run_for(60s);
  EXPECT_THAT(content(), UnorderedElementsAre("x/c@12", "x/d@19"));
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_TRUE(is_forbidden(errors[1]));
  EXPECT_THAT(errors[1].to_string(), HasSubstr("watch pods"));
  // And a cycle that has nothing.
  next_list().respond(200, list_text({}, "30"));
  next_watch().data(added("x/e", "31"));
  run();
  EXPECT_THAT(content(), ElementsAre("x/e@31"));
  EXPECT_EQ(errors.size(), 2U);
}

TEST_F(SharedInformerTest, RFL_28_AnObjectThatTheServerCanNotReadStaysUntilTheListIsTaken) {
  make();
  const auto names = [&] {
    std::vector<std::string> objects;
    for (const auto& object : informer->lister().list()) objects.push_back(show(object));
    std::sort(objects.begin(), objects.end());
    return objects;
  };
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start({object_text("x/bad", "1"), object_text("x/good", "2")});
  recorder.take();
  watch.data(event_text("ERROR", status_text(500, "StoreReadError", "the object is corrupt")));
  run_for(60s);
  ScriptedCall list = next_list();
  const std::string text = list_text({object_text("x/good", "2")}, "20");
  list.data(text.substr(0, text.size() - 10));
  run();
  EXPECT_THAT(names(), ElementsAre("x/bad@1", "x/good@2")) << "until the list is whole";
  list.data(text.substr(text.size() - 10)).end();
  run();
  EXPECT_THAT(names(), ElementsAre("x/good@2"));
  EXPECT_THAT(recorder.take(),
              ElementsAre("delete x/bad@1 (inferred)", "update x/good@2 -> x/good@2"));
}

TEST_F(SharedInformerTest, CTL_01_AHandlerThatDeletesWhatItSeesHearsOfEachDeletion) {
  make();
  Recorder recorder;
  std::vector<std::string> to_delete;
  ResourceEventHandler<Unstructured> handler = recorder.handler();
  handler.on_add = [&](const Cached<Unstructured>& object, bool) {
    to_delete.emplace_back(object.key());
  };
  const auto registration = informer->add_event_handler(std::move(handler));
  ScriptedCall watch = start({object_text("x/a", "1"), object_text("x/b", "2")});
  watch.data(added("x/c", "11") + added("x/d", "12"));
  int version = 12;
  for (run(); !to_delete.empty(); run()) {
    for (const std::string& key : std::exchange(to_delete, {})) {
      watch.data(deleted(key, std::to_string(++version)));
    }
    watch.data(version < 20 ? added("x/" + std::to_string(version), std::to_string(version)) : "");
  }
  EXPECT_EQ(informer->indexer().size(), 0U);
  EXPECT_THAT(
      recorder.take(),
      UnorderedElementsAre("delete x/a@13", "delete x/b@14", "delete x/c@15", "delete x/d@16",
                           "delete x/16@17", "delete x/17@18", "delete x/18@19", "delete x/19@20"));
}

// [I1], and what a relist did is in the store as a whole before anybody hears of it.
TEST_F(SharedInformerTest, CTL_09_ARelistDeletesFirstThenUpdatesAndAddsInTheOrderOfTheList) {
  make();
  std::vector<std::string> log;
  const auto state = [&] {
    std::map<std::string, std::string> objects;
    for (const auto& object : informer->lister().list()) {
      objects[std::string(object.name())] = object.resource_version();
    }
    std::string text;
    for (const auto& [name, version] : objects) text += " " + name + version;
    return text;
  };
  const auto registration = informer->add_event_handler(
      {.on_add = [&](const auto& o,
                     bool) { log.push_back("add " + std::string(o.name()) + ":" + state()); },
       .on_update =
           [&](const auto&, const auto& o) {
             log.push_back("update " + std::string(o.name()) + ":" + state());
           },
       .on_delete = [&](const auto& d) { log.push_back("delete " + d.key.name + ":" + state()); }});
  ScriptedCall watch =
      start({object_text("x/c", "1"), object_text("x/a", "1"), object_text("x/b", "1")});
  EXPECT_THAT(log, ElementsAre("add c: a1 b1 c1", "add a: a1 b1 c1", "add b: a1 b1 c1"));
  log.clear();
  watch = relist(
      watch, {object_text("x/d", "12"), object_text("x/b", "11"), object_text("x/e", "13")}, "20");
  ASSERT_EQ(log.size(), 5U);
  const std::string final_state = ": b11 d12 e13";
  EXPECT_THAT((std::vector<std::string>{log[0], log[1]}),
              UnorderedElementsAre("delete a" + final_state, "delete c" + final_state));
  EXPECT_EQ(log[2], "add d" + final_state);
  EXPECT_EQ(log[3], "update b" + final_state);
  EXPECT_EQ(log[4], "add e" + final_state);
  log.clear();
  relist(watch, {}, "30");
  EXPECT_THAT(log, UnorderedElementsAre("delete b:", "delete d:", "delete e:"));
}

TEST_F(SharedInformerTest, KEY_04_KEY_05_KEY_07_InferredDeletionsCarryKeyAndLastKnownState) {
  make();
  std::vector<DeletedObject<Unstructured>> deletions;
  const auto registration = informer->add_event_handler(
      {.on_delete = [&](const DeletedObject<Unstructured>& d) { deletions.push_back(d); }});
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  watch = relist(watch, {object_text("x/b", "6")}, "20");
  watch.data(deleted("x/b", "21"));
  run();
  ASSERT_EQ(deletions.size(), 2U);
  EXPECT_EQ(deletions[0].key, (ObjectKey{"x", "a"}));
  EXPECT_TRUE(deletions[0].final_state_unknown);
  EXPECT_EQ(deletions[0].object.resource_version(), "5");
  EXPECT_EQ(deletions[1].key, (ObjectKey{"x", "b"}));
  EXPECT_FALSE(deletions[1].final_state_unknown);
  EXPECT_EQ(deletions[1].object.resource_version(), "21") << "the state at the deletion";
  const DeletedObject<Unstructured> nothing;
  EXPECT_EQ(nothing.key.to_string(), "");
  EXPECT_FALSE(nothing.object);
  const DeletedObject<Unstructured> only_a_key{.key = {"x", "c"}, .final_state_unknown = true};
  EXPECT_EQ(only_a_key.key.to_string(), "x/c");
  EXPECT_FALSE(only_a_key.object);
}

TEST_F(SharedInformerTest, CTL_10_INF_36_OnlyTheFirstListIsInitial) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5"));
  relist(watch, {object_text("x/a", "15"), object_text("x/b", "16")}, "20");
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@15", "add x/b@16"));
}

TEST_F(SharedInformerTest, INF_26_AnObjectMadeBetweenListAndWatchIsAddedOnce) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  watch.data(added("x/b", "11"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5", "add x/b@11"));
  EXPECT_TRUE(registration.has_synced());
}

TEST_F(SharedInformerTest, INF_37_ARecreatedObjectIsOneUpdate) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start({object_text("x/a", "5", {}, {}, "first")});
  recorder.take();
  relist(watch, {object_text("x/a", "15", {}, {}, "second")}, "20");
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@15"));
  const auto second = informer->lister().find("x/a");
  EXPECT_EQ(second.uid(), "second");
}

TEST_F(SharedInformerTest, INF_29_ARelistTellsOfUnchangedObjectsToo) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  ScriptedCall watch = start();
  recorder.take();
  relist(watch, {object_text("x/a", "5")}, "20");
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@5"));
}

TEST_F(SharedInformerTest, ARelistKeepsTheCellsOfUnchangedObjects) {
  ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
  const auto a = informer->lister().find("x/a");
  const auto b = informer->lister().find("x/b");
  relist(watch, {object_text("x/a", "5"), object_text("x/b", "6", {}, {}, "other")}, "20");
  EXPECT_EQ(informer->lister().find("x/a"), a);
  EXPECT_NE(informer->lister().find("x/b"), b) << "another object of the same name";
}

TEST_F(SharedInformerTest, INF_07_TheErrorHandlerHearsOfFailedListsAndIsSetBeforeTheStart) {
  make();
  std::vector<Error> errors;
  ASSERT_TRUE(informer->set_watch_error_handler([&](const Error& e) {
    errors.push_back(e);
    throw std::runtime_error("must not matter");
  }));
  ASSERT_TRUE(informer->start());
  EXPECT_EQ(informer->set_watch_error_handler({}).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(informer->set_transform({}).error().code(), ErrorCode::InvalidArgument);
  next_list().refuse();
  run();
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].code(), ErrorCode::Unreachable);
  EXPECT_THAT(errors[0].to_string(), HasSubstr("list pods"));
  run_for(800ms);
  next_list().respond(200, list_text({}, "10"));
  run();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(informer->status().processing_errors, 1U);
}

TEST_F(SharedInformerTest, INF_33_StartsOnce) {
  make();
  ASSERT_TRUE(informer->start());
  EXPECT_EQ(informer->start().error().code(), ErrorCode::InvalidArgument);
  informer->stop_and_wait();
  EXPECT_EQ(informer->start().error().code(), ErrorCode::InvalidArgument);
}

TEST_F(SharedInformerTest, AnInformerThatWasStoppedBeforeItsStartDoesNotStart) {
  make();
  informer->stop();
  informer->stop();
  EXPECT_FALSE(informer->start());
  run_for(60s);
  EXPECT_TRUE(transport->requests().empty());
  EXPECT_EQ(informer->status().state, InformerState::Stopped);
}

// ---- policy, kinds

TEST_F(SharedInformerTest, DocumentsOfAListGetTheKindThatTheListSays) {
  start({R"({"metadata":{"name":"a","namespace":"x","uid":"1","resourceVersion":"5"}})"});
  const auto a = informer->lister().get("x/a");
  ASSERT_TRUE(a);
  EXPECT_EQ((*a)->kind(), "Pod");
  EXPECT_EQ((*a)->api_version(), "v1");
}

// ---- waiting for sync

TEST_F(SharedInformerTest, WF_01_WF_09_WaitingReturnsWhenSyncedOrStopped) {
  EXPECT_TRUE(wait_for_cache_sync(std::stop_token{}));
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  std::stop_source stop;
  transport->on("GET", "/api/v1/pods", [](ScriptedCall call) {
    if (!call.query("watch")) call.respond(200, list_text({object_text("x/a", "5")}, "10"));
  });
  ASSERT_TRUE(informer->start());
  EXPECT_TRUE(wait_for_cache_sync(stop.get_token(), *informer, registration));
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/a@5"));
  stop.request_stop();
  EXPECT_TRUE(wait_for_cache_sync(stop.get_token(), *informer, registration))
      << "what has synced counts, stopped or not";

  SharedInformer<Unstructured> never(client(), pods(), {.watch_list = false});
  EXPECT_FALSE(never.wait_for_sync(stop.get_token()));
  EXPECT_FALSE(wait_for_cache_sync(stop.get_token(), *informer, never));
}

TEST_F(SharedInformerTest, WaitingEndsWhenTheInformerStops) {
  make();
  Recorder recorder;
  const auto registration = add(recorder);
  executor->submit([this] { informer->stop(); });
  EXPECT_FALSE(informer->wait_for_sync({}));
  EXPECT_FALSE(registration.wait_for_sync({}));
  EXPECT_FALSE(HandlerRegistration().wait_for_sync({}));
}

TEST_F(SharedInformerTest, OnSyncedIsCalledOnceWhenSynced) {
  make();
  int called = 0;
  informer->on_synced([&] { ++called; });
  informer->on_synced([&] { throw std::runtime_error("must not matter"); });
  ASSERT_TRUE(informer->start());
  ScriptedCall list = next_list();
  EXPECT_EQ(called, 0);
  list.respond(200, list_text({}, "10"));
  ScriptedCall watch = next_watch();
  run();
  EXPECT_EQ(called, 1);
  informer->on_synced([&] { ++called; });
  EXPECT_EQ(called, 1) << "from the executor";
  run();
  EXPECT_EQ(called, 2);
  relist(watch, {}, "20");
  EXPECT_EQ(called, 2);
  informer->stop();
  informer->on_synced([&] { ++called; });
  run();
  EXPECT_EQ(called, 2);
}

}  // namespace
}  // namespace kube::cache
