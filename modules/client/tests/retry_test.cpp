// SPDX-License-Identifier: Apache-2.0
#include <kube/client/retry.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>

namespace kube {
namespace {

using namespace std::chrono_literals;

Error conflict() {
  return Error(ErrorCode::Server, "the object has been modified")
      .with_http_status(409)
      .with_reason("Conflict");
}

class RetryOnConflict : public ::testing::Test {
 protected:
  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  Runtime runtime{.executor = executor, .random = [] { return 0.5; }};
  TimePoint start = executor->clock()->now();
  Duration elapsed() const { return executor->clock()->now() - start; }
  int calls = 0;
};

TEST_F(RetryOnConflict, WAIT_01_AlwaysConflictIsTheConflictItself) {
  Backoff::Options backoff = default_retry();
  backoff.steps = 3;
  const Result<int> result = retry_on_conflict(runtime, backoff, [&]() -> Result<int> {
    ++calls;
    return conflict();
  });
  ASSERT_FALSE(result);
  EXPECT_TRUE(is_conflict(result.error()));
  EXPECT_EQ(calls, 3);
}

TEST_F(RetryOnConflict, WAIT_02_SuccessAndOtherErrorsEndAtOnce) {
  EXPECT_TRUE(retry_on_conflict(runtime, [&]() -> Result<void> {
    ++calls;
    return {};
  }));
  EXPECT_FALSE(retry_on_conflict(runtime, [&]() -> Result<void> {
    ++calls;
    return Error(ErrorCode::Unreachable, "down");
  }));
  EXPECT_EQ(calls, 2);
}

TEST_F(RetryOnConflict, WAIT_03_WAIT_05_TwoConflictsThenSuccess) {
  const Result<int> result = retry_on_conflict(runtime, [&]() -> Result<int> {
    if (++calls < 3) return conflict();
    return 7;
  });
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 7);
  EXPECT_EQ(elapsed(), 2 * 10'500us) << "10 ms and half of a tenth of it";
}

TEST_F(RetryOnConflict, WAIT_04_ACancellationOfTheFunctionIsPreserved) {
  const Result<void> result = retry_on_conflict(
      runtime, [&]() -> Result<void> { return Error(ErrorCode::Cancelled, "by the function"); });
  EXPECT_EQ(result.error().message(), "by the function");
}

TEST_F(RetryOnConflict, WAIT_05_Presets) {
  EXPECT_EQ(default_retry().steps, 5);
  EXPECT_EQ(default_retry().initial, 10ms);
  EXPECT_EQ(default_backoff().steps, 4);
  EXPECT_EQ(default_backoff().factor, 5.0);
  EXPECT_FALSE(retry_on_conflict(runtime, default_backoff(), [&]() -> Result<void> {
    ++calls;
    return conflict();
  }));
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(elapsed(), 10'500us + 52'500us + 262'500us);
}

TEST_F(RetryOnConflict, AStopRequestEndsThePause) {
  std::stop_source stop;
  Backoff::Options slow = default_retry();
  slow.initial = 1h;
  const Timer timer = executor->submit_after(1s, [&] { stop.request_stop(); });
  const Result<void> result = retry_on_conflict(
      runtime, slow, [&]() -> Result<void> { return conflict(); }, stop.get_token());
  EXPECT_EQ(result.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(elapsed(), 1s);
}

TEST_F(RetryOnConflict, OtherErrorsByChoice) {
  const Result<void> result = retry_on_error(
      runtime, default_retry(),
      [](const Error& error) { return error.code() == ErrorCode::Timeout; },
      [&]() -> Result<void> {
        ++calls;
        return Error(ErrorCode::Timeout, "late");
      },
      {});
  EXPECT_EQ(result.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace kube
