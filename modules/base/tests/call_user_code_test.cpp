// SPDX-License-Identifier: Apache-2.0
#include <kube/base/call_user_code.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace kube {
namespace {

TEST(CallUserCode, ReturnsWhatTheCallReturns) {
  EXPECT_EQ(call_user_code("the call", []() -> Result<int> { return 7; }).value(), 7);
  const Result<void> refused = call_user_code(
      "the call", []() -> Result<void> { return Error(ErrorCode::Timeout, "late"); });
  EXPECT_EQ(refused.error().to_string(), "late");
  EXPECT_EQ(refused.error().code(), ErrorCode::Timeout);
  int calls = 0;
  const Result<void> nothing = call_user_code("the call", [&] { ++calls; });
  EXPECT_TRUE(nothing && calls == 1) << "a function without a result";
}

TEST(CallUserCode, AnExceptionBecomesAnErrorWithItsText) {
  const Result<int> threw =
      call_user_code("the call", []() -> Result<int> { throw std::runtime_error("boom"); });
  EXPECT_EQ(threw.error().code(), ErrorCode::Internal);
  EXPECT_EQ(threw.error().to_string(), "the call threw: boom");
  const Result<void> odd = call_user_code("the call", []() -> Result<void> { throw 7; });
  EXPECT_EQ(odd.error().to_string(), "the call threw: not a std::exception");
}

}  // namespace
}  // namespace kube
