// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/thread_safe_store.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node_of;
using testing::show_part;
using testing::show_parts;
using ::testing::UnorderedElementsAre;

using PodMap = ThreadSafeStore<Pod>;

TEST(ThreadSafeStoreTest, TheCallerGivesTheKey) {
  PodMap pods({{"node", node_of}});
  ASSERT_TRUE(pods.add("blue", cached_part("x/a", "1", "n1")));
  ASSERT_TRUE(pods.add("green", cached_part("x/a", "2", "n1")));
  ASSERT_TRUE(pods.add("x/b", cached_part("x/b", "3", "n2")));
  EXPECT_THAT(pods.list_keys(), UnorderedElementsAre("blue", "green", "x/b"));
  EXPECT_THAT(*pods.index_keys("node", "n1"), ElementsAre("blue", "green"));
  EXPECT_THAT(*pods.index_keys("namespace", "x"), ElementsAre("blue", "green", "x/b"));
  EXPECT_FALSE(pods.get_by_key("x/a"));
  const Cached<Pod> blue = pods.get_by_key("blue");
  EXPECT_EQ(blue.resource_version(), "1");
  EXPECT_EQ(blue.object_key().to_string(), "x/a") << "the object has its own name";

  ASSERT_TRUE(pods.update("blue", cached_part("x/a", "4", "n2")));
  EXPECT_THAT(*pods.index_keys("node", "n2"), ElementsAre("blue", "x/b"));
  EXPECT_THAT(show_parts(pods.index("node", cached_part("y/z", "", "n1")).value()),
              ElementsAre("green@2"));
  EXPECT_THAT(show_parts(pods.by_index("node", "n1").value()), ElementsAre("green@2"));
  ASSERT_TRUE(pods.remove("green"));
  EXPECT_TRUE(pods.remove("green")) << "what is not there";
  EXPECT_THAT(pods.list_index_values("node"), ElementsAre("n2"));
}

TEST(ThreadSafeStoreTest, TheVersionIsThatOfTheLastObjectWritten) {
  PodMap pods;
  EXPECT_EQ(pods.last_sync_resource_version(), "");
  ASSERT_TRUE(pods.add("a", cached_part("x/a", "10")));
  EXPECT_EQ(pods.last_sync_resource_version(), "10");
  ASSERT_TRUE(pods.remove_with_object("a", cached_part("x/a", "30")));
  EXPECT_EQ(pods.last_sync_resource_version(), "30");
  ASSERT_TRUE(pods.add("a", cached_part("x/a", "31")));
  ASSERT_TRUE(pods.bookmark("40"));
  ASSERT_TRUE(pods.remove("a"));
  EXPECT_EQ(pods.last_sync_resource_version(), "40") << "without an object it stays";
  ASSERT_TRUE(pods.replace({{"b", cached_part("x/b", "60")}}, "50"));
  EXPECT_EQ(pods.last_sync_resource_version(), "50");
}

TEST(ThreadSafeStoreTest, AReplacementIsWhole) {
  PodMap pods({{"node", node_of}});
  ASSERT_TRUE(pods.add("a", cached_part("x/a", "1", "n1")));
  ASSERT_TRUE(pods.replace(
      {{"b", cached_part("x/a", "2", "n2")}, {"c", cached_part("x/a", "3", "n2")}}, "9"));
  EXPECT_THAT(pods.list_keys(), UnorderedElementsAre("b", "c"));
  EXPECT_THAT(*pods.index_keys("node", "n1"), IsEmpty());
  EXPECT_THAT(*pods.index_keys("node", "n2"), ElementsAre("b", "c"));
}

TEST(ThreadSafeStoreTest, ATransactionIsAppliedInOrderOrNotAtAll) {
  PodMap pods;
  ASSERT_TRUE(pods.transaction({{"a", {TransactionType::Add, cached_part("x/a", "1")}},
                                {"a", {TransactionType::Update, cached_part("x/a", "2")}},
                                {"b", {TransactionType::Add, cached_part("x/b", "3")}},
                                {"b", {TransactionType::Delete, {}}}}));
  EXPECT_THAT(show_parts(pods.list()), ElementsAre("a@2"));
  const auto failed = pods.transaction({{"c", {TransactionType::Add, cached_part("x/c", "4")}},
                                        {"", {TransactionType::Add, cached_part("x/d", "5")}}});
  EXPECT_EQ(failed.error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(show_parts(pods.list()), ElementsAre("a@2"));
}

TEST(ThreadSafeStoreTest, WhatCanNotBeStoredIsRefused) {
  PodMap pods;
  const Cached<Pod> pod = cached_part("x/a", "1");
  for (const std::string& key : {std::string(), std::string(kMaxKeyBytes + 1, 'k')}) {
    EXPECT_EQ(pods.add(key, pod).error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(pods.remove(key).error().code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(pods.replace({{key, pod}}, "2").error().code(), ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(pods.add("a", {}).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(pods.size(), 0U);
  EXPECT_EQ(pods.last_sync_resource_version(), "");
}

TEST(ThreadSafeStoreTest, IDX_11_OfIndexesOfWhichOneExistsNoneIsAdded) {
  PodMap pods({{"node", node_of}, {"namespace", node_of}});
  EXPECT_THAT(pods.index_names(), ElementsAre("namespace", "node"));
  EXPECT_EQ(pods.add_indexers({{"a", node_of}, {"node", node_of}}).error().code(),
            ErrorCode::InvalidArgument);
  EXPECT_THAT(pods.index_names(), ElementsAre("namespace", "node"));
  ASSERT_TRUE(pods.add("k", cached_part("x/a", "1", "n1")));
  ASSERT_TRUE(pods.add_indexers({{"a", node_of}, {"b", node_of}}));
  for (const char* index : {"a", "b"}) EXPECT_THAT(*pods.index_keys(index, "n1"), ElementsAre("k"));
}

TEST(ThreadSafeStoreTest, AnIndexFunctionThatThrowsIsReported) {
  std::vector<std::string> reports;
  PodMap pods(
      {{"bad",
        [](const Cached<Pod>&) -> std::vector<std::string> { throw std::runtime_error("no"); }}},
      [&](std::string_view index, const Cached<Pod>& pod, const Error&) {
        reports.push_back(std::string(index) + " " + show_part(pod));
      });
  ASSERT_TRUE(pods.add("x/a", cached_part("x/a", "1")));
  EXPECT_EQ(pods.size(), 1U);
  EXPECT_THAT(reports, ElementsAre("bad x/a@1"));
}

TEST(ThreadSafeStoreTest, WritersOfManyThreadsLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEach = 200;
  PodMap pods({{"node", node_of}});
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&pods, w] {
        for (int i = 0; i < kEach; ++i) {
          const std::string key = std::to_string(w) + "-" + std::to_string(i);
          pods.add(key, cached_part("x/a", "1", "n1")).value();
          if (i % 2 == 1) pods.remove(key).value();
        }
      });
    }
  }
  EXPECT_EQ(pods.size(), static_cast<std::size_t>(kWriters * kEach / 2));
  EXPECT_EQ(pods.count("node", "n1"), pods.size());
}

}  // namespace
}  // namespace kube::cache
