// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/undelta_store.hpp>

#include <functional>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::part_pod;
using testing::show_part;
using testing::show_parts;

class UndeltaStoreTest : public ::testing::Test {
 protected:
  std::vector<std::vector<std::string>> pushes;
  std::function<void()> inside;
  UndeltaStore<Pod> store{[this](const CachedList<Pod>& objects) {
    pushes.push_back(show_parts(objects));
    if (inside) inside();
  }};
};

TEST_F(UndeltaStoreTest, UND_01_AnUpdatePushesTheUpdatedObject) {
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  ASSERT_TRUE(store.update(part_pod("a", "2")));
  EXPECT_THAT(pushes, ElementsAre(ElementsAre("a@1"), ElementsAre("a@2")));
}

TEST_F(UndeltaStoreTest, UND_02_ARemovalPushesWhatIsLeft) {
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  ASSERT_TRUE(store.remove(part_pod("a", "2")));
  EXPECT_THAT(pushes, ElementsAre(ElementsAre("a@1"), IsEmpty()));
}

TEST_F(UndeltaStoreTest, UND_03_ReadsPushNothing) {
  EXPECT_THAT(show_parts(store.list()), IsEmpty());
  EXPECT_FALSE(*store.get(cached_part("a", "")));
  EXPECT_FALSE(store.get_by_key("a"));
  EXPECT_THAT(store.list_keys(), IsEmpty());
  EXPECT_TRUE(store.resync());
  EXPECT_TRUE(store.bookmark("5"));
  EXPECT_THAT(pushes, IsEmpty());
}

TEST_F(UndeltaStoreTest, UND_04_AReplaceIsPushedOnce) {
  ASSERT_TRUE(store.replace({cached_part("a", "1"), cached_part("b", "2")}, "2"));
  EXPECT_THAT(pushes, ElementsAre(ElementsAre("a@1", "b@2")));
}

TEST_F(UndeltaStoreTest, WhatCouldNotBeWrittenIsNotPushed) {
  EXPECT_FALSE(store.add(part_pod("", "1")));
  EXPECT_THAT(pushes, IsEmpty());
}

TEST_F(UndeltaStoreTest, AListIsPushedWithoutAnObjectThatItsKeyFunctionCanNotDecode) {
  UndeltaStore<Pod> by_node{
      [this](const CachedList<Pod>& objects) { pushes.push_back(show_parts(objects)); },
      [](const Cached<Pod>& pod) -> Result<std::string> { return pod->spec.node_name; }};
  Cell::Parts parts;
  parts.name = "bad";
  parts.body = R"({"metadata":{"name":"bad"},"spec":7})";
  const Cached<Pod> bad(Cell::make(cell_type<Pod>(), parts));
  const Error error = by_node.replace({bad, cached_part("a", "1", "n1")}, "2").error();
  const TransactionError* left_out = transaction_error(error);
  ASSERT_NE(left_out, nullptr);
  EXPECT_THAT(left_out->successful_indices, ElementsAre(1U));
  EXPECT_THAT(pushes, ElementsAre(ElementsAre("n1@1")));
}

TEST_F(UndeltaStoreTest, APushMayReadAndMayNotWrite) {
  Result<void> written;
  inside = [&] {
    EXPECT_EQ(show_part(store.get_by_key("a")), "a@1");
    written = store.add(part_pod("b", "2"));
  };
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  EXPECT_EQ(written.error().code(), ErrorCode::InvalidArgument);
  inside = [] { throw std::runtime_error("disk full"); };
  EXPECT_EQ(store.add(part_pod("c", "3")).error().message(), "the push function threw: disk full");
  EXPECT_THAT(show_parts(store.list()), ElementsAre("a@1", "c@3")) << "it is stored";
}

TEST_F(UndeltaStoreTest, WritersOfSeveralThreadsArePushedInTurn) {
  std::vector<std::thread> writers;
  for (const std::string prefix : {"a", "b"}) {
    writers.emplace_back([this, prefix] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(store.add(part_pod(prefix + std::to_string(i), "1")));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  ASSERT_EQ(pushes.size(), 100U);
  for (std::size_t i = 0; i < pushes.size(); ++i) EXPECT_EQ(pushes[i].size(), i + 1);
}

}  // namespace
}  // namespace kube::cache
