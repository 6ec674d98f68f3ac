// SPDX-License-Identifier: Apache-2.0
#include <kube/base/start_reminder.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <kube/testing/recording_logger.hpp>

namespace kube {
namespace {

class StartReminderTest : public ::testing::Test {
 protected:
  // A task that has not run holds the strand, and so the executor that holds the task.
  ~StartReminderTest() override { executor_->run_ready(); }

  std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<testing::RecordingLogger> log_ = std::make_shared<testing::RecordingLogger>();
  std::shared_ptr<StartReminder> reminder_ = std::make_shared<StartReminder>(
      Strand(executor_), log_,
      StartReminder::Subject{"informer", "resource", "pods", "used, but not started"});
};

TEST_F(StartReminderTest, LogsOnceWhenTheFirstUseIsLongAgo) {
  reminder_->used();
  executor_->run_for(StartReminder::kPatience / 2);
  reminder_->used();
  EXPECT_TRUE(log_->lines().empty());
  EXPECT_FALSE(reminder_->problem());
  executor_->run_for(StartReminder::kPatience * 3);
  EXPECT_EQ(log_->lines(),
            std::vector<std::string>{"warning informer: used, but not started resource=pods"});
  EXPECT_TRUE(reminder_->problem());
  reminder_->over();
  EXPECT_FALSE(reminder_->problem());
}

TEST_F(StartReminderTest, LogsNothingOnceStarted) {
  reminder_->used();
  executor_->run_ready();
  reminder_->over();
  executor_->run_for(StartReminder::kPatience * 3);
  reminder_->used();
  executor_->run_for(StartReminder::kPatience * 3);
  EXPECT_TRUE(log_->lines().empty());
}

}  // namespace
}  // namespace kube
