// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/connection_retired.hpp>

#include <gtest/gtest.h>

namespace kube::transport {
namespace {

TEST(ConnectionRetired, IsRecognizedWithItsContextAndNothingElseIs) {
  EXPECT_TRUE(is_connection_retired(connection_retired().with_context("watch pods")));
  EXPECT_EQ(connection_retired().code(), ErrorCode::Unreachable);
  EXPECT_FALSE(is_connection_retired(Error(ErrorCode::Unreachable, "reset")));
}

}  // namespace
}  // namespace kube::transport
