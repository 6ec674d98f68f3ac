// SPDX-License-Identifier: Apache-2.0
#include <kube/base/start_reminder.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kube {
namespace {

class Lines final : public Logger {
 public:
  bool enabled(LogLevel, std::string_view) const override { return true; }
  void write(const LogRecord& record) override {
    texts.emplace_back(std::string(record.component) + ": " + std::string(record.message));
  }
  std::vector<std::string> texts;
};

class StartReminderTest : public ::testing::Test {
 protected:
  // A task that has not run holds the strand, and so the executor that holds the task.
  ~StartReminderTest() override { executor_->run_ready(); }

  std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<Lines> log_ = std::make_shared<Lines>();
  std::shared_ptr<StartReminder> reminder_ = std::make_shared<StartReminder>(
      Strand(executor_), log_,
      StartReminder::Subject{"informer", "resource", "pods", "used, but not started"});
};

TEST_F(StartReminderTest, LogsOnceWhenTheFirstUseIsLongAgo) {
  reminder_->used();
  executor_->run_for(StartReminder::kPatience / 2);
  reminder_->used();
  EXPECT_TRUE(log_->texts.empty());
  EXPECT_FALSE(reminder_->problem());
  executor_->run_for(StartReminder::kPatience * 3);
  EXPECT_EQ(log_->texts, std::vector<std::string>{"informer: used, but not started"});
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
  EXPECT_TRUE(log_->texts.empty());
}

}  // namespace
}  // namespace kube
