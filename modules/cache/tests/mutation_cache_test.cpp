// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/mutation_cache.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/detail/lru_expire_cache.hpp>
#include <kube/cache/store.hpp>
#include <kube/testing/fake_clock.hpp>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ns;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::node_of;
using testing::part_pod;
using testing::show_part;
using testing::show_parts;

class MutationCacheTest : public ::testing::Test {
 protected:
  MutationCacheTest() { make({.include_adds = true}); }
  void make(MutationCacheOptions options) {
    options.clock = clock;
    cache.emplace(store.indexer(), options);
  }
  /// A change that the watch brings: the store has it before the handler is called.
  void arrives(const Cached<Pod>& pod) {
    ASSERT_TRUE(store.add(pod));
    cache->handler().on_update(pod, pod);
  }
  void is_deleted(const Cached<Pod>& pod) {
    ASSERT_TRUE(store.remove(pod));
    cache->handler().on_delete({pod.object_key(), pod, false});
  }
  std::string get() { return show_part(cache->get_by_key("x/a")); }
  std::vector<std::string> on_node(std::string_view node) {
    return show_parts(cache->by_index("node", node).value());
  }

  std::shared_ptr<kube::testing::FakeClock> clock = std::make_shared<kube::testing::FakeClock>();
  kube::Store<Pod> store{StoreOptions<Pod>{.indexers = {{"node", node_of}}}};
  std::optional<MutationCache<Pod>> cache;
};

TEST_F(MutationCacheTest, MUT_01_AWriteIsForgottenWhenTheWatchHasItOrNewer) {
  cache->mutation(part_pod("x/a", "2"));
  cache->on_add_or_update(cached_part("x/a", "2"));
  EXPECT_THAT(cache->keys(), IsEmpty());
  cache->mutation(part_pod("x/a", "2"));
  cache->on_add_or_update(cached_part("x/a", "3"));
  EXPECT_THAT(cache->keys(), IsEmpty());
  cache->mutation(part_pod("x/a", "2"));
  cache->on_add_or_update(cached_part("x/a", "1"));
  EXPECT_THAT(cache->keys(), ElementsAre("x/a"));
  EXPECT_EQ(get(), "x/a@2");
}

TEST_F(MutationCacheTest, MUT_02_TheDeletionOfAnOlderVersionEndsTheWrite) {
  arrives(cached_part("x/a", "2"));
  cache->mutation(part_pod("x/a", "3"));
  EXPECT_EQ(get(), "x/a@3");
  is_deleted(cached_part("x/a", "2"));
  EXPECT_EQ(get(), "none");
}

TEST_F(MutationCacheTest, MUT_03_TheDeletionOfANewerObjectEndsTheWrite) {
  cache->mutation(part_pod("x/a", "3", "", "old"));
  is_deleted(cached_part("x/a", "4", "", "new"));
  EXPECT_EQ(get(), "none");
}

TEST_F(MutationCacheTest, MUT_04_TheDeletionOfAnOlderObjectLeavesTheWrite) {
  cache->mutation(part_pod("x/a", "3", "", "new"));
  is_deleted(cached_part("x/a", "2", "", "old"));
  EXPECT_EQ(get(), "x/a@3");
}

TEST_F(MutationCacheTest, MUT_05_AWriteThatIsReportedAfterTheDeletionIsNotShown) {
  arrives(cached_part("x/a", "1"));
  arrives(cached_part("x/a", "2"));
  is_deleted(cached_part("x/a", "2"));
  cache->mutation(part_pod("x/a", "2"));
  EXPECT_EQ(get(), "none");
  EXPECT_THAT(cache->keys(), ElementsAre("x/a")) << "the deletion";
}

TEST_F(MutationCacheTest, MUT_06_AWriteOfTheOldObjectDoesNotHideTheNewOne) {
  arrives(cached_part("x/a", "1", "", "old"));
  arrives(cached_part("x/a", "2", "", "old"));
  is_deleted(cached_part("x/a", "2", "", "old"));
  arrives(cached_part("x/a", "3", "", "new"));
  cache->mutation(part_pod("x/a", "2", "", "old"));
  EXPECT_EQ(get(), "x/a@3");
  EXPECT_THAT(cache->keys(), IsEmpty());
}

TEST_F(MutationCacheTest, MUT_07_AnAddedObjectIsFoundByIndexUntilItsDeletion) {
  cache->mutation(part_pod("x/a", "2", "n1"));
  EXPECT_THAT(on_node("n1"), ElementsAre("x/a@2"));
  cache->on_delete(cached_part("x/a", "2", "n1"));
  EXPECT_THAT(on_node("n1"), IsEmpty());
}

TEST_F(MutationCacheTest, MUT_08_WithoutAddsAnObjectThatTheCacheLacksIsAbsent) {
  make({.include_adds = false});
  cache->mutation(part_pod("x/a", "2", "n1"));
  EXPECT_EQ(get(), "none");
  EXPECT_THAT(on_node("n1"), IsEmpty());
  arrives(cached_part("x/a", "1", "n1"));
  EXPECT_EQ(get(), "x/a@2") << "a write of an object that is there";
}

TEST_F(MutationCacheTest, MUT_09_TheWriteThatWasUsedLeastRecentlyMakesRoomForThe101st) {
  for (int i = 0; i < 100; ++i) cache->mutation(part_pod("x/" + std::to_string(i), "2"));
  EXPECT_TRUE(cache->get_by_key("x/0")) << "used: not the next to go";
  cache->mutation(part_pod("x/100", "2"));
  EXPECT_EQ(cache->keys().size(), 100U);
  EXPECT_FALSE(cache->get_by_key("x/1"));
  EXPECT_TRUE(cache->get_by_key("x/0"));
  EXPECT_TRUE(cache->get_by_key("x/100"));
}

TEST_F(MutationCacheTest, MUT_10_AWriteIsForgottenAfterItsTime) {
  cache->mutation(part_pod("x/a", "2"));
  clock->advance(1min);
  EXPECT_EQ(get(), "x/a@2");
  clock->advance(1ns);
  EXPECT_EQ(get(), "none");
}

TEST_F(MutationCacheTest, DeletionsOfOthersDoNotPushOutWrites) {
  cache->mutation(part_pod("x/a", "2"));
  for (int i = 0; i < 200; ++i) cache->on_delete(cached_part("y/" + std::to_string(i), "1"));
  EXPECT_EQ(get(), "x/a@2");
  EXPECT_EQ(cache->keys().size(), 101U);
}

TEST_F(MutationCacheTest, ByIndexAWritesOwnValuesDecide) {
  arrives(cached_part("x/a", "1", "n1"));
  arrives(cached_part("x/b", "1", "n1"));
  cache->mutation(part_pod("x/a", "2", "n2"));
  EXPECT_THAT(on_node("n1"), ElementsAre("x/b@1"));
  EXPECT_THAT(on_node("n2"), ElementsAre("x/a@2"));
  arrives(cached_part("x/a", "3", "n1"));
  EXPECT_THAT(on_node("n1"), ElementsAre("x/a@3", "x/b@1"));
  EXPECT_THAT(on_node("n2"), IsEmpty());
  EXPECT_EQ(cache->by_index("none", "x").error().code(), ErrorCode::InvalidArgument);
}

TEST_F(MutationCacheTest, ByIndexAWriteWhoseIndexFunctionThrowsIsLeftOutAndReported) {
  kube::Store<Pod> throwing{StoreOptions<Pod>{
      .indexers = {{"node", [](const Cached<Pod>& pod) -> std::vector<std::string> {
                      if (pod.name() == "bad") throw std::runtime_error("no node");
                      return node_of(pod);
                    }}}}};
  std::vector<std::string> failed;
  MutationCacheOptions options{.include_adds = true, .clock = clock};
  MutationCache<Pod> silent(throwing.indexer(), options);
  options.index_failed = [&](std::string_view index, std::string_view key, const Error& error) {
    failed.push_back(std::string(index) + " " + std::string(key) + " " + error.to_string());
    throw std::runtime_error("so does this");
  };
  MutationCache<Pod> reporting(throwing.indexer(), options);
  for (MutationCache<Pod>* each : {&silent, &reporting}) {
    each->mutation(part_pod("x/bad", "2", "n1"));
    each->mutation(part_pod("x/good", "2", "n1"));
    EXPECT_THAT(show_parts(each->by_index("node", "n1").value()), ElementsAre("x/good@2"));
  }
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_THAT(failed[0], ::testing::HasSubstr("node x/bad "));
  EXPECT_THAT(failed[0], ::testing::HasSubstr("no node"));
}

TEST_F(MutationCacheTest, VersionsAreComparedAsNumbersAndWhatIsNoneYields) {
  arrives(cached_part("x/a", "9"));
  cache->mutation(part_pod("x/a", "10"));
  EXPECT_EQ(get(), "x/a@10");
  cache->mutation(part_pod("x/a", "9"));
  EXPECT_EQ(get(), "x/a@10") << "an older write of its own";
  arrives(cached_part("x/a", "abc"));
  EXPECT_EQ(get(), "x/a@abc");
}

TEST(LruExpireCache, ReplacesValuesAndRemovesByKey) {
  LruExpireCache<int> cache(2);
  const TimePoint now{};
  cache.add("a", 1, now);
  cache.add("a", 2, now);
  cache.add("b", 3, now);
  ASSERT_NE(cache.get("a", now), nullptr);
  EXPECT_EQ(*cache.get("a", now), 2);
  EXPECT_THAT(cache.keys(), ElementsAre("b", "a"));
  cache.remove("b");
  cache.remove("b");
  EXPECT_THAT(cache.keys(), ElementsAre("a"));
  EXPECT_EQ(cache.get("a", now + 1ns), nullptr);
  EXPECT_THAT(cache.keys(), IsEmpty());
}

}  // namespace
}  // namespace kube::cache
