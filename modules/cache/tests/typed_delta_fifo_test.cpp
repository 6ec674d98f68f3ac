// SPDX-License-Identifier: Apache-2.0
//
// The queue with types, known objects and blocking consumers; delta_fifo_test.cpp has what
// informers use of it.
#include <kube/cache/delta_fifo.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/shared_informer.hpp>
#include <kube/cache/store.hpp>
#include <kube/testing/fake_clock.hpp>

#include "part_pods.hpp"
#include "thread_memory.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::part_pod;
using testing::show_delta;
using testing::show_part;
using testing::show_parts;

using Queue = kube::DeltaFifo<Pod>;
using PodDelta = kube::Delta<Pod>;

/// A queue that knows the objects of a store.
class KnownQueue : public ::testing::Test {
 protected:
  void know(std::initializer_list<std::string_view> keys, std::string_view version) {
    for (const std::string_view key : keys) ASSERT_TRUE(known.add(part_pod(key, version)));
  }
  /// Takes all; with a '*' in front of what belongs to the initial list.
  std::vector<std::string> pop_all() {
    std::vector<std::string> popped;
    while (queue.size() > 0) {
      EXPECT_TRUE(queue.pop(
          [&](const PodDelta& delta, bool initial) -> Result<void> {
            popped.push_back((initial ? "*" : "") + show_delta(delta));
            return {};
          },
          {}));
    }
    return popped;
  }
  std::vector<std::string> pop_batch(std::size_t limit) {
    std::vector<std::string> popped;
    EXPECT_TRUE(
        queue.pop_batch(limit,
                        [&](const std::vector<PodDelta>& deltas, bool initial) -> Result<void> {
                          for (const PodDelta& delta : deltas) {
                            popped.push_back((initial ? "*" : "") + show_delta(delta));
                          }
                          return {};
                        },
                        {}));
    return popped;
  }
  void replace(std::initializer_list<std::string_view> keys, std::string_view version) {
    std::vector<Cached<Pod>> list;
    for (const std::string_view key : keys) list.push_back(cached_part(key, version));
    ASSERT_TRUE(queue.replace(std::move(list), version));
  }

  kube::Store<Pod> known;
  Queue queue{DeltaFifoOptions<Pod>{.known_objects = known.indexer()}};
};

TEST_F(KnownQueue, RFIFO_02_DFIFO_02_AListAfterADeletionBringsTheNewObject) {
  know({"foo"}, "1");
  ASSERT_TRUE(queue.remove(part_pod("foo", "2")));
  replace({"foo"}, "3");
  EXPECT_THAT(pop_all(), ElementsAre("deleted foo@2", "replaced foo@3"));
}

TEST_F(KnownQueue, RFIFO_03_AListWithoutAQueuedObjectInfersItsDeletion) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  replace({}, "2");
  EXPECT_THAT(pop_all(), ElementsAre("added foo@1", "tombstone foo@1"));
}

TEST_F(KnownQueue, RFIFO_04_DFIFO_05_ADeletedObjectIsNotDeletedAgain) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  ASSERT_TRUE(queue.remove(part_pod("foo", "2")));
  replace({}, "3");
  EXPECT_THAT(pop_all(), ElementsAre("added foo@1", "deleted foo@2"));
}

TEST_F(KnownQueue, RFIFO_05_EachListCountsAndTheTombstoneHasTheNewestState) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  replace({"foo"}, "2");
  replace({"foo"}, "3");
  replace({}, "4");
  EXPECT_THAT(pop_all(),
              ElementsAre("added foo@1", "replaced foo@2", "replaced foo@3", "tombstone foo@3"));
}

TEST_F(KnownQueue, DFIFO_04_DFIFO_17_AListsObjectsAreReplacedAndThenGone) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  replace({"foo"}, "2");
  replace({}, "3");
  EXPECT_THAT(pop_all(), ElementsAre("added foo@1", "replaced foo@2", "tombstone foo@2"));
}

TEST_F(KnownQueue, RFIFO_06_DFIFO_07_TwoEmptyListsMakeOneTombstone) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  replace({}, "2");
  replace({}, "3");
  EXPECT_THAT(pop_all(), ElementsAre("added foo@1", "tombstone foo@1"));
}

TEST_F(KnownQueue, RFIFO_07_DFIFO_08_ADeletedAndRecreatedObjectIsInferredDeletedInItsNewState) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  ASSERT_TRUE(queue.remove(part_pod("foo", "2")));
  ASSERT_TRUE(queue.add(part_pod("foo", "3")));
  replace({}, "4");
  EXPECT_THAT(pop_all(),
              ElementsAre("added foo@1", "deleted foo@2", "added foo@3", "tombstone foo@3"));
}

TEST_F(KnownQueue, RFIFO_08_ABookmarkQueuesNothing) {
  ASSERT_TRUE(queue.bookmark("5"));
  EXPECT_EQ(queue.size(), 0U);
}

TEST_F(KnownQueue, RFIFO_13_DFIFO_13_DFIFO_14_AResyncLeavesOutWhatIsQueued) {
  know({"foo"}, "1");
  ASSERT_TRUE(queue.remove(part_pod("foo", "2")));
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(pop_all(), ElementsAre("deleted foo@2"));
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(pop_all(), ElementsAre("sync foo@1"));
  ASSERT_TRUE(queue.update(part_pod("foo", "3")));
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(pop_all(), ElementsAre("updated foo@3"));
}

TEST_F(KnownQueue, DFIFO_15_AnUnknownObjectsAdditionAndDeletionAreBothDelivered) {
  ASSERT_TRUE(queue.add(part_pod("foo", "1")));
  ASSERT_TRUE(queue.remove(part_pod("foo", "2")));
  EXPECT_THAT(pop_all(), ElementsAre("added foo@1", "deleted foo@2"));
}

TEST_F(KnownQueue, RFIFO_14_DFIFO_16_AListIsComparedWithTheQueueAndWithWhatIsKnown) {
  know({"foo", "bar", "baz"}, "1");
  ASSERT_TRUE(queue.remove(part_pod("baz", "10")));
  replace({"foo"}, "5");
  EXPECT_THAT(pop_all(), ElementsAre("deleted baz@10", "tombstone bar@1", "replaced foo@5"));

  ASSERT_TRUE(queue.add(part_pod("baz", "10")));
  replace({"foo"}, "6");
  EXPECT_THAT(pop_all(),
              ElementsAre("added baz@10", "tombstone baz@10", "tombstone bar@1", "replaced foo@6"));

  ASSERT_TRUE(queue.remove(part_pod("bar", "6")));
  ASSERT_TRUE(queue.add(part_pod("bar", "100")));
  replace({"foo"}, "7");
  EXPECT_THAT(pop_all(), ElementsAre("deleted bar@6", "added bar@100", "tombstone bar@100",
                                     "tombstone baz@1", "replaced foo@7"));

  replace({"foo", "bar", "baz"}, "8");
  replace({"foo"}, "9");
  EXPECT_THAT(pop_all(), ElementsAre("replaced foo@8", "replaced bar@8", "replaced baz@8",
                                     "tombstone bar@8", "tombstone baz@8", "replaced foo@9"));
}

TEST_F(KnownQueue, RFIFO_15_DFIFO_18_InferredDeletionsBelongToTheInitialList) {
  know({"foo", "bar", "baz"}, "1");
  replace({"foo"}, "5");
  std::vector<bool> synced;
  std::vector<bool> initial;
  for (int i = 0; i < 3; ++i) {
    synced.push_back(queue.has_synced());
    ASSERT_TRUE(queue.pop(
        [&](const PodDelta&, bool is_initial) -> Result<void> {
          initial.push_back(is_initial);
          EXPECT_FALSE(queue.has_synced()) << "before the last has been processed";
          return {};
        },
        {}));
  }
  EXPECT_THAT(synced, ElementsAre(false, false, false));
  EXPECT_THAT(initial, ElementsAre(true, true, true));
  EXPECT_TRUE(queue.has_synced());
}

TEST_F(KnownQueue, RFIFO_18_SyncedWhenTheFirstListHasBeenTaken) {
  const auto fresh = [&] { return DeltaFifoOptions<Pod>{.known_objects = known.indexer()}; };
  const auto pop = [](Queue& from) {
    EXPECT_TRUE(from.pop([](const PodDelta&, bool) { return Result<void>(); }, {}));
  };
  {
    Queue nothing(fresh());
    EXPECT_FALSE(nothing.has_synced());
  }
  {
    Queue added(fresh());
    ASSERT_TRUE(added.add(part_pod("a", "1")));
    EXPECT_TRUE(added.has_synced());
  }
  {
    Queue empty(fresh());
    ASSERT_TRUE(empty.replace({}, "0"));
    EXPECT_TRUE(empty.has_synced());
  }
  for (const char* second : {"b", "a"}) {
    Queue two(fresh());
    ASSERT_TRUE(two.replace({cached_part("a", "1"), cached_part(second, "2")}, "2"));
    EXPECT_FALSE(two.has_synced());
    pop(two);
    EXPECT_FALSE(two.has_synced());
    pop(two);
    EXPECT_TRUE(two.has_synced());
  }
}

TEST_F(KnownQueue, RFIFO_20_RFIFO_21_ABatchIsInitialAsLongAsTheFirstListIsProcessed) {
  replace({"1", "2", "3"}, "1");
  EXPECT_THAT(pop_batch(100), ElementsAre("*replaced 1@1", "*replaced 2@1", "*replaced 3@1"));

  Queue two({.known_objects = known.indexer()});
  ASSERT_TRUE(two.replace({cached_part("1", "1"), cached_part("2", "1")}, "1"));
  ASSERT_TRUE(two.update(part_pod("1", "2")));
  ASSERT_TRUE(two.update(part_pod("2", "3")));
  std::vector<std::string> batches;
  const auto note = [&](const std::vector<PodDelta>& deltas, bool initial) -> Result<void> {
    batches.emplace_back(initial ? "initial" : "later");
    for (const PodDelta& delta : deltas) batches.push_back(show_delta(delta));
    return {};
  };
  ASSERT_TRUE(two.pop_batch(2, note));
  ASSERT_TRUE(two.pop_batch(2, note));
  EXPECT_THAT(batches, ElementsAre("initial", "replaced 1@1", "replaced 2@1", "later",
                                   "updated 1@2", "updated 2@3"));
}

TEST_F(KnownQueue, RFIFO_23_BatchesDoNotMixTheInitialListWithLaterChanges) {
  replace({"1", "2"}, "1");
  ASSERT_TRUE(queue.update(part_pod("2", "2")));
  ASSERT_TRUE(queue.update(part_pod("3", "3")));
  EXPECT_THAT(pop_batch(100), ElementsAre("*replaced 1@1", "*replaced 2@1"));
  EXPECT_THAT(pop_batch(100), ElementsAre("updated 2@2", "updated 3@3"));

  Queue three({.known_objects = known.indexer()});
  ASSERT_TRUE(
      three.replace({cached_part("1", "1"), cached_part("2", "1"), cached_part("3", "1")}, "1"));
  ASSERT_TRUE(three.update(part_pod("2", "2")));
  std::vector<std::size_t> sizes;
  while (three.size() > 0) {
    ASSERT_TRUE(
        three.pop_batch(100,
                        [&](const std::vector<PodDelta>& deltas, bool initial) -> Result<void> {
                          EXPECT_EQ(initial, sizes.empty());
                          sizes.push_back(deltas.size());
                          return {};
                        },
                        {}));
  }
  EXPECT_THAT(sizes, ElementsAre(3U, 1U));
}

TEST_F(KnownQueue, RFIFO_24_ALimitPartsTheInitialListAndWhatFollows) {
  replace({"1", "2", "3"}, "1");
  ASSERT_TRUE(queue.update(part_pod("4", "2")));
  EXPECT_THAT(pop_batch(2), ElementsAre("*replaced 1@1", "*replaced 2@1"));
  EXPECT_THAT(pop_batch(2), ElementsAre("*replaced 3@1"));
  EXPECT_THAT(pop_batch(2), ElementsAre("updated 4@2"));
  for (const char* key : {"1", "2", "3"}) ASSERT_TRUE(queue.add(part_pod(key, "9")));
  EXPECT_THAT(pop_batch(2), ElementsAre("added 1@9", "added 2@9"));
  EXPECT_THAT(pop_batch(2), ElementsAre("added 3@9"));
}

TEST_F(KnownQueue, WhatIsBeingProcessedCountsAsQueued) {
  know({"foo"}, "1");
  ASSERT_TRUE(queue.add(part_pod("bar", "2")));
  ASSERT_TRUE(queue.pop(
      [&](const PodDelta& delta, bool) -> Result<void> {
        replace({"foo"}, "3");  // the consumer has not stored bar yet
        EXPECT_TRUE(queue.resync());
        return known.add(delta.object);
      },
      {}));
  EXPECT_THAT(pop_all(), ElementsAre("tombstone bar@2", "replaced foo@3"));
}

TEST(TypedDeltaFifo, RFIFO_10_DFIFO_10_ATransformChangesEachObjectOnceAndNoTombstone) {
  kube::Store<Pod> known;
  std::map<std::string, int> runs;
  Queue queue({.transform = [&](Pod pod) -> Result<Pod> {
                 ++runs[pod.metadata.name];
                 pod.spec.node_name += "!";
                 return pod;
               },
               .known_objects = known.indexer()});
  ASSERT_TRUE(queue.add(part_pod("queued", "1", "n")));
  ASSERT_TRUE(queue.replace({cached_part("listed", "2", "n")}, "2"));
  ASSERT_TRUE(queue.remove({{"", "gone"}, cached_part("gone", "3", "n!"), true}));
  std::vector<std::string> nodes;
  while (queue.size() > 0) {
    ASSERT_TRUE(queue.pop(
        [&](const PodDelta& delta, bool) -> Result<void> {
          nodes.push_back(show_delta(delta) + " " + delta.object->spec.node_name);
          return delta.type == DeltaType::Deleted ? known.remove(delta.object)
                                                  : known.add(delta.object);
        },
        {}));
  }
  ASSERT_TRUE(queue.resync());
  EXPECT_THAT(show_parts(queue.list()), ElementsAre("listed@2"));
  EXPECT_THAT(nodes, ElementsAre("added queued@1 n!", "tombstone queued@1 n!",
                                 "replaced listed@2 n!", "tombstone gone@3 n!"));
  EXPECT_EQ(runs, (std::map<std::string, int>{{"queued", 1}, {"listed", 1}}));
}

TEST(TypedDeltaFifo, WithoutKnownObjectsListsResyncsAndBookmarksAreWhole) {
  Queue queue;
  ASSERT_TRUE(queue.replace({cached_part("a", "1"), cached_part("b", "1")}, "7"));
  ASSERT_TRUE(queue.bookmark("8"));
  ASSERT_TRUE(queue.resync());
  EXPECT_EQ(queue.size(), 3U);
  std::vector<std::string> popped;
  while (queue.size() > 0) {
    ASSERT_TRUE(queue.pop(
        [&](const PodDelta& delta, bool) -> Result<void> {
          popped.push_back(show_delta(delta));
          return {};
        },
        {}));
  }
  EXPECT_THAT(popped, ElementsAre("list of 2@7", "bookmark 8", "sync all"));
}

TEST(TypedDeltaFifo, ListAndGetShowWhatIsQueued) {
  Queue queue;
  ASSERT_TRUE(queue.replace({cached_part("a", "1"), cached_part("b", "1")}, "1"));
  ASSERT_TRUE(queue.update(part_pod("a", "2")));
  ASSERT_TRUE(queue.remove(part_pod("b", "3")));
  ASSERT_TRUE(queue.bookmark("4"));
  EXPECT_THAT(show_parts(queue.list()), ElementsAre("a@2", "b@3"));
  EXPECT_THAT(queue.list_keys(), ElementsAre("a", "b"));
  const auto deltas = queue.get(cached_part("a", ""));
  ASSERT_EQ(deltas->size(), 2U);
  EXPECT_EQ(show_delta((*deltas)[0]), "replaced a@1");
  EXPECT_EQ(show_delta((*deltas)[1]), "updated a@2");
  EXPECT_THAT(queue.get_by_key("none"), IsEmpty());
  EXPECT_EQ(queue.size(), 4U) << "nothing is taken";
}

TEST(TypedDeltaFifo, RFIFO_17_DFIFO_20_KeysOfObjectsTombstonesAndTheirDeltas) {
  Queue queue({.key_func = [](const Cached<Pod>& pod) -> Result<std::string> {
    return "key of " + std::string(pod.name());
  }});
  const Cached<Pod> object = cached_part("x/a", "1");
  EXPECT_EQ(*queue.key_of(object), "key of a");
  EXPECT_EQ(*queue.key_of(DeletedObject<Pod>{{"x", "a"}, object, false}), "key of a");
  EXPECT_EQ(*queue.key_of(DeletedObject<Pod>{{"x", "a"}, object, true}), "x/a") << "a tombstone";
  ASSERT_TRUE(queue.add(object));
  ASSERT_TRUE(queue.remove(DeletedObject<Pod>{{"x", "gone"}, Cached<Pod>(), true}));
  std::vector<PodDelta> deltas = queue.get_by_key("key of a");
  ASSERT_EQ(deltas.size(), 1U);
  EXPECT_EQ(*queue.key_of(deltas.front()), "key of a");
  EXPECT_EQ(*queue.key_of(deltas), "key of a");
  const std::vector<PodDelta> tombstones = queue.get_by_key("x/gone");
  ASSERT_EQ(tombstones.size(), 1U);
  EXPECT_EQ(*queue.key_of(DeletedObject<Pod>{{"x", "gone"}, Cached<Pod>(), true}), "x/gone");
  EXPECT_EQ(*queue.key_of(tombstones.front()), "x/gone");
  EXPECT_EQ(*queue.key_of(tombstones), "x/gone");
  EXPECT_FALSE(queue.key_of(std::vector<PodDelta>()));
  EXPECT_FALSE(queue.key_of(Cached<Pod>()));
}

TEST(TypedDeltaFifo, AKeyOrATransformThatFailsQueuesNothing) {
  bool key_fails = true;
  Queue queue({.key_func = [&](const Cached<Pod>& pod) -> Result<std::string> {
                 if (key_fails) return Error(ErrorCode::InvalidArgument, "no key");
                 return std::string(pod.name());
               },
               .transform = [](Pod) -> Result<Pod> { throw std::runtime_error("broken"); }});
  EXPECT_EQ(queue.add(part_pod("a", "1")).error().message(), "no key");
  EXPECT_FALSE(queue.replace({cached_part("a", "1")}, "1"));
  key_fails = false;
  EXPECT_EQ(queue.update(part_pod("a", "1")).error().code(), ErrorCode::Internal);
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_FALSE(queue.has_synced()) << "not populated";
}

TEST(TypedDeltaFifo, ADeletionIsQueuedAsItIsWhenItsTransformFails) {
  Queue queue({.transform = [](Pod) -> Result<Pod> { throw std::runtime_error("broken"); }});
  ASSERT_TRUE(queue.remove(cached_part("x/a", "2", "n")));
  ASSERT_TRUE(queue.pop([](const PodDelta& delta, bool) -> Result<void> {
    EXPECT_EQ(show_delta(delta), "deleted x/a@2");
    EXPECT_EQ(delta.object->spec.node_name, "n");
    return {};
  }));
}

TEST(TypedDeltaFifo, TheErrorOfAProcessFunctionIsReturnedAndTheDeltaCounts) {
  Queue queue;
  ASSERT_TRUE(queue.replace({}, "1"));
  const auto failed = queue.pop(
      [](const PodDelta&, bool) -> Result<void> { return Error(ErrorCode::Server, "no"); }, {});
  EXPECT_EQ(failed.error().code(), ErrorCode::Server);
  EXPECT_TRUE(queue.has_synced());
  ASSERT_TRUE(queue.add(part_pod("a", "1")));
  EXPECT_THROW(
      static_cast<void>(queue.pop(
          [](const PodDelta&, bool) -> Result<void> { throw std::runtime_error("x"); }, {})),
      std::runtime_error);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(TypedDeltaFifo, RFIFO_01_DFIFO_01_EachProducersOrderIsKept) {
  Queue queue;
  constexpr int kEach = 500;
  const auto produce = [&](const std::string& prefix) {
    for (int i = 0; i < kEach; ++i) {
      EXPECT_TRUE(queue.add(part_pod(prefix + std::to_string(i), std::to_string(i + 1))));
    }
  };
  std::thread a(produce, "a");
  std::thread b(produce, "b");
  std::map<char, std::vector<int>> seen;
  for (int i = 0; i < 2 * kEach; ++i) {
    ASSERT_TRUE(queue.pop(
        [&](const PodDelta& delta, bool) -> Result<void> {
          const std::string name(delta.object.name());
          seen[name[0]].push_back(std::stoi(name.substr(1)));
          return {};
        },
        {}));
  }
  a.join();
  b.join();
  for (const char producer : {'a', 'b'}) {
    ASSERT_EQ(seen[producer].size(), static_cast<std::size_t>(kEach));
    EXPECT_TRUE(std::is_sorted(seen[producer].begin(), seen[producer].end()));
  }
}

TEST(TypedDeltaFifo, RFIFO_19_DFIFO_22_CloseEndsTenBlockedPops) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  Queue queue({.clock = clock});
  std::atomic<int> cancelled{0};
  std::vector<std::thread> consumers;
  for (int i = 0; i < 10; ++i) {
    consumers.emplace_back([&] {
      const auto popped = queue.pop([](const PodDelta&, bool) { return Result<void>(); }, {});
      if (!popped && popped.error().code() == ErrorCode::Cancelled) ++cancelled;
    });
  }
  EXPECT_TRUE(clock->await_blocked(10));
  queue.close();
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(cancelled, 10);
  EXPECT_TRUE(queue.is_closed());
}

TEST(TypedDeltaFifo, APopCanBeStopped) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  Queue queue({.clock = clock});
  std::stop_source stop;
  Result<void> popped;
  std::thread consumer([&] {
    popped = queue.pop([](const PodDelta&, bool) { return Result<void>(); }, stop.get_token());
  });
  EXPECT_TRUE(clock->await_blocked(1));
  stop.request_stop();
  consumer.join();
  EXPECT_EQ(popped.error().message(), "stopped while waiting for a delta");
  ASSERT_TRUE(queue.add(part_pod("a", "1")));
  EXPECT_TRUE(queue.pop([](const PodDelta&, bool) { return Result<void>(); }, stop.get_token()))
      << "what is queued can be taken";
}

TEST(TypedDeltaFifo, AClosedQueueGivesTheRestAndTakesNothing) {
  Queue queue;
  ASSERT_TRUE(queue.add(part_pod("a", "1")));
  queue.close();
  EXPECT_EQ(queue.add(part_pod("b", "2")).error().code(), ErrorCode::Cancelled);
  EXPECT_FALSE(queue.replace({}, "3"));
  EXPECT_FALSE(queue.resync());
  EXPECT_FALSE(queue.bookmark("4"));
  EXPECT_TRUE(queue.pop([](const PodDelta&, bool) { return Result<void>(); }, {}));
  EXPECT_EQ(queue.pop([](const PodDelta&, bool) { return Result<void>(); }, {}).error().message(),
            "the queue is closed");
}

TEST(TypedDeltaFifo, RFIFO_31_OneConsumerTakesChangesAndListsUntilClose) {
  Queue queue;
  std::vector<std::string> popped;
  std::thread consumer([&] {
    while (queue.pop(
        [&](const PodDelta& delta, bool) -> Result<void> {
          popped.push_back(show_delta(delta));
          return {};
        },
        {})) {
    }
  });
  EXPECT_TRUE(queue.add(part_pod("a", "1")));
  EXPECT_TRUE(queue.replace({cached_part("b", "2")}, "2"));
  EXPECT_TRUE(queue.add(part_pod("c", "3")));
  queue.close();
  consumer.join();
  EXPECT_THAT(popped, ElementsAre("added a@1", "list of 1@2", "added c@3"));
}

TEST(TypedDeltaFifo, ItsSyncCanBeWaitedForAsThatOfAnInformer) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  Queue queue({.clock = clock});
  ASSERT_TRUE(queue.replace({}, "1"));
  bool synced = false;
  std::thread waiter([&] { synced = wait_for_cache_sync({}, queue); });
  EXPECT_TRUE(clock->await_blocked(1));
  EXPECT_TRUE(queue.pop([](const PodDelta&, bool) { return Result<void>(); }, {}));
  waiter.join();
  EXPECT_TRUE(synced);
  Queue closed;
  closed.close();
  EXPECT_FALSE(closed.wait_for_sync({}));
}

TEST(TypedDeltaFifo, OfWhatAConsumerProcessesTheStateIsKnown) {
  kube::Store<Pod> known;
  Queue queue({.transform = [](Pod pod) -> Result<Pod> {
                 if (pod.spec.node_name == "bad") throw std::runtime_error("not this pod");
                 return pod;
               },
               .known_objects = known.indexer()});
  ASSERT_TRUE(queue.add(cached_part("x/a", "1", "n1")));
  ASSERT_TRUE(queue.pop([&](const PodDelta& delta, bool) -> Result<void> {
    EXPECT_FALSE(queue.replace({cached_part("x/a", "5", "bad")}, "9"));  // says what it left out
    return known.add(delta.object);
  }));
  ASSERT_EQ(queue.size(), 1U);
  ASSERT_TRUE(queue.pop([&](const PodDelta& delta, bool) -> Result<void> {
    EXPECT_EQ(show_delta(delta), "replaced x/a@1");
    return {};
  }));
}

TEST(TypedDeltaFifo, ALookAtOneKeyCopiesNoOther) {
  if (!kube::testing::can_take_memory()) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  std::vector<std::size_t> costs;
  for (const int others : {10, 10'000}) {
    Queue queue;
    std::vector<Cached<Pod>> list;
    for (int i = 0; i < others; ++i) {
      ASSERT_TRUE(queue.add(cached_part("x/p" + std::to_string(i), "1", "n1")));
      list.push_back(cached_part("x/q" + std::to_string(i), "1", "n1"));
    }
    ASSERT_TRUE(queue.replace(std::move(list), "2"));
    ASSERT_TRUE(queue.add(cached_part("x/a", "3", "n1")));
    const std::size_t before = kube::testing::allocated_bytes();
    EXPECT_EQ(queue.get_by_key("x/a").size(), 1U);
    EXPECT_EQ(queue.get_by_key("x/q7").size(), 1U);
    costs.push_back(kube::testing::allocated_bytes() - before);
  }
  EXPECT_EQ(costs[0], costs[1]);
}

}  // namespace
}  // namespace kube::cache
