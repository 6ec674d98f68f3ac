// SPDX-License-Identifier: Apache-2.0
#include <kube/base/result.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);

TEST(Result, HoldsAValueOrAnError) {
  Result<int> good = 1;
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, 1);
  Result<int> bad = Error(ErrorCode::Decode, "broken");
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::Decode);
}

}  // namespace
}  // namespace kube
