// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/informer_watcher.hpp>

#include <algorithm>

#include <gmock/gmock.h>

#include "informer_fixture.hpp"

namespace kube::cache::testing {
namespace {

using ::testing::ElementsAre;

class InformerWatcherTest : public InformerFixture {
 protected:
  /// Starts it and answers its list; returns the server's end of the watch.
  ScriptedCall begin(const std::vector<std::string>& items, std::string_view version = "10") {
    EXPECT_TRUE(watcher.start());
    next_list().respond(200, list_text(items, version));
    ScriptedCall watch = next_watch();
    run();
    return watch;
  }
  /// "ADDED x/a@1", "stopped" or "end".
  std::string line(const std::stop_token& asked = {}) {
    auto event = watcher.next(asked);
    if (!event) return "end";
    if (!*event) return "stopped";
    const Unstructured& object = (*event)->object;
    return std::string(to_string((*event)->type)) + " " + std::string(object.name()) + "@" +
           std::string(object.resource_version()) +
           ((*event)->final_state_unknown ? " (inferred)" : "");
  }
  Timer stop_after(Duration delay) {
    return executor->submit_after(delay, [this] { stop.request_stop(); });
  }
  WatchCondition<Unstructured> sees(std::string type, std::string name) {
    return [this, type, name](const WatchEvent<Unstructured>& event) -> Result<bool> {
      seen.push_back(std::string(to_string(event.type)) + " " + std::string(event.object.name()));
      return seen.back() == type + " " + name;
    };
  }

  InformerWatcher<Unstructured> watcher{client(), pods(), {.watch_list = false}};
  std::stop_source stop;
  std::vector<std::string> seen;
};

TEST_F(InformerWatcherTest, TWCH_13_TurnsChangesOfTheStoreIntoEventsInOrder) {
  ScriptedCall watch = begin({object_text("x/a", "5"), object_text("x/b", "6")});
  EXPECT_EQ(line(), "ADDED a@5");
  EXPECT_EQ(line(), "ADDED b@6");
  watch.data(added("x/c", "11") + modified("x/a", "12") + deleted("x/a", "13") +
             added("x/a", "14"));
  EXPECT_EQ(line(), "ADDED c@11");
  EXPECT_EQ(watcher.lister().list().size(), 3U) << "the store is ahead";
  EXPECT_EQ(line(), "MODIFIED a@12");
  EXPECT_EQ(line(), "DELETED a@13");
  EXPECT_EQ(line(), "ADDED a@14");

  watch.data(event_text("ERROR", status_text(410, "Expired", "old")));
  run_for(60s);
  next_list().respond(200, list_text({object_text("x/a", "14"), object_text("x/b", "20")}, "30"));
  run();
  std::vector<std::string> lines{line(), line()};
  std::ranges::sort(lines);
  EXPECT_THAT(lines, ElementsAre("DELETED c@11 (inferred)", "MODIFIED b@20"))
      << "the last known object, and nothing of what did not change";
  const Timer later = stop_after(1min);
  EXPECT_EQ(line(stop.get_token()), "stopped");

  watcher.stop();
  EXPECT_EQ(line(), "end");
}

TEST_F(InformerWatcherTest, TWCH_12_UntilWithSyncAsksTheStoreAndThenSeesItAsAddedEvents) {
  ScriptedCall watch = begin({object_text("x/a", "5"), object_text("x/b", "6")});
  std::size_t in_store = 0;
  const Precondition<Unstructured> count = [&](const Indexer<Unstructured>& store) -> Result<bool> {
    in_store = store.list().size();
    return false;
  };
  const auto found = until_with_sync<Unstructured>(watcher, count, {sees("ADDED", "b")});
  EXPECT_TRUE(found.result) << found.result.error().to_string();
  EXPECT_EQ(in_store, 2U) << "it has synced";
  EXPECT_THAT(seen, ElementsAre("ADDED a", "ADDED b"));

  const auto met = until_with_sync<Unstructured>(
      watcher, [](const Indexer<Unstructured>&) -> Result<bool> { return true; },
      {sees("ADDED", "never")});
  EXPECT_TRUE(met.result);
  EXPECT_FALSE(met.last_event);
  const auto failed = until_with_sync<Unstructured>(
      watcher,
      [](const Indexer<Unstructured>&) -> Result<bool> { return Error(ErrorCode::Config, "no"); },
      {});
  EXPECT_EQ(failed.result.error().message(), "no");

  watch.data(deleted("x/b", "12"));
  EXPECT_TRUE(until_with_sync<Unstructured>(watcher, {}, {sees("DELETED", "b")}).result);

  const auto late =
      until_with_sync<Unstructured>(watcher, {}, {sees("ADDED", "z")}, {.timeout = 1min});
  EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout);
  watcher.stop();
  EXPECT_EQ(
      until_with_sync<Unstructured>(watcher, {}, {sees("ADDED", "z")}).result.error().message(),
      "watch closed before UntilWithoutRetry timeout");
}

TEST_F(InformerWatcherTest, UntilWithSyncNeedsACacheThatSyncs) {
  const Precondition<Unstructured> any = [](const Indexer<Unstructured>&) -> Result<bool> {
    return true;
  };
  ASSERT_TRUE(watcher.start());
  const auto late = until_with_sync<Unstructured>(watcher, any, {}, {.timeout = 1min});
  EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout);
  watcher.stop();
  const auto stopped = until_with_sync<Unstructured>(watcher, any, {});
  EXPECT_EQ(stopped.result.error().message(), "UntilWithSync: unable to sync caches");
}

TEST_F(InformerWatcherTest, ReportsWhyItDoesNotSync) {
  std::vector<std::string> reported;
  ASSERT_TRUE(watcher.set_watch_error_handler(
      [&](const Error& error) { reported.push_back(error.reason()); }));
  ASSERT_TRUE(watcher.start());
  next_list().respond(403, status_text(403, "Forbidden", "pods is forbidden"));
  run();
  EXPECT_THAT(reported, ElementsAre("Forbidden"));
  const auto last_error = watcher.status().last_error;
  ASSERT_TRUE(last_error);
  EXPECT_EQ(last_error->reason(), "Forbidden");
  const Precondition<Unstructured> any = [](const Indexer<Unstructured>&) -> Result<bool> {
    return true;
  };
  for (const Precondition<Unstructured>& precondition : {Precondition<Unstructured>(), any}) {
    const auto late =
        until_with_sync<Unstructured>(watcher, precondition, {sees("ADDED", "z")}, {.timeout = 1s});
    EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout);
    EXPECT_THAT(late.result.error().message(),
                ::testing::AllOf(
                    ::testing::StartsWith(precondition ? "UntilWithSync: unable to sync caches: "
                                                       : "timed out waiting for the condition"),
                    ::testing::HasSubstr("timed out waiting for the condition; last error: "),
                    ::testing::HasSubstr("pods is forbidden")));
  }
  const Timer later = stop_after(1s);
  const auto stopped = until_with_sync<Unstructured>(watcher, any, {}, {}, stop.get_token());
  EXPECT_EQ(stopped.result.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(
      stopped.result.error().message(),
      ::testing::AllOf(::testing::StartsWith("UntilWithSync: unable to sync caches; last error: "),
                       ::testing::HasSubstr("pods is forbidden")));
}

TEST_F(InformerWatcherTest, UNT_06_WithoutAPreconditionASilentServerIsInterruptedAtTheDeadline) {
  ASSERT_TRUE(watcher.start());
  const TimePoint begun = executor->clock()->now();
  const auto late =
      until_with_sync<Unstructured>(watcher, {}, {sees("ADDED", "a")}, {.timeout = 1min});
  ASSERT_FALSE(late.result);
  EXPECT_TRUE(is_interrupted(late.result.error())) << late.result.error().to_string();
  EXPECT_FALSE(late.last_event);
  EXPECT_TRUE(seen.empty());
  EXPECT_EQ(executor->clock()->now() - begun, 1min);
}

TEST_F(InformerWatcherTest, UNT_07_WithAPreconditionASilentServerIsACacheThatDoesNotSync) {
  ASSERT_TRUE(watcher.start());
  bool asked = false;
  const auto late =
      until_with_sync<Unstructured>(watcher,
                                    [&](const Indexer<Unstructured>&) -> Result<bool> {
                                      asked = true;
                                      return false;
                                    },
                                    {sees("ADDED", "a")}, {.timeout = 1min});
  ASSERT_FALSE(late.result);
  EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout) << "of the deadline";
  EXPECT_THAT(late.result.error().message(),
              ::testing::StartsWith("UntilWithSync: unable to sync caches: timed out"));
  EXPECT_FALSE(late.last_event);
  EXPECT_FALSE(asked);
}

TEST_F(InformerWatcherTest, UNT_08_APreconditionDecidesWhetherTheConditionsAreAsked) {
  ScriptedCall watch = begin({object_text("x/a", "5")});
  const auto met = until_with_sync<Unstructured>(
      watcher, [](const Indexer<Unstructured>&) -> Result<bool> { return true; },
      {sees("ADDED", "a")});
  EXPECT_TRUE(met.result) << met.result.error().to_string();
  EXPECT_FALSE(met.last_event);
  EXPECT_TRUE(seen.empty()) << "the conditions are not asked";

  const auto added = until_with_sync<Unstructured>(
      watcher, [](const Indexer<Unstructured>&) -> Result<bool> { return false; },
      {sees("ADDED", "a")});
  EXPECT_TRUE(added.result) << added.result.error().to_string();
  ASSERT_TRUE(added.last_event);
  EXPECT_EQ(added.last_event->type, WatchEventType::Added);
}

TEST_F(InformerWatcherTest, IWR_01_AStopEndsWaitsForEventsAndForReadersAndEventsKeepTheirOrder) {
  ScriptedCall watch = begin({});
  std::string events;
  for (int i = 0; i < 1000; ++i) {
    events += added("x/pod-" + std::to_string(i), std::to_string(100 + i));
  }
  watch.data(events);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(line(), "ADDED pod-" + std::to_string(i) + "@" + std::to_string(100 + i));
  }
  // Blocked on reading: no event comes.
  const Timer later = executor->submit_after(1min, [&] { watcher.stop(); });
  EXPECT_EQ(line(), "end");

  // Nobody reads: the events wait, and a stop ends them.
  InformerWatcher<Unstructured> unread(client(), pods(), {.watch_list = false});
  ASSERT_TRUE(unread.start());
  next_list().respond(200, list_text({}, "10"));
  next_watch().data(events);
  run();
  EXPECT_EQ(unread.status().events, 1000U);
  unread.stop();
  EXPECT_FALSE(unread.next());
}

TEST_F(InformerWatcherTest, IWR_02_TheObjectsOfAListAreAddedEventsAndLaterEventsFollow) {
  ScriptedCall watch = begin({object_text("x/a", "5"), object_text("x/b", "6")});
  watch.data(modified("x/a", "11") + deleted("x/b", "12") + added("x/c", "13"));
  std::vector<std::string> lines;
  for (int i = 0; i < 5; ++i) lines.push_back(line());
  EXPECT_THAT(lines,
              ElementsAre("ADDED a@5", "ADDED b@6", "MODIFIED a@11", "DELETED b@12", "ADDED c@13"));

  InformerWatcher<Unstructured> streamed(client(), pods(), {.watch_list = true});
  ASSERT_TRUE(streamed.start());
  next_watch().data(added("x/a", "5") + added("x/b", "6") + bookmark_text("20", "true") +
                    modified("x/a", "21"));
  run();
  ASSERT_TRUE(streamed.wait_for_sync({}));
  lines.clear();
  for (int i = 0; i < 3; ++i) {
    const auto event = streamed.next();
    ASSERT_TRUE(event && *event);
    lines.push_back(std::string(to_string((*event)->type)) + " " +
                    std::string((*event)->object.name()));
  }
  std::sort(lines.begin(), lines.begin() + 2);  // the initial objects have no order
  EXPECT_THAT(lines, ElementsAre("ADDED a", "ADDED b", "MODIFIED a"))
      << "the bookmark that ends the initial events is none";
}

TEST_F(InformerWatcherTest, IWR_03_AStopWithUnreadEventsEndsTheInformer) {
  ScriptedCall watch = begin({object_text("x/a", "5"), object_text("x/b", "6")});
  watch.data(added("x/c", "11"));
  run();
  EXPECT_EQ(line(), "ADDED a@5");
  watcher.stop();
  run();
  EXPECT_EQ(line(), "end");
  EXPECT_TRUE(watch.cancelled()) << "the server's watch is closed";
  EXPECT_EQ(watcher.status().state, InformerState::Stopped);
}

TEST_F(InformerWatcherTest, IWR_04_WhatARelistLacksIsDeletedWithTheLastKnownObject) {
  ScriptedCall watch = begin({object_text("x/a", "5")});
  EXPECT_EQ(line(), "ADDED a@5");
  watch.data(event_text("ERROR", status_text(410, "Gone", "too old")));
  run_for(60s);
  next_list().respond(200, list_text({}, "30"));
  run();
  EXPECT_EQ(line(), "DELETED a@5 (inferred)") << "the object that it had in the first list";
}

}  // namespace
}  // namespace kube::cache::testing
