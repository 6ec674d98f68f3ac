// SPDX-License-Identifier: Apache-2.0
#include <kube/base/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace kube {
namespace {

static_assert(std::is_copy_constructible_v<Error> && std::is_copy_assignable_v<Error>);
static_assert(std::is_nothrow_move_constructible_v<Error>);
static_assert(!std::is_default_constructible_v<Error>);

TEST(Error, CarriesCodeAndMessageAndNothingElseAtFirst) {
  const Error error(ErrorCode::Unreachable, "connection refused");
  EXPECT_EQ(error.code(), ErrorCode::Unreachable);
  EXPECT_EQ(error.message(), "connection refused");
  EXPECT_EQ(error.to_string(), "connection refused");
  EXPECT_EQ(error.http_status(), 0);
  EXPECT_EQ(error.reason(), "");
  EXPECT_EQ(error.retry_after(), std::nullopt);
  EXPECT_EQ(error.detail(), nullptr);
}

TEST(Error, ContextIsPrintedOutermostFirst) {
  const Error inner(ErrorCode::Unreachable, "connection refused");
  const Error outer = inner.with_context("GET http://x").with_context("list pods in default");
  EXPECT_EQ(outer.to_string(), "list pods in default: GET http://x: connection refused");
  EXPECT_EQ(outer.message(), "connection refused");
  EXPECT_EQ(inner.to_string(), "connection refused") << "the original is a value";
}

TEST(Error, FactsOfTheAnswerAreKeptTogether) {
  struct Detail : ErrorDetail {};
  const auto detail = std::make_shared<Detail>();
  const Error error = Error(ErrorCode::Server, "slow down")
                          .with_http_status(429)
                          .with_reason("TooManyRequests")
                          .with_retry_after(std::chrono::seconds(7))
                          .with_detail(detail)
                          .with_context("list pods");
  EXPECT_EQ(error.code(), ErrorCode::Server);
  EXPECT_EQ(error.http_status(), 429);
  EXPECT_EQ(error.reason(), "TooManyRequests");
  EXPECT_EQ(error.retry_after(), std::chrono::seconds(7));
  EXPECT_EQ(error.detail(), detail);
}

TEST(Error, EveryCodeHasAName) {
  EXPECT_EQ(to_string(ErrorCode::Server), "Server");
  EXPECT_EQ(to_string(ErrorCode::Unreachable), "Unreachable");
  EXPECT_EQ(to_string(ErrorCode::Credentials), "Credentials");
  EXPECT_EQ(to_string(ErrorCode::Decode), "Decode");
  EXPECT_EQ(to_string(ErrorCode::Config), "Config");
  EXPECT_EQ(to_string(ErrorCode::InvalidArgument), "InvalidArgument");
  EXPECT_EQ(to_string(ErrorCode::Timeout), "Timeout");
  EXPECT_EQ(to_string(ErrorCode::Cancelled), "Cancelled");
  EXPECT_EQ(to_string(ErrorCode::Internal), "Internal");
}

TEST(ApiException, TellsTheErrorWithItsContext) {
  const ApiException exception(Error(ErrorCode::Decode, "unexpected end").with_context("read pod"));
  EXPECT_STREQ(exception.what(), "read pod: unexpected end");
  EXPECT_EQ(exception.error().code(), ErrorCode::Decode);
}

}  // namespace
}  // namespace kube
