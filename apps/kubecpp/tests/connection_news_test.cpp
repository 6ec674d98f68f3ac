// SPDX-License-Identifier: Apache-2.0
#include "connection_news.hpp"

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

TEST(ConnectionNews, ALossAndItsEndAreToldOnceEach) {
  ConnectionNews news;
  EXPECT_EQ(news.look(status(true)), std::nullopt);
  EXPECT_EQ(news.look(status(true, kRefused)), "the connection is lost: refused; trying again");
  EXPECT_EQ(news.look(status(true, kRefused)), std::nullopt);
  EXPECT_EQ(news.look(status(true)), "the connection is back");
  EXPECT_EQ(news.look(status(true)), std::nullopt);
  EXPECT_TRUE(news.look(status(true, kRefused)));
}

TEST(ConnectionNews, AnotherKindOfTroubleIsNews) {
  ConnectionNews news;
  EXPECT_TRUE(news.look(status(true, kRefused)));
  const auto denied = kube::Error(kube::ErrorCode::Server, "denied").with_http_status(401);
  EXPECT_EQ(news.look(status(true, denied)), "denied; trying again");
  EXPECT_EQ(news.look(status(true, denied)), std::nullopt);
}

TEST(ConnectionNews, WhatWasNeverThereIsNotLost) {
  ConnectionNews news;
  EXPECT_EQ(news.look(status(false, kRefused)), "refused; trying again");
}

}  // namespace
}  // namespace kubecpp
