// SPDX-License-Identifier: Apache-2.0
//
// Waiting for caches by name.
#include <kube/cache/sync_wait.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using kube::testing::RecordingLogger;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class SyncWaitTest : public testing::InformerFixture {
 protected:
  SyncWaitTest() { runtime.logger = log; }
  SyncCheck after(std::string name, Duration delay) {
    return {std::move(name), [this, delay] { return since_start() >= delay; }};
  }
  static SyncCheck never(std::string name) {
    return {std::move(name), [] { return false; }};
  }
  Duration since_start() const { return executor->clock()->now() - start_time; }

  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Info);
  const TimePoint start_time = executor->clock()->now();
};

std::string line(const std::string& level, const std::string& state, const std::string& caches) {
  return level + " informer: waiting for caches to sync waiting=me state=" + state +
         " caches=" + caches;
}

TEST_F(SyncWaitTest, WF_02_ReturnsWhenTheLastHasSyncedAndLogsThemInTheirOrder) {
  const SyncResult result = wait_for_named_cache_sync(
      runtime, "me", 1min, {after("a", 10s), after("b", 5s), after("c", 0s)}, {});
  EXPECT_TRUE(result);
  EXPECT_TRUE(result.as_result());
  EXPECT_EQ(since_start(), Duration(10s));
  EXPECT_THAT(log->take_lines(),
              ElementsAre(line("info", "begins", "a, b, c"), line("info", "synced", "c"),
                          line("info", "synced", "b"), line("info", "synced", "a")));
}

TEST_F(SyncWaitTest, WF_03_ATimeoutNamesTheOneThatHasNotSynced) {
  const SyncResult result = wait_for_named_cache_sync(
      runtime, "me", 1min, {after("a", 10s), never("b"), after("c", 0s)}, {});
  EXPECT_FALSE(result);
  EXPECT_EQ(since_start(), Duration(1min));
  EXPECT_EQ(result.as_result().error().code(), ErrorCode::Timeout);
  EXPECT_EQ(result.as_result().error().message(), "caches that have not synced: b");
  EXPECT_EQ(log->take_lines().back(), line("warning", "timed out", "b"));
}

TEST_F(SyncWaitTest, AStopEndsItAndTheNamesAreSorted) {
  std::stop_source stop;
  const Timer timer = executor->submit_after(5s, [&] { stop.request_stop(); });
  const SyncResult result = wait_for_named_cache_sync(
      runtime, "me", 1min, {never("c"), never("a"), after("b", 1s)}, stop.get_token());
  EXPECT_EQ(since_start(), Duration(5s));
  EXPECT_THAT(result.synced, ElementsAre(Pair("c", false), Pair("a", false), Pair("b", true)));
  EXPECT_EQ(result.as_result().error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(result.unsynced(), "a, c");
  EXPECT_EQ(log->take_lines().back(), line("warning", "stopped", "a, c"));
  const SyncResult again = wait_for_named_cache_sync(
      runtime, "me", 1min, {after("a", 0s), never("b")}, stop.get_token());
  EXPECT_THAT(again.synced, ElementsAre(Pair("a", true), Pair("b", false)))
      << "counts all the same";
}

TEST_F(SyncWaitTest, WF_06_WhenNoneHasSyncedAllAreNamedInOrder) {
  const SyncResult result =
      wait_for_named_cache_sync(runtime, "me", 1s, {never("b"), never("c"), never("a")}, {});
  EXPECT_EQ(result.unsynced(), "a, b, c");
  EXPECT_EQ(log->take_lines().back(), line("warning", "timed out", "a, b, c"));
}

TEST_F(SyncWaitTest, WF_07_WithoutANameNothingIsLogged) {
  EXPECT_FALSE(wait_for_named_cache_sync(runtime, "", 1s, {never("b"), after("a", 0s)}, {}));
  EXPECT_TRUE(wait_for_named_cache_sync(runtime, "", 1s, {}, {}));
  EXPECT_THAT(log->take_lines(), IsEmpty());
}

TEST_F(SyncWaitTest, InformersAreWaitedForByTheirResource) {
  start();
  log->take_lines();
  EXPECT_TRUE(wait_for_named_cache_sync(runtime, "me", 1s, {sync_check(*informer)}, {}));
  EXPECT_EQ(log->take_lines().back(), line("info", "synced", "pods"));
}

}  // namespace
}  // namespace kube::cache
