// SPDX-License-Identifier: Apache-2.0
#include <kube/config/retry_policy.hpp>

#include <gtest/gtest.h>

#include <kube/config/config.hpp>

namespace kube::rest {
namespace {

using namespace std::chrono_literals;

TEST(RetryPolicy, DefaultsAreClientGosWithABoundOnTheDelay) {
  const RetryPolicy policy = Config{}.retry;
  EXPECT_EQ(policy.max_retries, 10);
  EXPECT_TRUE(policy.retry_writes);
  EXPECT_TRUE(policy.retry_lost_connections);
  EXPECT_EQ(policy.max_retry_after, 60s);
  EXPECT_EQ(policy.refusal_backoff, 0s);
  EXPECT_EQ(policy.lost_connection_delay, 1s);
}

TEST(RetryPolicy, ConfigsWithDifferentOnesDifferAndPrintThem) {
  const auto differs = [](const RetryPolicy& policy) {
    const Config config{.retry = policy};
    EXPECT_NE(config, Config{});
    EXPECT_EQ(config, Config(config));
    return to_string(config);
  };
  EXPECT_EQ(differs({.max_retries = 0}), "rest.Config{retry={max_retries=0}}");
  EXPECT_EQ(differs({.retry_writes = false}), "rest.Config{retry={retry_writes=false}}");
  EXPECT_EQ(differs({.retry_lost_connections = false, .max_retry_after = 2s}),
            "rest.Config{retry={retry_lost_connections=false, max_retry_after=2000ms}}");
  EXPECT_EQ(differs({.refusal_backoff = 200ms}), "rest.Config{retry={refusal_backoff=200ms}}");
  EXPECT_EQ(differs({.lost_connection_delay = 5ms}),
            "rest.Config{retry={lost_connection_delay=5ms}}");
}

}  // namespace
}  // namespace kube::rest
