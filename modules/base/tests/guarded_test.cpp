// SPDX-License-Identifier: Apache-2.0
#include <kube/base/guarded.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace kube {
namespace {

TEST(Guarded, GivesWhatTheCallGives) {
  EXPECT_EQ(guarded("the call", []() -> Result<int> { return 7; }).value(), 7);
  const Result<void> refused =
      guarded("the call", []() -> Result<void> { return Error(ErrorCode::Timeout, "late"); });
  EXPECT_EQ(refused.error().to_string(), "late");
  EXPECT_EQ(refused.error().code(), ErrorCode::Timeout);
}

TEST(Guarded, AnExceptionBecomesAnErrorWithItsText) {
  const Result<int> threw =
      guarded("the call", []() -> Result<int> { throw std::runtime_error("boom"); });
  EXPECT_EQ(threw.error().code(), ErrorCode::Internal);
  EXPECT_EQ(threw.error().to_string(), "the call threw: boom");
  const Result<void> odd = guarded("the call", []() -> Result<void> { throw 7; });
  EXPECT_EQ(odd.error().to_string(), "the call threw something unknown");
}

}  // namespace
}  // namespace kube
