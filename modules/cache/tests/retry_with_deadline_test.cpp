// SPDX-License-Identifier: Apache-2.0
#include "retry_with_deadline.hpp"

#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>
#include <kube/testing/fake_clock.hpp>

namespace kube::cache {
namespace {

using namespace std::chrono_literals;

class RetryWithDeadlineTest : public ::testing::Test {
 protected:
  RetryWithDeadline make(Duration longest) {
    return RetryWithDeadline(longest, 1min, &is_internal_error, clock);
  }
  /// Records an error that comes `later`, and returns whether it is worth a retry.
  bool retries(RetryWithDeadline& retry, Duration later, const Error& error) {
    clock->advance(later);
    retry.after(error);
    return retry.should_retry();
  }

  const std::shared_ptr<kube::testing::FakeClock> clock =
      std::make_shared<kube::testing::FakeClock>();
  const Error internal = Error(ErrorCode::Server, "etcd is away").with_reason("InternalError");
  const Error other = Error(ErrorCode::Server, "no").with_reason("Forbidden");
};

TEST_F(RetryWithDeadlineTest, RTY_01_ADurationOfZeroNeverRetries) {
  RetryWithDeadline retry = make(0s);
  EXPECT_FALSE(retries(retry, 0s, internal));
  EXPECT_FALSE(retries(retry, 1s, internal));
}

TEST_F(RetryWithDeadlineTest, RTY_02_RetriesUntilTheDurationIsOver) {
  RetryWithDeadline retry = make(1s);
  EXPECT_TRUE(retries(retry, 1s, internal));
  EXPECT_TRUE(retries(retry, 1s, internal));
  EXPECT_FALSE(retries(retry, 1s, internal));
}

TEST_F(RetryWithDeadlineTest, RTY_03_OtherErrorsAreNotRetried) {
  RetryWithDeadline retry = make(1s);
  EXPECT_FALSE(retries(retry, 1s, other));
  EXPECT_FALSE(retries(retry, 1s, other));
}

TEST_F(RetryWithDeadlineTest, RTY_04_AnotherErrorInBetweenChangesNothing) {
  RetryWithDeadline retry = make(1s);
  EXPECT_TRUE(retries(retry, 1s, internal));
  EXPECT_TRUE(retries(retry, 0s, other));
  EXPECT_TRUE(retries(retry, 1s, internal));
}

TEST_F(RetryWithDeadlineTest, RTY_05_AGapOfTheResetPeriodStartsOver) {
  RetryWithDeadline retry = make(70s);
  EXPECT_TRUE(retries(retry, 1s, internal));
  EXPECT_TRUE(retries(retry, 59s, internal));
  EXPECT_TRUE(retries(retry, 60s, internal)) << "119 s after the first, and 60 s after the last";
  EXPECT_TRUE(retries(retry, 59s, internal));
  EXPECT_FALSE(retries(retry, 59s, internal));
}

}  // namespace
}  // namespace kube::cache
