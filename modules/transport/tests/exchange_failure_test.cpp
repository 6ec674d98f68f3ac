// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kube/transport/exchange_failure.hpp>

namespace kube::transport {
namespace {

TEST(ExchangeFailureMark, StaysWithTheErrorAndItsContext) {
  const Error plain(ErrorCode::Unreachable, "reset");
  EXPECT_EQ(exchange_failure(plain), std::nullopt);
  const Error marked = with_exchange_failure(plain, ExchangeFailure::LostAfterRequest);
  EXPECT_EQ(exchange_failure(marked.with_context("GET http://h/")),
            ExchangeFailure::LostAfterRequest);
  EXPECT_EQ(marked.to_string(), "reset");
  EXPECT_EQ(exchange_failure(with_exchange_failure(marked, ExchangeFailure::NoConnection)),
            ExchangeFailure::NoConnection);
  EXPECT_EQ(refusing_host(plain), "");
  EXPECT_EQ(refusing_host(marked), "");
  const Error refused = with_exchange_failure(plain, ExchangeFailure::NoConnection, "h:1");
  EXPECT_EQ(refusing_host(refused.with_context("GET http://h:1/")), "h:1");
}

}  // namespace
}  // namespace kube::transport
