// SPDX-License-Identifier: Apache-2.0
//
// Callbacks of a handler: unset ones, and filters.
#include <kube/cache/event_handler.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::object_text;
using testing::Recorder;
using testing::ScriptedCall;
using ::testing::UnorderedElementsAre;

class EventHandlerTest : public testing::InformerFixture {};

TEST_F(EventHandlerTest, HND_01_UnsetFunctionsAreSkipped) {
  make();
  int added = 0;
  const auto only_add =
      informer->add_event_handler({.on_add = [&](const auto&, bool) { ++added; }});
  std::vector<std::string> others;
  const auto only_update =
      informer->add_event_handler({.on_update = [&](const auto&, const auto& o) {
        others.push_back("update " + std::string(o.resource_version()));
      }});
  const auto only_delete = informer->add_event_handler(
      {.on_delete = [&](const auto& d) { others.push_back("delete " + d.key.to_string()); }});
  const auto nothing = informer->add_event_handler({});
  ScriptedCall watch = start();
  watch.data(modified("x/a", "11") + deleted("x/a", "12"));
  run();
  EXPECT_EQ(added, 1);
  EXPECT_THAT(others, UnorderedElementsAre("update 11", "delete x/a"));
  EXPECT_TRUE(nothing.has_synced());
}

TEST_F(EventHandlerTest, HND_03_AFilterTurnsUpdatesIntoAddsAndDeletions) {
  make();
  Recorder recorder;
  const auto small = [](const Cached<Unstructured>& object) {
    return object.resource_version().size() == 1;  // versions below 10 pass
  };
  const auto registration =
      informer->add_event_handler(filtering_handler<Unstructured>(small, recorder.handler()));
  ScriptedCall watch = start({object_text("x/in", "1"), object_text("x/out", "10")});
  EXPECT_THAT(recorder.take(), ElementsAre("*add x/in@1"));
  watch.data(modified("x/in", "2"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("update x/in@1 -> x/in@2"));
  watch.data(modified("x/in", "11"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("delete x/in@2"));
  watch.data(modified("x/in", "12"));
  run();
  EXPECT_THAT(recorder.take(), IsEmpty());
  watch.data(modified("x/in", "3"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("add x/in@3")) << "not initial";
  watch.data(deleted("x/out", "13") + deleted("x/in", "4"));
  run();
  EXPECT_THAT(recorder.take(), ElementsAre("delete x/in@4"));
}

TEST_F(EventHandlerTest, ADeletionSaysHowItIsKnown) {
  make();
  std::vector<std::string> deletions;
  const ResourceEventHandler<Unstructured> recording = {
      .on_delete = [&](const DeletedObject<Unstructured>& deleted) {
        deletions.push_back(std::string(to_string(deleted.evidence())) + " " +
                            testing::show(deleted.object));
        EXPECT_EQ(deleted.key, deleted.object.object_key());
        EXPECT_EQ(deleted.final_state_unknown, deleted.evidence() == DeletionEvidence::Inferred);
        EXPECT_EQ(deleted.still_exists, deleted.evidence() == DeletionEvidence::Filtered);
      }};
  const auto plain = informer->add_event_handler(recording);
  const auto small = [](const Cached<Unstructured>& object) {
    return object.resource_version().size() == 1;
  };
  const auto filtering =
      informer->add_event_handler(filtering_handler<Unstructured>(small, recording));
  ScriptedCall watch =
      start({object_text("x/a", "1"), object_text("x/b", "2"), object_text("x/c", "3")});
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_THAT(deletions, ElementsAre("Filtered x/a@1")) << "it exists";
  deletions.clear();
  watch.data(deleted("x/b", "4"));
  run();
  EXPECT_THAT(deletions, ElementsAre("Observed x/b@4", "Observed x/b@4")) << "its final state";
  deletions.clear();
  relist(watch, {}, "20");
  EXPECT_THAT(deletions,
              UnorderedElementsAre("Inferred x/a@11", "Inferred x/c@3", "Inferred x/c@3"))
      << "the last known states; the filter does not accept a";
}

}  // namespace
}  // namespace kube::cache
