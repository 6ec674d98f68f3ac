// SPDX-License-Identifier: Apache-2.0
#include "connection_log.hpp"

#include <gtest/gtest.h>

namespace kubecpp {
namespace {

kube::InformerStatus status(bool synced, kube::Optional<kube::Error> error = {}) {
  kube::InformerStatus status;
  status.synced = synced;
  status.last_error = std::move(error);
  return status;
}

const kube::Error kRefused(kube::ErrorCode::Unreachable, "refused");

TEST(ConnectionLog, ALossAndItsEndAreToldOnceEach) {
  ConnectionLog log;
  EXPECT_EQ(log.next_line(status(true)), std::nullopt);
  EXPECT_EQ(log.next_line(status(true, kRefused)), "the connection is lost: refused; retrying");
  EXPECT_EQ(log.next_line(status(true, kRefused)), std::nullopt);
  EXPECT_EQ(log.next_line(status(true)), "the connection is back");
  EXPECT_EQ(log.next_line(status(true)), std::nullopt);
  EXPECT_TRUE(log.next_line(status(true, kRefused)));
}

TEST(ConnectionLog, AnotherKindOfTroubleIsNews) {
  ConnectionLog log;
  EXPECT_TRUE(log.next_line(status(true, kRefused)));
  const auto denied = kube::Error(kube::ErrorCode::Server, "denied").with_http_status(401);
  EXPECT_EQ(log.next_line(status(true, denied)), "denied; retrying");
  EXPECT_EQ(log.next_line(status(true, denied)), std::nullopt);
}

TEST(ConnectionLog, WhatWasNeverThereIsNotLost) {
  ConnectionLog log;
  EXPECT_EQ(log.next_line(status(false, kRefused)), "refused; retrying");
}

}  // namespace
}  // namespace kubecpp
