// SPDX-License-Identifier: Apache-2.0
//
// Waiting until a cache has a resourceVersion.
#include <kube/cache/detail/freshness.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::list_text;
using testing::object_text;
using testing::ScriptedCall;

class FreshnessTest : public testing::InformerFixture {
 protected:
  void later(Duration delay, std::function<void()> what) {
    timers.push_back(executor->submit_after(delay, std::move(what)));
  }
  std::string problem(std::string_view version, Duration timeout, std::stop_token stop = {}) {
    const Result<void> waited = informer->wait_for(version, timeout, std::move(stop));
    return waited ? "" : waited.error().to_string();
  }
  std::vector<Timer> timers;
};

TEST_F(FreshnessTest, VersionsAreComparedAsNumbers) {
  ScriptedCall watch = start({object_text("x/a", "5")}, "99");
  EXPECT_TRUE(informer->has_version("99"));
  EXPECT_TRUE(informer->has_version("9"));
  EXPECT_FALSE(informer->has_version("100"));
  EXPECT_FALSE(informer->has_version("opaque"));
  watch.data(modified("x/a", "opaque"));
  run();
  EXPECT_TRUE(informer->has_version("opaque")) << "the same text";
  EXPECT_FALSE(informer->has_version("99")) << "not comparable";
}

TEST_F(FreshnessTest, AWaitEndsWithTheEventOfTheWrite) {
  ScriptedCall watch = start();
  later(3s, [&] { watch.data(modified("x/a", "12")); });
  const TimePoint begin = executor->clock()->now();
  EXPECT_EQ(problem("12", 1min), "");
  EXPECT_EQ(executor->clock()->now() - begin, Duration(3s));
  const auto a = informer->lister().find("x/a");
  EXPECT_EQ(a.resource_version(), "12");
  EXPECT_EQ(problem("11", 0s), "") << "it has that already";
}

TEST_F(FreshnessTest, AWaitEndsWithADeletionABookmarkAndARelist) {
  ScriptedCall watch = start();
  later(1s, [&] { watch.data(deleted("x/a", "12")); });
  EXPECT_EQ(problem("12", 1min), "");
  later(1s, [&] { watch.data(testing::bookmark_text("20")); });
  EXPECT_EQ(problem("15", 1min), "");
  later(1s, [&] {
    watch.data(testing::event_text("ERROR", testing::status_text(410, "Expired", "old")));
  });
  later(50s, [&] { next_list().respond(200, list_text({}, "30")); });
  EXPECT_EQ(problem("30", 2min), "");
}

TEST_F(FreshnessTest, AWaitOfAListerIsTheSame) {
  make();
  const auto lister = informer->lister();
  ScriptedCall watch = start();
  later(3s, [&] { watch.data(modified("x/a", "12")); });
  EXPECT_TRUE(lister.wait_for("12", 1min));
  EXPECT_EQ(lister.wait_for("13", 1s).error().code(), ErrorCode::Timeout);
  const Lister<Unstructured> alone(std::make_shared<Store>(meta::GroupResource{"", "pods"}));
  EXPECT_EQ(alone.wait_for("1", 1s).error().code(), ErrorCode::InvalidArgument);
}

TEST_F(FreshnessTest, ATimeoutNamesTheVersionThatThereIs) {
  start();
  const TimePoint begin = executor->clock()->now();
  EXPECT_EQ(problem("12", 5s), "cache of pods: expected at least resourceVersion 12, found 10");
  EXPECT_EQ(executor->clock()->now() - begin, Duration(5s));
  EXPECT_EQ(informer->wait_for("12", 0s).error().code(), ErrorCode::Timeout);
  EXPECT_THAT(problem("", 5s), HasSubstr("expected a resourceVersion to wait for, found none"));
}

TEST_F(FreshnessTest, AWaitEndsWhenItIsStoppedOrTheInformerStops) {
  start();
  std::stop_source stop;
  later(3s, [&] { stop.request_stop(); });
  EXPECT_EQ(problem("12", 1min, stop.get_token()),
            "cache of pods: stopped while waiting for a resourceVersion");
  later(3s, [&] { informer->stop(); });
  EXPECT_EQ(problem("12", 1min), "cache of pods: the informer has stopped");
  EXPECT_EQ(informer->wait_for("12", 1min).error().code(), ErrorCode::Cancelled) << "at once";
  EXPECT_EQ(problem("10", 1min), "") << "that is still there";
}

TEST_F(FreshnessTest, AnInformerThatWasNotStartedIsReported) {
  const auto log = std::make_shared<kube::testing::RecordingLogger>(LogLevel::Warning);
  runtime.logger = log;
  make();
  EXPECT_EQ(problem("12", 10s), "cache of pods: expected at least resourceVersion 12, found none");
  EXPECT_EQ(log->take_lines().size(), 1U);
}

TEST_F(FreshnessTest, ACallbackIsCalledOnceWithoutWaiting) {
  ScriptedCall watch = start();
  int calls = 0;
  const auto owner = std::make_shared<int>();
  informer->on_version(
      "12",
      [&] {
        ++calls;
        EXPECT_TRUE(informer->has_version("12"));
      },
      owner);
  run();
  EXPECT_EQ(calls, 0);
  watch.data(modified("x/a", "11"));
  run();
  EXPECT_EQ(calls, 0);
  watch.data(modified("x/a", "13"));
  run();
  watch.data(modified("x/a", "14"));
  run();
  EXPECT_EQ(calls, 1);
  informer->on_version(
      "12", [&] { ++calls; }, owner);
  run();
  EXPECT_EQ(calls, 2) << "it has that already";
  informer->on_version(
      "99", [&] { ++calls; }, owner);
  informer->stop_and_wait();
  run();
  EXPECT_EQ(calls, 2) << "never after the stop";
}

TEST_F(FreshnessTest, ACallbackIsForgottenWithItsOwner) {
  ScriptedCall watch = start();
  int calls = 0;
  std::weak_ptr<const int> captured;
  for (int i = 0; i < 1000; ++i) {
    const auto owner = std::make_shared<int>();
    informer->on_version(
        "12", [&calls, owner = std::weak_ptr<const int>(owner)] { ++calls; }, owner);
  }
  {
    const auto kept = std::make_shared<const int>();
    captured = kept;
    const auto owner = std::make_shared<int>();
    informer->on_version(
        "99", [kept] {}, owner);
  }
  // A version that is never reached costs nothing for long.
  for (int i = 0; i < 200; ++i)
    informer->on_version(
        "99", [] {}, std::make_shared<int>());
  EXPECT_TRUE(captured.expired());
  watch.data(modified("x/a", "12"));
  run();
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace kube::cache
