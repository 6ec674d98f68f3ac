// SPDX-License-Identifier: Apache-2.0
//
// What an informer says of a server that refuses it: conditions, slow retries, few log lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/recording_logger.hpp>

#include "informer_fixture.hpp"

namespace kube::cache {
namespace {

using namespace std::chrono_literals;
using kube::testing::RecordingLogger;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::list_text;
using testing::object_text;
using testing::respond_status;
using testing::ScriptedCall;
using ::testing::SizeIs;

class ConditionTest : public testing::InformerFixture {
 protected:
  void SetUp() override {
    runtime.logger = log;
    make();
    ASSERT_TRUE(informer->set_condition_handler(
        [this](InformerCondition condition, const Optional<Error>& error) {
          EXPECT_EQ(error.has_value(), condition != InformerCondition::Healthy);
          EXPECT_EQ(informer->status().condition, condition);
          changes.emplace_back(to_string(condition));
        }));
  }
  /// Answers every list and watch for so long; returns how many there were.
  int refuse_for(Duration time, int code, std::string_view reason) {
    int requests = 0;
    const TimePoint end = executor->clock()->now() + time;
    while (executor->clock()->now() < end) {
      run_for(1s);
      while (auto call = transport->take_request()) {
        ++requests;
        respond_status(*call, code, reason, "no");
      }
    }
    return requests;
  }
  std::vector<std::string> take() { return std::exchange(changes, {}); }

  std::shared_ptr<RecordingLogger> log = std::make_shared<RecordingLogger>(LogLevel::Info);
  std::vector<std::string> changes;
};

TEST_F(ConditionTest, AnAcceptedWatchIsHealthy) {
  EXPECT_EQ(informer->status().condition, InformerCondition::Unknown);
  ScriptedCall watch = start();
  EXPECT_EQ(informer->status().condition, InformerCondition::Unknown) << "listed";
  watch.head();
  run();
  EXPECT_THAT(take(), ElementsAre("Healthy"));
  run_for(2s);
  watch.end();
  next_watch().head();
  run();
  EXPECT_THAT(take(), IsEmpty()) << "a watch that ends is no change";
}

TEST_F(ConditionTest, AMissingTypeIsAStateWithSlowRetriesAndFewLines) {
  ASSERT_TRUE(informer->start());
  run();
  const int requests = refuse_for(1h, 404, "NotFound");
  EXPECT_THAT(take(), ElementsAre("Missing"));
  EXPECT_EQ(informer->status().condition, InformerCondition::Missing);
  EXPECT_THAT(informer->status().last_error.value().to_string(), HasSubstr("no"));
  EXPECT_LE(requests, 45) << "every 100 to 120 s, after the first ones";
  EXPECT_GE(requests, 28);
  EXPECT_LE(log->take_lines().size(), 8U) << "every ten minutes";
}

TEST_F(ConditionTest, ACrdThatGoesAndComesBackIsFollowed) {
  ScriptedCall watch = start({object_text("x/a", "5")});
  watch.head();
  run();
  EXPECT_THAT(take(), ElementsAre("Healthy"));
  log->take_lines();
  watch.data(deleted("x/a", "11"));
  run_for(2s);
  watch.end();
  run();
  refuse_for(10min, 404, "NotFound");
  EXPECT_THAT(take(), ElementsAre("Missing"));
  EXPECT_TRUE(informer->has_synced());
  EXPECT_LE(log->take_lines().size(), 3U);
  ASSERT_TRUE(executor->run_until([&] { return transport->waiting() > 0; }, 1000));
  next_list().respond(200, list_text({object_text("x/b", "20")}, "20"));
  next_watch().head();
  run();
  EXPECT_THAT(take(), ElementsAre("Healthy"));
  EXPECT_TRUE(informer->lister().find("x/b"));
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("lists and watches are accepted again")));
}

TEST_F(ConditionTest, ALostPermissionIsAState) {
  ScriptedCall watch = start();
  watch.head();
  run_for(2s);
  watch.end();
  run();
  const int requests = refuse_for(1h, 403, "Forbidden");
  EXPECT_THAT(take(), ElementsAre("Healthy", "Forbidden"));
  EXPECT_LE(requests, 45);
  EXPECT_EQ(informer->lister().list().size(), 1U) << "the cache stays";
}

// Lists are accepted and watches are not: no loop of lists, and one change.
TEST_F(ConditionTest, AWatchAloneThatIsForbiddenIsSlowToo) {
  ASSERT_TRUE(informer->start());
  int lists = 0;
  for (int second = 0; second < 3600; ++second) {
    run_for(1s);
    while (auto call = transport->take_request()) {
      if (call->query("watch")) {
        respond_status(*call, 403, "Forbidden", "no");
      } else {
        ++lists;
        call->respond(200, list_text({object_text("x/a", "5")}, "10"));
      }
    }
  }
  EXPECT_LE(lists, 45);
  EXPECT_THAT(take(), ElementsAre("Forbidden"));
}

TEST_F(ConditionTest, EachKindOfFailureHasAName) {
  ASSERT_TRUE(informer->start());
  run();
  refuse_for(10s, 401, "Unauthorized");
  refuse_for(60s, 500, "InternalError");
  transport->set_down(true);
  run_for(60s);
  transport->set_down(false);
  EXPECT_THAT(take(), ElementsAre("Unauthorized", "Failing", "Unreachable"));
}

TEST_F(ConditionTest, AFailureOfAnotherKindIsLoggedAtOnce) {
  ASSERT_TRUE(informer->start());
  run();
  refuse_for(60s, 500, "InternalError");
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("list or watch failed")));
  refuse_for(60s, 404, "NotFound");
  EXPECT_THAT(log->take_lines(), ElementsAre(HasSubstr("list or watch failed")));
}

TEST_F(ConditionTest, FailuresThatAlternateAreLoggedOnceEach) {
  ASSERT_TRUE(informer->start());
  run();
  for (int i = 0; i < 5; ++i) {
    refuse_for(20s, 502, "BadGateway");
    refuse_for(20s, 503, "ServiceUnavailable");
  }
  EXPECT_THAT(log->take_lines(), SizeIs(2));
  refuse_for(600s, 502, "BadGateway");
  EXPECT_THAT(log->take_lines(), SizeIs(1)) << "and again every ten minutes";
}

TEST_F(ConditionTest, TheHandlerMayStopTheInformer) {
  make();
  ASSERT_TRUE(informer->set_condition_handler(
      [this](InformerCondition, const Optional<Error>&) { informer->stop(); }));
  ASSERT_TRUE(informer->start());
  run();
  EXPECT_EQ(refuse_for(10min, 404, "NotFound"), 1);
  EXPECT_EQ(informer->status().state, InformerState::Stopped);
  EXPECT_FALSE(informer->set_condition_handler({})) << "too late";
}

}  // namespace
}  // namespace kube::cache
