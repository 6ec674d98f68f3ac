// SPDX-License-Identifier: Apache-2.0
#include <kube/client/watch_until.hpp>

#include <kube/meta/errors.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::ElementsAre;

std::string phase_event(const std::string& version, const std::string& phase) {
  return R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",)"
         R"("resourceVersion":")" +
         version + R"("},"status":{"phase":")" + phase + R"("}}})" + "\n";
}

class WatchUntilTest : public ApiTest {
 protected:
  WatchCondition<Pod> phase_is(std::string phase) {
    return [this, phase = std::move(phase)](const WatchEvent<Pod>& event) -> Result<bool> {
      seen.push_back(phase + "?" + event.object.metadata.resource_version);
      return event.object.status.phase == phase;
    };
  }
  UntilResult<Pod> until(const std::vector<WatchCondition<Pod>>& conditions,
                         const UntilOptions& options = {}) {
    return watch_until<Pod>(pods, {.resource_version = "5"}, conditions, options, stop.get_token());
  }
  std::vector<std::string> seen;
};

TEST_F(WatchUntilTest, TWCH_11_ConditionsAreFulfilledInOrder) {
  next_answer(200, phase_event("6", "Pending") + phase_event("7", "Running"));
  next_answer(200, phase_event("8", "Running") + phase_event("9", "Failed"));
  const auto done = until({phase_is("Pending"), phase_is("Running"), phase_is("Failed")});
  EXPECT_TRUE(done.result) << done.result.error().to_string();
  EXPECT_EQ(done.last_event->object.metadata.resource_version, "9");
  EXPECT_THAT(
      seen, ElementsAre("Pending?6", "Running?6", "Running?7", "Failed?7", "Failed?8", "Failed?9"))
      << "each from the event that fulfilled the one before, over the end of a watch";

  next_answer(200, phase_event("6", "Pending") + phase_event("7", "Running"));
  const auto failed = until({[](const WatchEvent<Pod>& event) -> Result<bool> {
    if (event.object.status.phase == "Running") return Error(ErrorCode::Config, "no");
    return false;
  }});
  EXPECT_EQ(failed.result.error().message(), "no");
  EXPECT_EQ(failed.last_event->object.metadata.resource_version, "7");

  next_answer(200, phase_event("6", "Pending"));
  auto stream = pods.watch({.resource_version = "5"});
  ASSERT_TRUE(stream);
  const auto closed = until_without_retry<Pod>(*stream, {phase_is("Running")}, {});
  EXPECT_EQ(closed.result.error().message(), "watch closed before UntilWithoutRetry timeout");
  EXPECT_EQ(closed.last_event->object.metadata.resource_version, "6");

  server->once("", "*",
               [](ScriptedCall call) { call.head(200).data(phase_event("6", "Pending")); });
  const TimePoint begun = executor->clock()->now();
  const auto late = until({phase_is("Running")}, {.timeout = 5min});
  EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout);
  EXPECT_TRUE(is_interrupted(late.result.error()));
  EXPECT_EQ(late.last_event->object.metadata.resource_version, "6");
  EXPECT_EQ(executor->clock()->now() - begun, 5min);
}

TEST_F(WatchUntilTest, EndsWithAnErrorEventAndAStop) {
  next_answer(200, R"({"type":"ERROR","object":)" + status_json(410, "Expired", "old") + "}");
  const auto expired = until({phase_is("Running")});
  EXPECT_TRUE(is_resource_expired(expired.result.error()));
  EXPECT_TRUE(seen.empty());

  EXPECT_TRUE(until({}).result) << "without a condition nothing is waited for";
  EXPECT_EQ(watch_until<Pod>(pods, {}, {phase_is("x")}).result.error().code(),
            ErrorCode::InvalidArgument);

  server->on("", "*", [](ScriptedCall call) { call.head(200); });
  const Timer later = stop_after(1min);
  const auto stopped = until({phase_is("Running")}, {.timeout = 5min});
  EXPECT_EQ(stopped.result.error().code(), ErrorCode::Cancelled);
  EXPECT_FALSE(stopped.last_event);
}

TEST_F(WatchUntilTest, ATimeoutAndAStopQuoteTheLastError) {
  server->set_down(true);
  const auto late = until({phase_is("Running")}, {.timeout = 1min});
  EXPECT_EQ(late.result.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(late.result.error().message(),
              ::testing::AllOf(::testing::StartsWith(
                                   "timed out waiting for the condition; last error: watch pods"),
                               ::testing::HasSubstr("refused")));
  const Timer later = stop_after(1min);
  const auto stopped = until({phase_is("Running")});
  EXPECT_EQ(stopped.result.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(stopped.result.error().message(),
              ::testing::StartsWith("stopped while waiting for an event; last error: watch pods"));
}

// The conditions of client-go's tests: the object was added, and it was modified.
class UntilTest : public WatchUntilTest {
 protected:
  static std::string event(const std::string& type, const std::string& version) {
    return R"({"type":")" + type +
           R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",)"
           R"("resourceVersion":")" +
           version + "\"}}}\n";
  }
  WatchCondition<Pod> is(WatchEventType type) {
    return [this, type](const WatchEvent<Pod>& seen_event) -> Result<bool> {
      seen.push_back(std::string(to_string(seen_event.type)));
      return seen_event.type == type;
    };
  }
  /// An open watch with these events.
  WatchStream<Pod> open_watch(std::string events) {
    server->once("", "*", [events](ScriptedCall call) { call.head(200).data(events); });
    auto stream = pods.watch({.resource_version = "5"});
    EXPECT_TRUE(stream);
    return *std::move(stream);
  }
};

TEST_F(UntilTest, UNT_01_UNT_04_ConditionsForAddedAndThenModifiedReturnTheModifiedEvent) {
  auto watch = open_watch(event("ADDED", "6") + event("MODIFIED", "7"));
  const auto done = until_without_retry<Pod>(  // without any deadline
      watch, {is(WatchEventType::Added), is(WatchEventType::Modified)}, {});
  ASSERT_TRUE(done.result) << done.result.error().to_string();
  EXPECT_EQ(done.last_event->type, WatchEventType::Modified);
  EXPECT_EQ(done.last_event->object.metadata.resource_version, "7");
}

TEST_F(UntilTest, UNT_02_OneEventFulfilsTwoConditions) {
  auto watch = open_watch(event("ADDED", "6"));
  const auto done =
      until_without_retry<Pod>(watch, {is(WatchEventType::Added), is(WatchEventType::Added)}, {});
  ASSERT_TRUE(done.result) << done.result.error().to_string();
  EXPECT_EQ(done.last_event->type, WatchEventType::Added);
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(UntilTest, UNT_03_AConditionThatIsNeverTrueIsInterruptedWithTheLastEvent) {
  server->once("", "*", [](ScriptedCall call) {
    call.head(200).data(event("ADDED", "6") + event("MODIFIED", "7"));
  });
  const auto late =
      until({is(WatchEventType::Added), is(WatchEventType::Added), is(WatchEventType::Deleted)},
            {.timeout = 10s});
  ASSERT_FALSE(late.result);
  EXPECT_TRUE(is_interrupted(late.result.error()));
  ASSERT_TRUE(late.last_event);
  EXPECT_EQ(late.last_event->type, WatchEventType::Modified);
}

TEST_F(UntilTest, UNT_05_TheErrorOfAConditionIsReturned) {
  auto watch = open_watch(event("ADDED", "6"));
  const auto failed =
      until_without_retry<Pod>(watch,
                               {is(WatchEventType::Added),
                                [](const WatchEvent<Pod>&) -> Result<bool> {
                                  return Error(ErrorCode::Config, "the condition fails");
                                }},
                               {});
  ASSERT_FALSE(failed.result);
  EXPECT_EQ(failed.result.error().message(), "the condition fails");
}

TEST_F(UntilTest, UNT_09_AClosedWatchIsAnErrorWithTheLastEvent) {
  next_answer(200, event("ADDED", "6"));
  auto watch = pods.watch({.resource_version = "5"});
  ASSERT_TRUE(watch);
  const auto closed = until_without_retry<Pod>(*watch, {is(WatchEventType::Deleted)}, {});
  ASSERT_FALSE(closed.result);
  EXPECT_EQ(closed.result.error().message(), "watch closed before UntilWithoutRetry timeout");
  ASSERT_TRUE(closed.last_event);
  EXPECT_EQ(closed.last_event->type, WatchEventType::Added);
}

}  // namespace
}  // namespace kube
