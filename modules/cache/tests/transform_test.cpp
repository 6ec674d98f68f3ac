// SPDX-License-Identifier: Apache-2.0
//
// Transforms: what they see, what they may not change, and what they refuse.
#include <kube/cache/transform.hpp>

#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::list_text;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;
using testing::show;
using ::testing::UnorderedElementsAre;

class TransformTest : public testing::InformerFixture {};

TEST_F(TransformTest, CTL_06_RFIFO_10_ATransformSeesEachObjectOnceAndAllSeeItsResult) {
  for (const StoragePolicy storage : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    make({.storage = storage});
    int calls = 0;
    ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
      ++calls;
      object.set_label("seen", "yes");
      return object;
    }));
    Recorder recorder;
    std::vector<bool> transformed;
    const auto note = [&](const Cached<Unstructured>& o) {
      transformed.push_back(o->labels().contains("seen"));
    };
    const auto registration = informer->add_event_handler(
        {.on_add = [&](const auto& o, bool) { note(o); },
         .on_update = [&](const auto& old, const auto& now) { note(old), note(now); },
         .on_delete = [&](const auto& d) { note(d.object); }});
    ScriptedCall watch = start({object_text("x/a", "5"), object_text("x/b", "6")});
    EXPECT_EQ(calls, 2);
    watch.data(added("x/c", "11") + modified("x/a", "12"));
    run();
    EXPECT_EQ(calls, 4);
    for (const auto& object : informer->lister().list()) {
      EXPECT_TRUE(object->labels().contains("seen")) << object.key();
    }
    watch.data(deleted("x/a", "13") + deleted("x/c", "14"));
    run();
    EXPECT_EQ(calls, 6);
    watch = relist(watch, {object_text("x/b", "6")}, "20");
    EXPECT_EQ(calls, 6) << "an unchanged object is what it was made to be";
    EXPECT_EQ(transformed, std::vector<bool>(transformed.size(), true));
    EXPECT_EQ(transformed.size(), 9U);
    const auto b = informer->lister().find("x/b");
    EXPECT_TRUE(b->labels().contains("seen"));
    watch = relist(watch, {}, "30");
    EXPECT_EQ(calls, 6) << "the last known state of what has gone is transformed already";
    EXPECT_EQ(transformed, std::vector<bool>(10, true));
    informer.reset();
    run();
  }
}

TEST_F(TransformTest, ATransformMustNotChangeTheKey) {
  make();
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    if (object.name() == "b") object.set_name("c");
    return object;
  }));
  ScriptedCall watch = start();
  watch.data(added("x/b", "11") + added("x/d", "12"));
  run();
  EXPECT_THAT(informer->indexer().list_keys(), UnorderedElementsAre("x/a", "x/d"));
  EXPECT_EQ(informer->status().processing_errors, 1U);
}

TEST_F(TransformTest, CTL_13_RFIFO_35_ATransformThatFailsDropsAnEventButFailsAList) {
  make();
  bool fail = true;
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    if (fail && object.name() == "a") return Error(ErrorCode::InvalidArgument, "not this one");
    return object;
  }));
  ASSERT_TRUE(informer->start());
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  run();
  EXPECT_FALSE(informer->has_synced());
  EXPECT_THAT(informer->status().last_error.value().to_string(), HasSubstr("not this one"));
  fail = false;
  run_for(800ms);
  next_list().respond(200, list_text({object_text("x/a", "5")}, "10"));
  ScriptedCall watch = next_watch();
  fail = true;
  watch.data(modified("x/a", "11") + added("x/b", "12"));
  run();
  EXPECT_EQ(show(informer->lister().get("x/a").value()), "x/a@5");
  EXPECT_TRUE(informer->lister().find("x/b"));
  EXPECT_EQ(informer->status().processing_errors, 1U);
}

TEST_F(TransformTest, AListGoesOnWithoutTheObjectsThatATransformRefuses) {
  make();
  bool refuses = true;
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    if (refuses && object.name() == "b") throw std::runtime_error("not this one");
    if (refuses && object.name() == "c") object.set_name("d");
    return object;
  }));
  std::vector<std::string> errors;
  ASSERT_TRUE(informer->set_watch_error_handler(
      [&](const Error& error) { errors.push_back(error.to_string()); }));
  const std::string broken =  // well-formed to those who only cut, not to those who decode
      R"({"metadata":{"name":"e","namespace":"x","uid":"1","resourceVersion":"5"},"spec":[nul]})";
  ScriptedCall watch = start(
      {object_text("x/a", "5"), object_text("x/b", "5"), object_text("x/c", "5"), broken}, "10");
  EXPECT_TRUE(informer->has_synced());
  EXPECT_THAT(informer->indexer().list_keys(), UnorderedElementsAre("x/a"));
  EXPECT_EQ(informer->status().processing_errors, 3U);
  EXPECT_THAT(errors, ElementsAre(HasSubstr("objects refused: 3, the first: transform x/b")));

  // What it has taken once stays as it was.
  refuses = false;
  watch.data(modified("x/b", "11"));
  run();
  refuses = true;
  relist(watch, {object_text("x/a", "5"), object_text("x/b", "20")}, "20");
  EXPECT_EQ(show(informer->lister().get("x/b").value()), "x/b@11");
  EXPECT_EQ(errors.size(), 2U) << "once a list";
}

TEST_F(TransformTest, AnEmptyTransformIsNone) {
  make();
  ASSERT_TRUE(informer->set_transform(nullptr));
  start();
  EXPECT_THAT(informer->indexer().list_keys(), UnorderedElementsAre("x/a"));
}

TEST_F(TransformTest, CTL_07_AResyncDoesNotTransformWhatIsStored) {
  make({.resync_period = 1s});
  int calls = 0;
  ASSERT_TRUE(informer->set_transform([&](Unstructured object) -> Result<Unstructured> {
    ++calls;
    if (object.labels().contains("seen")) {
      return Error(ErrorCode::InvalidArgument, "transformed twice");
    }
    object.set_label("seen", "yes");
    return object;
  }));
  int resyncs = 0;
  const auto registration = informer->add_event_handler(
      {.on_update = [&](const Cached<Unstructured>& old, const Cached<Unstructured>& now) {
        EXPECT_EQ(old, now);
        EXPECT_TRUE(now->labels().contains("seen"));
        const auto stored = informer->lister().find("x/a");
        EXPECT_TRUE(stored->labels().contains("seen")) << "read meanwhile";
        ++resyncs;
      }});
  ScriptedCall watch = start({object_text("x/a", "5")});
  watch.head();
  run_for(20s);
  EXPECT_GE(resyncs, 19);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(informer->status().processing_errors, 0U);
}

TEST_F(TransformTest, CTL_12_WithoutTheVersionOfObjectsTheStoreKeepsThatOfTheList) {
  make();
  ASSERT_TRUE(informer->set_transform([](Unstructured object) -> Result<Unstructured> {
    object.set_resource_version("");
    return object;
  }));
  ScriptedCall watch = start({object_text("x/a", "5")}, "10");
  EXPECT_EQ(informer->last_sync_resource_version(), "10");
  watch.data(modified("x/a", "11") + added("x/b", "12"));
  run();
  EXPECT_EQ(informer->lister().list().size(), 2U);
  EXPECT_EQ(informer->last_sync_resource_version(), "10");
  relist(watch, {object_text("x/a", "11")}, "20");
  EXPECT_EQ(informer->last_sync_resource_version(), "20");
}

}  // namespace
}  // namespace kube::cache
