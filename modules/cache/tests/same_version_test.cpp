// SPDX-License-Identifier: Apache-2.0
//
// Objects and events that say nothing new by their version, or have none: what they bring is taken,
// and the last good version stays.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/watch_frames.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::bookmark_text;
using ::testing::ElementsAre;
using testing::event_text;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::pods;
using testing::Recorder;
using testing::ScriptedCall;
using testing::status_text;
using namespace std::chrono_literals;

std::string with_phase(std::string_view key, std::string_view version, std::string_view phase) {
  return object_text(key, version, {}, R"("status":{"phase":")" + std::string(phase) + R"("})");
}
/// As lists of built-in types have it.
std::string without_kind(std::string_view key, std::string_view version, std::string_view phase) {
  const std::string text = with_phase(key, version, phase);
  return "{" + text.substr(text.find(R"("metadata")"));
}

class SameVersion : public testing::InformerFixture,
                    public ::testing::WithParamInterface<StoragePolicy> {
 protected:
  void SetUp() override { make({.storage = GetParam()}); }
  std::string phase(std::string_view key) const {
    const auto object = informer->lister().find(key);
    return object ? std::string(object->content.string_at({"status", "phase"})) : "none";
  }
  const Cell* cell(std::string_view key) const {
    const auto object = informer->lister().find(key);
    return &object.cell();
  }
  bool is_wire() const { return GetParam() == StoragePolicy::Wire; }
};

TEST_P(SameVersion, AnEventWithOtherContentIsTakenAndTold) {
  // One that asks for no resyncs hears of it as well.
  Recorder recorder;
  const auto registration = add(recorder, {.resync_period = 0ms});
  ScriptedCall watch = start({with_phase("x/a", "5", "Pending")});
  recorder.take();
  watch.data(event_text("MODIFIED", with_phase("x/a", "5", "Running")));
  run();
  EXPECT_EQ(phase("x/a"), "Running");
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@5"));
  watch.data(event_text("ADDED", with_phase("x/a", "5", "Failed")));
  run();
  EXPECT_EQ(phase("x/a"), "Failed");
}

TEST_P(SameVersion, OneWithoutResyncsHearsOfItBesideOneWith) {
  make({.resync_period = 10s, .storage = GetParam()});
  Recorder recorder;
  const auto registration = add(recorder, {.resync_period = 0ms});
  ScriptedCall watch = start({with_phase("x/a", "5", "Pending")});
  watch.head();
  run_for(25s);
  recorder.take();
  watch.data(event_text("MODIFIED", with_phase("x/a", "5", "Running")));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("update x/a@5 -> x/a@5"));
}

TEST_P(SameVersion, AnEventThatSaysTheSameKeepsTheCell) {
  ScriptedCall watch = start({with_phase("x/a", "5", "Pending")});
  const Cell* known = cell("x/a");
  watch.data(event_text("MODIFIED", with_phase("x/a", "5", "Pending")));
  run();
  EXPECT_EQ(is_wire(), cell("x/a") == known) << "what is decoded has no bytes to compare";
}

TEST_P(SameVersion, AnEventThatComesTwiceAtOnceChangesNothingTheSecondTime) {
  std::vector<bool> unchanged;
  const auto registration =
      informer->add_event_handler({.on_update = [&](const auto& before, const auto& after) {
        unchanged.push_back(before == after);
      }});
  ScriptedCall watch = start({with_phase("x/a", "5", "Pending")});
  const std::string once = event_text("MODIFIED", with_phase("x/a", "11", "Running"));
  watch.data(once + once);
  run();
  EXPECT_EQ(phase("x/a"), "Running");
  EXPECT_THAT(unchanged, ElementsAre(false, is_wire())) << "what is decoded can't be compared";
}

TEST_P(SameVersion, ARelistOfUnchangedObjectsKeepsTheirCells) {
  SharedInformer<Pod> typed(client(),
                            {.protobuf = false, .storage = GetParam(), .watch_list = false});
  const auto cells = [&] {
    std::vector<const Cell*> found;
    for (const char* key : {"x/a", "x/b", "x/c"}) {
      const auto object = typed.lister().find(key);
      found.push_back(object ? &object.cell() : nullptr);
    }
    return found;
  };
  ASSERT_TRUE(typed.start());
  next_list().respond(
      200,
      list_text({with_phase("x/a", "5", "Pending"), without_kind("x/b", "6", "Running")}, "10"));
  ScriptedCall watch = next_watch();
  watch.data(event_text("ADDED", with_phase("x/c", "11", "Running")));
  run();
  const std::vector<const Cell*> known = cells();
  for (int round = 0; round < 2; ++round) {
    // An item of a list may lack the kind that the event had, and the other way round.
    watch = relist(watch,
                   {without_kind("x/a", "5", "Pending"), with_phase("x/b", "6", "Running"),
                    without_kind("x/c", "11", "Running")},
                   "12");
    EXPECT_EQ(cells(), known);
  }
}

TEST_P(SameVersion, ARelistWithOtherContentIsTaken) {
  ScriptedCall watch =
      start({with_phase("x/a", "5", "Pending"), with_phase("x/b", "6", "Pending")});
  const std::string more = object_text("x/b", "6", {}, R"("spec":{},"status":{"phase":"Pending"})");
  watch = relist(watch, {with_phase("x/a", "5", "Running"), more}, "12");
  EXPECT_EQ(phase("x/a"), is_wire() ? "Running" : "Pending")
      << "what is decoded has no bytes to compare, so the version is believed";
}

TEST_P(SameVersion, AnEventWithoutAVersionKeepsTheLastOne) {
  ScriptedCall watch = start();
  watch.data(event_text("MODIFIED", object_text("x/a", "")) + bookmark_text("") +
             event_text("ADDED", R"({"metadata":{"name":"b","namespace":"x"}})"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "10");
  EXPECT_EQ(informer->status().objects, 2U) << "what they bring is taken";
  watch.data(added("x/c", "12") + event_text("DELETED", object_text("x/a", "")) +
             bookmark_text(""));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "12");
  run_for(5s);
  watch.end();
  EXPECT_EQ(next_watch().query("resourceVersion"), "12");
}

TEST_P(SameVersion, AStreamedInitialStateWithoutAVersionSyncsAndAnotherOneFollows) {
  streams = true;
  make({.storage = GetParam()});
  ASSERT_TRUE(informer->start());
  ScriptedCall watch = next_watch();
  watch.data(added("x/a", "5") + bookmark_text("", "true"));
  run();
  EXPECT_TRUE(informer->has_synced());
  EXPECT_EQ(informer->status().objects, 1U);
  EXPECT_EQ(informer->last_sync_resource_version(), "");
  watch.data(added("x/b", "7"));
  run();
  EXPECT_EQ(informer->last_sync_resource_version(), "7");
  run_for(5s);
  watch.end();
  run_for(60s);
  EXPECT_EQ(next_watch().query("sendInitialEvents"), "true") << "it could not be watched from";
}

INSTANTIATE_TEST_SUITE_P(HeldAs, SameVersion,
                         ::testing::Values(StoragePolicy::Wire, StoragePolicy::Decoded),
                         [](const auto& policy) {
                           return policy.param == StoragePolicy::Wire ? "Wire" : "Decoded";
                         });

class UnclearAnswers : public testing::InformerFixture {
 protected:
  std::string error() const {
    const auto last = informer->status().last_error;
    return last ? last->to_string() : "none";
  }
};

TEST_F(UnclearAnswers, AListWithoutAVersionFailsAndSaysSo) {
  make();
  std::vector<std::string> errors;
  ASSERT_TRUE(informer->set_watch_error_handler(
      [&](const Error& failed) { errors.push_back(failed.to_string()); }));
  ASSERT_TRUE(informer->start());
  next_list().respond(200, list_text({object_text("x/a", "5")}, ""));
  run();
  EXPECT_FALSE(informer->has_synced());
  EXPECT_THAT(errors, ElementsAre("list pods in all namespaces: expected "
                                  "a metadata.resourceVersion to watch from"));
  EXPECT_EQ(error(), errors[0]);
  expect_pause(800ms);
  next_list().respond(200, R"({"kind":"PodList","items":[]})");
  run();
  EXPECT_EQ(errors.size(), 2U);
}

TEST_F(UnclearAnswers, AnErrorEventWithoutAMessageSaysWhatItHas) {
  const std::string in = "watch pods in all namespaces: ";
  const std::vector<std::pair<std::string, std::string>> events = {
      {"{}", "expected a Status, found an object without a kind"},
      {R"({"kind":"Status","code":500})", "the server gave no message, but the code 500"},
      {R"({"kind":"Status","reason":"Sorry","code":418})",
       "the server gave no message, but the reason Sorry and the code 418"},
      {R"({"kind":"Status","message":""})", "the server gave no message"},
      {R"({"kind":"Status","message":7,"code":"x"})", "the server gave no message"},
      {object_text("x/a", "5"), "expected a Status, found Pod of v1 \"a\""},
      {R"({"kind":"Status","message":"too bad"})", "too bad"},
  };
  ScriptedCall watch = start();
  for (const auto& [object, expected] : events) {
    watch.data(event_text("ERROR", object));
    run();
    EXPECT_EQ(error(), in + expected);
    run_for(60s);
    next_list().respond(200, list_text({}, "10"));
    watch = next_watch();
  }
  watch.data(event_text("ERROR", status_text(500, "InternalError", std::string(100'000, 'm'))));
  run();
  EXPECT_LT(error().size(), 17'000U);
}

}  // namespace
}  // namespace kube::cache
