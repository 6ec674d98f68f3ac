// SPDX-License-Identifier: Apache-2.0
#include "cell_leases.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/lister.hpp>

#include "all_cells.hpp"
#include "cached_pods.hpp"
#include "counted_cells.hpp"
#include "store_writer.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cells_alive;
using testing::counted_cell;

class CellLeasesTest : public ::testing::Test {
 protected:
  /// A cell that the store gets now.
  struct Stored {
    CellRef cell;
    std::uint32_t birth;
  };
  Stored store(std::string_view name) const { return {counted_cell(name), leases->birth()}; }
  void let_go(Stored& stored) { leases->let_go(std::exchange(stored.cell, {}), stored.birth); }

  const std::shared_ptr<CellLeases> leases = std::make_shared<CellLeases>();
};

TEST_F(CellLeasesTest, WithoutALeaseACellGoesAtOnce) {
  Stored a = store("a");
  let_go(a);
  EXPECT_EQ(cells_alive, 0);
  leases->begin();  // ends again
  Stored b = store("b");
  let_go(b);
  EXPECT_EQ(cells_alive, 0);
}

TEST_F(CellLeasesTest, ALeaseKeepsWhatWasThereWhenItBegan) {
  Stored a = store("a");
  CellLease lease = leases->begin();
  Stored later = store("later");
  let_go(a);
  let_go(later);
  EXPECT_EQ(cells_alive, 1) << "what came later does not wait for the lease";
  const CellLease copy = lease;
  lease.reset();
  EXPECT_EQ(cells_alive, 1);
}

TEST_F(CellLeasesTest, TheEndOfALeaseHandsOnWhatAnOlderOneNeeds) {
  Stored old = store("old");
  CellLease first = leases->begin();
  Stored young = store("young");
  CellLease second = leases->begin();
  let_go(old);
  let_go(young);
  CellLease third = leases->begin();
  EXPECT_EQ(cells_alive, 2);
  second.reset();
  EXPECT_EQ(cells_alive, 1) << "the first has not got the young one";
  EXPECT_EQ(leases->kept(), 1U);
  third.reset();
  EXPECT_EQ(cells_alive, 1);
  first.reset();
  EXPECT_EQ(cells_alive, 0);
}

// Or what died once would go from lease to lease as long as there are some.
TEST_F(CellLeasesTest, NothingIsHandedToALeaseThatBeganAfterwards) {
  Stored a = store("a");
  CellLease first = leases->begin();
  let_go(a);
  const CellLease later = leases->begin();
  first.reset();
  EXPECT_EQ(cells_alive, 0);
}

// The leases fill several blocks, whose places are used again.
TEST_F(CellLeasesTest, ManyLeasesAtOneTimeEachKeepWhatTheyNeed) {
  for (int round = 0; round < 2; ++round) {
    std::vector<CellLease> held;
    std::vector<Stored> cells;
    for (int i = 0; i < 300; ++i) {
      cells.push_back(store(std::to_string(i)));
      held.push_back(leases->begin());
    }
    for (Stored& cell : cells) let_go(cell);
    EXPECT_EQ(cells_alive, 300);
    for (int i = 0; i < 300; i += 2) held[static_cast<std::size_t>(i)].reset();
    EXPECT_EQ(cells_alive, 300) << "the last lease needs all";
    held.back().reset();
    EXPECT_EQ(cells_alive, 298) << "no lease is left that began after the last two";
    EXPECT_EQ(leases->kept(), 298U);
    held.clear();
    EXPECT_EQ(cells_alive, 0);
    EXPECT_EQ(leases->kept(), 0U);
  }
}

TEST_F(CellLeasesTest, ALeaseMayOutliveItsStore) {
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  std::vector<CellRef> items;
  for (int i = 0; i < 50; ++i) items.push_back(testing::pod_on(std::to_string(i), "node").ref());
  ASSERT_TRUE(writer.replace(items, "1"));
  items.clear();
  const CachedList<Pod> pods = Lister<Pod>(store).list();
  ASSERT_EQ(pods.size(), 50U);
  writer = StoreWriter(std::make_shared<Store>(meta::GroupResource{"", "pods"}));
  store.reset();
  for (const Cached<Pod>& pod : pods) EXPECT_EQ(pod->spec.node_name, "node");
}

/// A store of counted cells, and the list of them that a Lister would make.
class LeasedListTest : public ::testing::Test {
 protected:
  static constexpr int kCells = 100;
  LeasedListTest() { relist("1"); }
  void relist(const std::string& version) {
    std::vector<CellRef> items;
    for (int i = 0; i < kCells; ++i) items.push_back(counted_cell(std::to_string(i), version));
    EXPECT_TRUE(writer.replace(std::move(items), version));
  }
  void put(int i, const std::string& version) {
    Delta change{.type = DeltaType::Updated, .cell = counted_cell(std::to_string(i), version)};
    EXPECT_TRUE(writer.apply({&change, 1}));
  }
  CachedList<Pod> list() const {
    CachedSink<Pod> sink;
    store->list(sink);
    return sink.take();
  }
  static bool is_all_of(const CachedList<Pod>& list, std::string_view version) {
    for (const auto& pod : list) {
      if (pod.resource_version() != version) return false;
    }
    return list.size() == kCells;
  }

  std::shared_ptr<Store> store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer{store};
};

TEST_F(LeasedListTest, HoldsItsStateOfEachObjectAndNoOther) {
  CachedList<Pod> held = list();
  for (int round = 2; round < 5; ++round) {
    for (int i = 0; i < kCells; ++i) put(i, std::to_string(round));
  }
  EXPECT_TRUE(is_all_of(held, "1"));
  EXPECT_EQ(cells_alive, 2 * kCells);
  held = {};
  EXPECT_EQ(cells_alive, kCells);
}

TEST_F(LeasedListTest, HoldsItsStateThroughRelists) {
  CachedList<Pod> held = list();
  relist("2");
  relist("3");
  EXPECT_TRUE(is_all_of(held, "1"));
  EXPECT_EQ(cells_alive, 2 * kCells);
  const CachedList<Pod> copy = held;
  held = {};
  EXPECT_TRUE(is_all_of(copy, "1"));
}

TEST_F(LeasedListTest, HoldsWhatARelistHasLeft) {
  std::vector<CellRef> same = all_cells_of(*store);
  CachedList<Pod> held = list();
  EXPECT_TRUE(writer.replace(std::move(same), "2"));
  relist("3");
  EXPECT_TRUE(is_all_of(held, "1"));
  held = {};
  EXPECT_EQ(cells_alive, kCells);
}

TEST_F(LeasedListTest, ACopyKeepsItsObjectsAndNoOther) {
  CachedList<Pod> held = list();
  CachedList<Pod> copy = held;
  CachedList<Pod> assigned;
  assigned = held;
  held = {};
  relist("2");
  EXPECT_EQ(cells_alive, 2 * kCells);
  EXPECT_TRUE(is_all_of(copy, "1"));
  EXPECT_TRUE(is_all_of(assigned, "1"));
  for (CachedList<Pod>* list : {&copy, &assigned}) {
    for (std::size_t i = 1; i < list->size(); ++i) (*list)[i] = Cached<Pod>();
  }
  EXPECT_EQ(cells_alive, kCells + 1) << "what both have still";
}

TEST_F(LeasedListTest, AnAssignedListEndsItsElementsBeforeItsLease) {
  CachedList<Pod> held = list();
  relist("2");
  held = list();
  EXPECT_EQ(cells_alive, kCells);
  EXPECT_TRUE(is_all_of(held, "2"));
  const CachedList<Pod>& same = held;
  held = same;
  EXPECT_TRUE(is_all_of(held, "2"));
}

TEST_F(LeasedListTest, CopiesOfItsElementsLiveOn) {
  CachedList<Pod> held = list();
  const Cached<Pod> copy = held[3];
  const std::string name(copy.name());
  const Cached<Pod> moved = std::move(held[4]);
  std::vector<Cached<Pod>> all = std::move(held);
  relist("2");
  held = {};
  EXPECT_EQ(copy.name(), name);
  EXPECT_EQ(moved.resource_version(), "1");
  all.erase(all.begin(), all.begin() + 50);
  EXPECT_EQ(cells_alive, kCells + 52);
  for (const auto& pod : all) EXPECT_EQ(pod.resource_version(), "1");
}

TEST_F(LeasedListTest, CanBeSorted) {
  CachedList<Pod> held = list();
  std::sort(held.begin(), held.end(),
            [](const auto& a, const auto& b) { return a.name() > b.name(); });
  relist("2");
  EXPECT_EQ(held.front().name(), "99");
  EXPECT_EQ(held.back().name(), "0");
  EXPECT_TRUE(is_all_of(held, "1"));
}

TEST(LeasedList, ADecodedObjectLivesAsLongAsItsElement) {
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  std::vector<CellRef> items;
  for (int i = 0; i < 50; ++i) items.push_back(testing::pod_on(std::to_string(i), "node").ref());
  ASSERT_TRUE(writer.replace(std::move(items), "1"));
  const CachedList<Pod> pods = Lister<Pod>(store).list();
  const Pod& first = *pods[0];
  { const Cached<Pod> other = pods[0]; }
  EXPECT_EQ(first.spec.node_name, "node");
  EXPECT_EQ(&first, &*pods[0]) << "decoded once";
}

// Several threads may read the elements of one list while the writer lets go of their cells.
TEST(LeasedListStress, ListsEndOnAnyThreadWhileObjectsChange) {
  constexpr int kObjects = 64;
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  const Lister<Pod> lister(store);
  const auto relist = [&](const std::string& node) {
    std::vector<CellRef> items;
    for (int i = 0; i < kObjects; ++i)
      items.push_back(testing::pod_on("pod-" + std::to_string(i), node).ref());
    EXPECT_TRUE(writer.replace(std::move(items), "1"));
  };
  relist("first");
  std::atomic<bool> done{false};
  const auto read = [&] {
    std::vector<CachedList<Pod>> held;
    for (unsigned i = 0; !done; ++i) {
      const CachedList<Pod> pods = lister.list();
      EXPECT_EQ(pods.size(), std::size_t{kObjects});
      std::jthread helper;
      if (i % 8 == 0) helper = std::jthread([&] { EXPECT_FALSE(pods[1]->spec.node_name.empty()); });
      EXPECT_FALSE(pods[1]->spec.node_name.empty());
      for (const auto& pod : pods) EXPECT_EQ(pod.namespace_(), "web");
      held.push_back(pods);
      if (held.size() > 3) held.erase(held.begin() + i % 3);
    }
  };
  {
    std::jthread one(read);
    std::jthread two(read);
    for (int i = 0; i < 3'000; ++i) {
      Delta change{.type = DeltaType::Updated,
                   .cell = testing::pod_on("pod-" + std::to_string(i % kObjects), "next").ref()};
      EXPECT_TRUE(writer.apply({&change, 1}));
      if (i % 500 == 499) relist("again");
      if (i % 16 == 0) std::this_thread::yield();
    }
    done = true;
  }
  EXPECT_EQ(lister.list().size(), std::size_t{kObjects});
}

}  // namespace
}  // namespace kube::cache
