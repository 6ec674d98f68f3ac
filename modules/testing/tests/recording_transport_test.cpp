// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/recording_transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// What a client saw: status, pieces with their times, and the end.
class Saw final : public transport::ResponseHandler {
 public:
  explicit Saw(std::shared_ptr<Clock> clock) : clock_(std::move(clock)), begin_(clock_->now()) {}
  void on_head(transport::ResponseHead head) override {
    lines.push_back("head " + std::to_string(head.status));
  }
  transport::Flow on_data(std::string_view chunk) override {
    const auto at = std::chrono::duration_cast<seconds>(clock_->now() - begin_).count();
    lines.push_back(std::to_string(at) + " s: " + std::string(chunk));
    return transport::Flow::Continue;
  }
  void on_end(Result<void> result) override {
    lines.push_back(result ? "end" : "end: " + result.error().message());
  }
  std::vector<std::string> lines;

 private:
  const std::shared_ptr<Clock> clock_;
  const TimePoint begin_;
};

transport::HttpRequest watch(const std::string& timeout) {
  transport::HttpRequest request;
  request.url = "http://server/api/v1/pods?timeoutSeconds=" + timeout + "&watch=true";
  request.headers.set("Authorization", "Bearer secret");
  return request;
}

class Recorded : public ::testing::Test {
 protected:
  // Two pieces in three seconds, then a reset.
  std::string record() {
    auto server = std::make_shared<ScriptedTransport>(ScriptedTransport::Options{executor_});
    RecordingTransport recording(server, executor_->clock());
    const auto saw = std::make_shared<Saw>(executor_->clock());
    recording.start(watch("300"), saw, {});
    ScriptedCall call = server->take_request().value();
    executor_->run_for(seconds(1));
    call.head(200).data("one\n");
    executor_->run_for(seconds(3));
    call.data(std::string("\0\xff two", 6));
    executor_->run_for(seconds(1));
    call.reset();
    executor_->run_for(seconds(1));
    first_ = saw->lines;
    server->stop();
    return recording.text();
  }

  std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  std::vector<std::string> first_;
};

TEST_F(Recorded, ReplaySaysTheSameAtTheSameTimes) {
  const auto replay = ReplayTransport::create(record(), executor_);
  ASSERT_TRUE(replay);
  const auto saw = std::make_shared<Saw>(executor_->clock());
  (*replay)->start(watch("411"), saw, {});
  executor_->run_for(seconds(20));
  EXPECT_EQ(first_.size(), 4U);
  ASSERT_EQ(saw->lines.size(), first_.size());
  for (std::size_t i = 0; i + 1 < first_.size(); ++i) EXPECT_EQ(saw->lines[i], first_[i]);
  EXPECT_THAT(saw->lines.back(), HasSubstr(first_.back()));
  EXPECT_EQ((*replay)->left(), 0U);
}

TEST_F(Recorded, HasNoCredentials) {
  EXPECT_THAT(record(), Not(HasSubstr("secret")));
}

TEST_F(Recorded, ARequestThatWasNotRecordedFails) {
  const auto replay = ReplayTransport::create(record(), executor_);
  ASSERT_TRUE(replay);
  transport::HttpRequest other;
  other.url = "http://server/api/v1/nodes";
  const auto saw = std::make_shared<Saw>(executor_->clock());
  (*replay)->start(other, saw, {});
  executor_->run_for(seconds(1));
  ASSERT_EQ(saw->lines.size(), 1U);
  EXPECT_THAT(saw->lines[0], HasSubstr("the recording has no more GET /api/v1/nodes"));
  EXPECT_EQ((*replay)->left(), 1U);
}

TEST(ReplayTransport, SaysWhichLineIsNotARecording) {
  const auto replay = ReplayTransport::create("\n{}\n", std::make_shared<SeededExecutor>(1));
  ASSERT_FALSE(replay);
  EXPECT_EQ(replay.error().code(), ErrorCode::Decode);
  EXPECT_THAT(replay.error().to_string(), HasSubstr("line 2 of the recording"));
}

}  // namespace
}  // namespace kube::testing
