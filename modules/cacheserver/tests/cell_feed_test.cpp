// SPDX-License-Identifier: Apache-2.0
//
// The feed of a store by cells: objects that can't be read whole are served without a gap.
#include "cell_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/cached.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/testing/recording_logger.hpp>

#include "served_resources.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

cache::CellRef cell(std::string_view name, std::string_view version, std::string_view label) {
  std::string body = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")";
  body.append(name).append(R"(","namespace":"web","resourceVersion":")").append(version);
  body.append(R"(","labels":{"app":)").append(label).append("}}}");
  cache::Cell::Parts parts;
  parts.namespace_ = "web";
  parts.name = name;
  parts.resource_version = version;
  parts.body = body;
  return cache::Cell::make(cache::cell_type<Unstructured>(), parts);
}

class CellFeedTest : public ::testing::Test {
 protected:
  CellFeedTest() {
    feed.on_replaced({cell("a", "5", "\"x\""), cell("b", "6", "\"x\"")}, "10", true);
    epoch = collection.epoch();
  }
  /// "type name version" of the events after a revision, as an open watch gets them; "410".
  std::vector<std::string> events_after(std::uint64_t revision) {
    serving::Collection::Events events;
    if (collection.read(revision, 100, nullptr, events, epoch) != serving::ReadError::None) {
      return {"410"};
    }
    std::vector<std::string> out;
    for (const auto& each : events.events) {
      out.push_back(each->object->name + " " + std::to_string(each->revision));
    }
    return out;
  }
  std::vector<std::string> objects() {
    std::vector<std::string> out;
    for (const auto& each : collection.snapshot({}).objects) {
      out.push_back(each->name + " " + std::to_string(each->revision));
    }
    return out;
  }

  std::shared_ptr<testing::RecordingLogger> logger = std::make_shared<testing::RecordingLogger>();
  int missing_changes = 0;
  CellFeed feed{
      served_resource({"", "v1", "Pod", "pods", "pod", true}, nullptr, false), {}, logger, [this] {
        ++missing_changes;
      }};
  serving::Collection& collection = feed.store().collection(
      served_resource({"", "v1", "Pod", "pods", "pod", true}, nullptr, false)->storage);
  std::uint64_t epoch = 0;
};

bool lies_in(std::string_view part, std::string_view whole) {
  return !part.empty() && part.data() >= whole.data() &&
         part.data() + part.size() <= whole.data() + whole.size();
}

// The informer's cells hold them; the server has places in these.
TEST_F(CellFeedTest, TheBytesOfAnObjectAreStoredOnce) {
  const cache::CellRef json = cell("a", "11", "\"y\"");
  feed.on_stored(json);
  const serving::ObjectPtr of_json = collection.get("web/a");
  EXPECT_TRUE(lies_in(of_json->body, json->body()));
  EXPECT_EQ(of_json->own, "");
  EXPECT_TRUE(of_json->message.bytes.empty()) << "no other form before a reader asks for it";

  cache::Cell::Parts parts;
  parts.namespace_ = "web";
  parts.name = "c";
  parts.resource_version = "12";
  parts.encoding = cache::Encoding::Protobuf;
  parts.body =
      "\x0a\x0c\x0a\x01"
      "c\x1a\x03web\x32\x02"
      "12";
  const cache::CellRef message = cache::Cell::make(cache::cell_type<Unstructured>(), parts);
  feed.on_stored(message);
  const serving::ObjectPtr of_message = collection.get("web/c");
  ASSERT_TRUE(of_message) << feed.problem();
  EXPECT_TRUE(lies_in(of_message->message.bytes, message->body()));
  EXPECT_TRUE(of_message->body.empty());
  EXPECT_EQ(of_message->own + of_message->message.own, "");
}

// A list that brings the same cell, and one that brings an equal one.
TEST_F(CellFeedTest, AfterAnotherListTheBytesAreThoseOfItsCells) {
  const cache::CellRef first = cell("a", "11", "\"y\"");
  feed.on_stored(first);
  const serving::ObjectPtr before = collection.get("web/a");
  feed.on_replaced({first}, "20", true);
  EXPECT_EQ(collection.get("web/a"), before);
  const cache::CellRef second = cell("a", "11", "\"y\"");
  feed.on_replaced({second}, "21", true);
  EXPECT_TRUE(lies_in(collection.get("web/a")->body, second->body()));
}

TEST_F(CellFeedTest, TheTextsOfLabelsAreThoseOfTheCellUnlessTheyHaveEscapes) {
  const cache::CellRef plain = cell("c", "11", "\"x\"");
  feed.on_stored(plain);
  const auto object = collection.get("web/c");
  ASSERT_EQ(object->labels.size(), 1U);
  EXPECT_EQ(object->labels[0], (std::pair<std::string_view, std::string_view>("app", "x")));
  const std::string_view bytes = plain->body();
  EXPECT_EQ(object->labels[0].second.data(), bytes.data() + bytes.rfind("\"x\"") + 1);

  feed.on_stored(cell("c", "12", R"("x\u0079","\u0061 key of many bytes":"z")"));
  EXPECT_THAT(collection.get("web/c")->labels,
              ElementsAre(std::pair<std::string_view, std::string_view>("a key of many bytes", "z"),
                          std::pair<std::string_view, std::string_view>("app", "xy")));
}

TEST_F(CellFeedTest, AnObjectWhoseLabelsCantBeReadIsServedAndSelectorsSeeNone) {
  feed.on_stored(cell("a", "11", "1"));
  EXPECT_EQ(feed.problem(), "");
  EXPECT_EQ(feed.unread_labels(), 1U);
  ASSERT_THAT(logger->lines(), ElementsAre(HasSubstr("key=web/a")));
  EXPECT_THAT(logger->lines().front(), HasSubstr("metadata.labels: "));
  const serving::ObjectPtr broken = collection.get("web/a");
  EXPECT_THAT(std::string(broken->body), HasSubstr(R"("labels":{"app":1})"));
  EXPECT_THAT(broken->labels, IsEmpty());
  feed.on_stored(cell("a", "12", "\"y\""));
  EXPECT_THAT(events_after(10), ElementsAre("a 11", "a 12"));
  EXPECT_EQ(collection.get("web/a")->labels.size(), 1U);
  EXPECT_EQ(feed.unread_labels(), 1U);
}

TEST_F(CellFeedTest, AListHasAnObjectWhoseLabelsCantBeRead) {
  feed.on_replaced({cell("a", "11", "[]"), cell("b", "6", "\"x\"")}, "12", true);
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 11", "b 6"));
}

TEST_F(CellFeedTest, AnObjectWithoutANumberEndsWatchesAndIsNamedUntilItsNextState) {
  feed.on_stored(cell("b", "11", "\"x\""));
  feed.on_stored(cell("a", "twelve", "\"x\""));
  EXPECT_THAT(feed.problem(), HasSubstr("object web/a: metadata.resourceVersion"));
  EXPECT_THAT(logger->lines(), ElementsAre(HasSubstr("object web/a")));
  EXPECT_THAT(events_after(10), ElementsAre("410"));
  feed.on_stored(cell("b", "13", "\"x\""));
  EXPECT_NE(feed.problem(), "") << "another object has mended it";
  feed.on_stored(cell("a", "14", "\"x\""));
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 14", "b 13"));
}

// A reader that comes back with version 10 must not be taken for one that knows of the removal.
TEST_F(CellFeedTest, ARemovalWithoutANumberEndsWatchesAndIsServedWithTheNextVersion) {
  feed.on_removed(cell("a", "eleven", "\"x\""), false);
  EXPECT_THAT(feed.problem(), HasSubstr("its version, 10, has not"));
  EXPECT_THAT(objects(), ElementsAre("b 6"));
  EXPECT_THAT(events_after(10), ElementsAre("410"));
  feed.on_progress("12");
  EXPECT_EQ(feed.problem(), "");
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(10, oldest), serving::ReadError::Expired);
  EXPECT_EQ(collection.check_start(12, oldest), serving::ReadError::None);
}

// An informer infers the deletion of what it knows when the final state was refused.
TEST_F(CellFeedTest, ARemovalOfTheStoredStateIsAnEventOfTheVersionThatFollows) {
  const cache::CellRef known = cell("a", "11", "\"x\"");
  feed.on_stored(known);
  feed.on_removed(known, true);
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 11", "b 6")) << "still the state of version 11";
  feed.on_progress("13");
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("b 6"));
  EXPECT_THAT(events_after(10), ElementsAre("a 11", "a 13"));
  feed.on_stored(cell("a", "14", "\"y\""));
  EXPECT_THAT(events_after(11), ElementsAre("a 13", "a 14"));
}

TEST_F(CellFeedTest, ARemovalOfTheStoredStateWithoutAVersionEndsWatches) {
  for (const bool is_last : {false, true}) {
    const cache::CellRef known = cell("a", is_last ? "21" : "11", "\"x\"");
    feed.on_stored(known);
    epoch = collection.epoch();
    feed.on_removed(known, true);
    if (is_last) {
      feed.on_progress("");
      EXPECT_NE(feed.problem(), "");
      EXPECT_THAT(objects(), ElementsAre("b 12"));
      EXPECT_THAT(events_after(21), ElementsAre("410"));
    } else {
      feed.on_stored(cell("b", "12", "\"y\""));
      EXPECT_EQ(feed.problem(), "") << "the version has moved on";
      EXPECT_THAT(objects(), ElementsAre("b 12"));
      EXPECT_THAT(events_after(11), ElementsAre("410"));
    }
  }
  feed.on_progress("22");
  EXPECT_EQ(feed.problem(), "");
}

TEST_F(CellFeedTest, AListAfterARemovalOfTheStoredStateIsAllThatCounts) {
  const cache::CellRef known = cell("a", "11", "\"x\"");
  feed.on_stored(known);
  feed.on_removed(known, true);
  feed.on_replaced({known, cell("b", "6", "\"x\"")}, "20", true);
  feed.on_progress("21");
  EXPECT_THAT(objects(), ElementsAre("a 11", "b 6"));
  EXPECT_EQ(feed.problem(), "");
}

TEST_F(CellFeedTest, AChangeToAVersionThatIsNoNewOneIsServedWithTheNextVersion) {
  feed.on_stored(cell("a", "10", "\"y\""));
  EXPECT_EQ(feed.problem(), "its state has changed, and its version, 10, has not");
  feed.on_stored(cell("b", "11", "\"z\""));
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 10", "b 11"));
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(10, oldest), serving::ReadError::Expired);
  feed.on_stored(cell("a", "12", "\"y\""));
  epoch = collection.epoch();
  EXPECT_THAT(events_after(11), ElementsAre("a 12"));
}

TEST_F(CellFeedTest, AListThatChangesObjectsAndNotTheVersionIsServedWithTheNextVersion) {
  feed.on_replaced({cell("b", "6", "\"x\"")}, "10", true);
  EXPECT_NE(feed.problem(), "");
  feed.on_replaced({cell("b", "6", "\"x\"")}, "11", false);
  EXPECT_EQ(feed.problem(), "");
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(10, oldest), serving::ReadError::Expired);
}

// As after a restore of etcd.
TEST_F(CellFeedTest, AnEventWhoseVersionHasGoneBackIsServedAndWatchesBeginAgain) {
  feed.on_stored(cell("a", "7", "\"y\""));
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 7", "b 6"));
  EXPECT_EQ(collection.revision(), 7U);
  EXPECT_THAT(events_after(10), ElementsAre("410"));
  EXPECT_THAT(logger->lines(),
              ElementsAre(::testing::AllOf(HasSubstr("gone back"), HasSubstr("resource=pods"),
                                           HasSubstr("from=10"), HasSubstr("to=7"))));
  epoch = collection.epoch();
  feed.on_removed(cell("b", "8", "\"x\""), false);
  EXPECT_THAT(events_after(7), ElementsAre("b 8"));
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(10, oldest), serving::ReadError::Expired);
  EXPECT_EQ(collection.check_start(8, oldest), serving::ReadError::None);
}

TEST_F(CellFeedTest, ARemovalWithTheVersionOfTheLastStateDoesNotGoBackToIt) {
  feed.on_removed(cell("a", "5", "\"x\""), false);
  EXPECT_NE(feed.problem(), "");
  EXPECT_EQ(collection.revision(), 10U);
  feed.on_progress("11");
  EXPECT_EQ(feed.problem(), "");
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(7, oldest), serving::ReadError::Expired);
}

TEST_F(CellFeedTest, AStateThatWaitsForAVersionIsServedWithOneThatHasGoneBack) {
  feed.on_stored(cell("a", "10", "\"y\""));
  EXPECT_NE(feed.problem(), "");
  feed.on_progress("8");
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("a 10", "b 6"));
  EXPECT_EQ(collection.revision(), 8U);
}

TEST_F(CellFeedTest, AWatchFromAVersionThatAListHasGoneBackFromIsA410) {
  feed.on_replaced({cell("b", "6", "\"x\"")}, "8", true);
  EXPECT_EQ(feed.problem(), "");
  std::uint64_t oldest = 0;
  EXPECT_EQ(collection.check_start(10, oldest), serving::ReadError::Expired);
  EXPECT_EQ(collection.check_start(8, oldest), serving::ReadError::None);
  EXPECT_EQ(collection.check_start(11, oldest), serving::ReadError::None) << "never was served";
}

// The cluster may be away, or list and then have no watch, before the resource is there again.
TEST_F(CellFeedTest, AResourceThatTheClusterDoesNotHaveIsMissingUntilAListAndAWatchOfIt) {
  EXPECT_FALSE(feed.is_missing());
  feed.on_condition(InformerCondition::Missing);
  EXPECT_TRUE(feed.is_missing());
  EXPECT_THAT(events_after(10), ElementsAre("410"));
  feed.on_condition(InformerCondition::Unreachable);
  feed.on_condition(InformerCondition::Missing);
  feed.on_replaced({}, "20", true);
  EXPECT_TRUE(feed.is_missing()) << "its watch may be a 404";
  feed.on_condition(InformerCondition::Missing);
  feed.on_condition(InformerCondition::Healthy);
  EXPECT_TRUE(feed.is_missing()) << "a stream has begun, and the objects are from before";
  feed.on_replaced({cell("c", "21", "\"x\"")}, "22", true);
  EXPECT_FALSE(feed.is_missing());
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), ElementsAre("c 21"));
  EXPECT_EQ(missing_changes, 2);
}

TEST_F(CellFeedTest, AListWithAnObjectWithoutANumberIsRefusedUntilAListOrEventMendsIt) {
  feed.on_replaced({cell("a", "x", "\"x\""), cell("b", "11", "\"x\"")}, "12", true);
  EXPECT_THAT(feed.problem(), HasSubstr("object web/a"));
  EXPECT_THAT(events_after(10), ElementsAre("410"));
  feed.on_stored(cell("a", "13", "\"x\""));
  EXPECT_EQ(feed.problem(), "");
  feed.on_replaced({cell("a", "x", "\"x\"")}, "14", true);
  EXPECT_NE(feed.problem(), "");
  feed.on_replaced({}, "15", true);
  EXPECT_EQ(feed.problem(), "");
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_F(CellFeedTest, AListWithoutANumberEndsWatches) {
  feed.on_replaced({cell("a", "11", "\"x\"")}, "none", true);
  EXPECT_THAT(feed.problem(), HasSubstr("not a number"));
  EXPECT_THAT(events_after(10), ElementsAre("410"));
}

}  // namespace
}  // namespace kube::cacheserver::test
