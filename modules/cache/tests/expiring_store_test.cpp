// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/expiring_store.hpp>

#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/fake_clock.hpp>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::part_pod;
using testing::show_part;
using testing::show_parts;
using ::testing::UnorderedElementsAre;

/// A policy by which the entries with these keys have expired.
class ExpiringStoreTest : public ::testing::Test {
 protected:
  std::set<std::string, std::less<>> expired;
  int asked = 0;
  ExpiringStore<Pod> store{
      ExpiringStoreOptions<Pod>{.policy = [this](const TimestampedEntry<Pod>& entry) {
        ++asked;
        return expired.contains(entry.object.key());
      }}};
};

TEST_F(ExpiringStoreTest, EXP_01_AnExpiredEntryIsAbsentAndRemovedOnce) {
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  expired = {"a"};
  EXPECT_FALSE(*store.get(cached_part("a", "")));
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(store.list_keys(), IsEmpty());
  EXPECT_FALSE(*store.get(cached_part("a", "")));
  EXPECT_EQ(asked, 1) << "there is nothing left to remove";
}

TEST_F(ExpiringStoreTest, EXP_02_WhatIsAddedAfterwardsIsThere) {
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  expired = {"a"};
  EXPECT_FALSE(store.get_by_key("a"));
  expired = {};
  ASSERT_TRUE(store.add(part_pod("a", "2")));
  EXPECT_EQ(show_part(*store.get(cached_part("a", ""))), "a@2");
}

TEST_F(ExpiringStoreTest, EXP_03_AListHasTheLiveOnesAndRemovesTheOthers) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(store.add(part_pod(key, "1")));
  expired = {"a", "c"};
  EXPECT_THAT(show_parts(store.list()), ElementsAre("b@1"));
  EXPECT_THAT(store.list_keys(), ElementsAre("b"));
}

TEST_F(ExpiringStoreTest, EXP_06_KeysOfExpiredEntriesAreListedUntilTheyAreRead) {
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  ASSERT_TRUE(store.add(part_pod("b", "1")));
  expired = {"a"};
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("a", "b"));
  EXPECT_FALSE(store.get_by_key("a"));
  EXPECT_THAT(store.list_keys(), ElementsAre("b"));
}

TEST(TtlPolicy, EXP_04_AnEntryExpiresAfterItsTimeAndNotAtItsEnd) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  const auto policy = ttl_policy<Pod>(30s, clock);
  const TimestampedEntry<Pod> entry{cached_part("a", "1"), clock->now()};
  EXPECT_FALSE(policy(entry));
  clock->advance(30s);
  EXPECT_FALSE(policy(entry));
  clock->advance(1ns);
  EXPECT_TRUE(policy(entry));
}

TEST(TtlPolicy, EXP_05_WithoutATimeNothingExpires) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  const TimestampedEntry<Pod> entry{cached_part("a", "1"), clock->now()};
  clock->advance(std::chrono::hours(24 * 365));
  EXPECT_FALSE(ttl_policy<Pod>(0s, clock)(entry));
  EXPECT_FALSE(ttl_policy<Pod>(-1s, clock)(entry));
}

TEST(ExpiringStore, EachWriteStartsTheTimeAgain) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  ExpiringStore<Pod> store(30s, clock);
  ASSERT_TRUE(store.add(part_pod("a", "1")));
  ASSERT_TRUE(store.add(part_pod("b", "1")));
  clock->advance(20s);
  ASSERT_TRUE(store.update(part_pod("a", "2")));
  clock->advance(20s);
  EXPECT_EQ(show_part(store.get_by_key("a")), "a@2");
  EXPECT_FALSE(store.get_by_key("b"));
  ASSERT_TRUE(store.replace({cached_part("c", "3")}, "3"));
  clock->advance(20s);
  EXPECT_THAT(show_parts(store.list()), ElementsAre("c@3"));
  clock->advance(20s);
  EXPECT_THAT(show_parts(store.list()), IsEmpty());
}

TEST(ExpiringStore, AnEntryThatIsReplacedWhileThePolicyLooksStays) {
  std::unique_ptr<ExpiringStore<Pod>> store;
  bool replace = true;
  bool expires = true;
  store = std::make_unique<ExpiringStore<Pod>>(
      ExpiringStoreOptions<Pod>{.policy = [&](const TimestampedEntry<Pod>&) {
        if (std::exchange(replace, false)) {
          EXPECT_TRUE(store->add(part_pod("a", "2")));
        }
        return expires;
      }});
  ASSERT_TRUE(store->add(part_pod("a", "1")));
  EXPECT_FALSE(store->get_by_key("a"));
  EXPECT_THAT(store->list_keys(), ElementsAre("a")) << "the new one has not been looked at";
  expires = false;
  EXPECT_EQ(show_part(store->get_by_key("a")), "a@2");
}

}  // namespace
}  // namespace kube::cache
