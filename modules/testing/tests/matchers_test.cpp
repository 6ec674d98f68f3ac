// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/matchers.hpp>

#include <gtest/gtest.h>

namespace kube::testing {
namespace {

using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

const Error kMissing =
    Error(ErrorCode::Server, "pods \"a\" not found").with_http_status(404).with_reason("NotFound");

template <class Value, class Matcher>
std::string explanation(const Value& value, const Matcher& matcher) {
  ::testing::StringMatchResultListener listener;
  ::testing::ExplainMatchResult(matcher, value, &listener);
  return listener.str();
}

TEST(Matchers, AResultIsOkOrFails) {
  const Result<int> good = 3;
  const Result<int> bad = kMissing;
  EXPECT_THAT(good, IsOk());
  EXPECT_THAT(bad, Not(IsOk()));
  EXPECT_THAT(Result<void>(), IsOk());
  EXPECT_THAT(good, IsOkAndHolds(Gt(2)));
  EXPECT_THAT(good, Not(IsOkAndHolds(4)));
  EXPECT_THAT(bad, Not(IsOkAndHolds(3)));
  EXPECT_THAT(good, Not(FailsWith(HasReason("NotFound"))));
}

TEST(Matchers, AnErrorIsMatchedByItsParts) {
  const Result<int> bad = kMissing;
  EXPECT_THAT(bad, FailsWith(AllOf(HasCode(ErrorCode::Server), HasReason("NotFound"),
                                   HasHttpStatus(404), HasMessage(HasSubstr("\"a\"")))));
  EXPECT_THAT(bad, FailsWith(Not(HasCode(ErrorCode::Timeout))));
  EXPECT_THAT(bad, FailsWith(Not(HasReason("Conflict"))));
  EXPECT_THAT(bad, FailsWith(Not(HasHttpStatus(409))));
  EXPECT_THAT(bad, FailsWith(Not(HasMessage(HasSubstr("nodes")))));
}

TEST(Matchers, AFailureShowsTheErrorsText) {
  const Result<int> bad = kMissing;
  EXPECT_THAT(explanation(bad, IsOk()), HasSubstr("pods \"a\" not found"));
  EXPECT_THAT(explanation(bad, IsOkAndHolds(3)), HasSubstr("pods \"a\" not found"));
  EXPECT_EQ(explanation(Result<int>(3), FailsWith(HasReason("NotFound"))), "which is ok");
  EXPECT_THAT(::testing::PrintToString(bad), HasSubstr("pods \"a\" not found"));
  EXPECT_EQ(::testing::PrintToString(Result<int>(3)), "ok, 3");
  EXPECT_EQ(::testing::PrintToString(Result<void>()), "ok");
}

}  // namespace
}  // namespace kube::testing
