// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/detail/delta_fifo.hpp>

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_cell;

Delta added(std::string_view key, std::string_view version) {
  return {.type = DeltaType::Added, .cell = make_cell(key, version)};
}
Delta updated(std::string_view key, std::string_view version) {
  return {.type = DeltaType::Updated, .cell = make_cell(key, version)};
}
Delta deleted(std::string_view key, std::string_view version) {
  return {.type = DeltaType::Deleted, .cell = make_cell(key, version)};
}
Delta bookmark(std::string_view version) {
  return {.type = DeltaType::Bookmark, .cell = make_cell("", version)};
}

std::string show(const DeltaFifo::Batch& batch, const Delta& delta) {
  const auto object = [&] {
    return std::string(delta.cell->key()) + "@" + std::string(delta.cell->resource_version());
  };
  switch (delta.type) {
    case DeltaType::Added:
      return "added " + object();
    case DeltaType::Updated:
      return "updated " + object();
    case DeltaType::Deleted:
      return "deleted " + object();
    case DeltaType::Replaced:
      return "replaced " + std::to_string(batch.list->items.size()) + "@" +
             batch.list->resource_version;
    case DeltaType::Sync:
      return "sync";
    case DeltaType::Bookmark:
      return "bookmark " + std::string(delta.cell->resource_version());
  }
  return "";
}

class DeltaFifoTest : public ::testing::Test {
 protected:
  // Takes and finishes a batch; with a '*' in front when it belongs to the initial state.
  std::vector<std::string> pop(std::size_t limit = DeltaFifo::kMaxBatch) {
    const DeltaFifo::Batch batch = fifo.pop_batch(limit);
    std::vector<std::string> result;
    for (const Delta& delta : batch.deltas) {
      result.push_back((batch.is_initial ? "*" : "") + show(batch, delta));
    }
    fifo.finished(batch);
    return result;
  }
  std::vector<std::string> pop_all() {
    std::vector<std::string> result;
    for (auto batch = pop(); !batch.empty(); batch = pop()) {
      result.insert(result.end(), batch.begin(), batch.end());
    }
    return result;
  }
  DeltaFifo fifo;
};

TEST_F(DeltaFifoTest, RFIFO_09_RFIFO_16_DeltasKeepTheirOrderOverAllKeysAndAreNotMerged) {
  fifo.push(added("a", "1"));
  fifo.push(added("b", "2"));
  fifo.push(updated("a", "3"));
  fifo.push(deleted("a", "4"));
  fifo.push(added("a", "5"));
  EXPECT_THAT(pop_all(),
              ElementsAre("added a@1", "added b@2", "updated a@3", "deleted a@4", "added a@5"));
}

TEST_F(DeltaFifoTest, RFIFO_11_ADeletionOfWhatWasNeverSeenIsDelivered) {
  fifo.push(deleted("a", "1"));
  EXPECT_THAT(pop_all(), ElementsAre("deleted a@1"));
}

TEST_F(DeltaFifoTest, RFIFO_26_AReplaceIsOneDeltaEvenWhenEmpty) {
  fifo.replace({make_cell("a", "1"), make_cell("b", "2")}, "7");
  fifo.replace({}, "8");
  EXPECT_EQ(fifo.size(), 2U);
  EXPECT_THAT(pop_all(), ElementsAre("*replaced 2@7", "replaced 0@8"));
}

TEST_F(DeltaFifoTest, RFIFO_12_RFIFO_27_AddThenReplaceDeliversBoth) {
  fifo.push(added("a", "1"));
  fifo.push(added("gone", "1"));
  fifo.replace({make_cell("a", "2")}, "7");
  EXPECT_THAT(pop_all(), ElementsAre("added a@1", "added gone@1", "replaced 1@7"))
      << "no deletion is made up";
}

TEST_F(DeltaFifoTest, RFIFO_28_ReplacesAreNotMerged) {
  fifo.replace({}, "1");
  fifo.replace({}, "2");
  fifo.replace({}, "3");
  EXPECT_THAT(pop_all(), ElementsAre("*replaced 0@1", "replaced 0@2", "replaced 0@3"));
}

TEST_F(DeltaFifoTest, RFIFO_29_RFIFO_30_BookmarksAndResyncsHaveTheirPlaceInTheOrder) {
  fifo.replace({}, "1");
  fifo.push(bookmark("2"));
  fifo.replace({}, "3");
  fifo.push(added("a", "4"));
  fifo.resync();
  EXPECT_THAT(pop_all(),
              ElementsAre("*replaced 0@1", "bookmark 2", "replaced 0@3", "added a@4", "sync"));
}

// The initial state is one delta, so no limit parts it; KnownQueue has the queue that hands it out
// in pieces.
TEST_F(DeltaFifoTest, TheInitialStateIsABatchOfItsOwnWhateverTheLimit) {
  fifo.replace({make_cell("a", "1"), make_cell("b", "2"), make_cell("c", "3")}, "3");
  fifo.push(updated("a", "4"));
  fifo.push(updated("b", "5"));
  EXPECT_THAT(pop(2), ElementsAre("*replaced 3@3"));
  EXPECT_THAT(pop(2), ElementsAre("updated a@4", "updated b@5"));
  EXPECT_THAT(pop(2), IsEmpty());

  DeltaFifo unlimited;
  unlimited.replace({make_cell("a", "1"), make_cell("b", "2"), make_cell("c", "3")}, "3");
  unlimited.push(updated("a", "4"));
  const DeltaFifo::Batch initial = unlimited.pop_batch(DeltaFifo::kMaxBatch);
  EXPECT_TRUE(initial.is_initial);
  ASSERT_EQ(initial.deltas.size(), 1U);
  EXPECT_EQ(show(initial, initial.deltas.front()), "replaced 3@3");
  unlimited.finished(initial);
  EXPECT_FALSE(unlimited.pop_batch(DeltaFifo::kMaxBatch).is_initial);
}

TEST_F(DeltaFifoTest, BatchesStopAtTheirLimit) {
  fifo.replace({}, "0");
  EXPECT_THAT(pop(), ElementsAre("*replaced 0@0"));
  for (int i = 1; i <= 3; ++i) fifo.push(added("k" + std::to_string(i), std::to_string(i)));
  EXPECT_THAT(pop(2), ElementsAre("added k1@1", "added k2@2"));
  EXPECT_THAT(pop(2), ElementsAre("added k3@3"));
  EXPECT_THAT(pop(2), IsEmpty());
}

TEST_F(DeltaFifoTest, WhatIsWholeStandsAloneInItsBatch) {
  fifo.push(added("a", "1"));
  fifo.push(added("b", "2"));
  fifo.replace({}, "3");
  fifo.push(updated("a", "4"));
  fifo.resync();
  fifo.push(updated("b", "5"));
  EXPECT_THAT(pop(), ElementsAre("added a@1", "added b@2"));
  EXPECT_THAT(pop(), ElementsAre("replaced 0@3"));
  EXPECT_THAT(pop(), ElementsAre("updated a@4"));
  EXPECT_THAT(pop(), ElementsAre("sync"));
  EXPECT_THAT(pop(), ElementsAre("updated b@5"));
}

TEST_F(DeltaFifoTest, RFIFO_33_RFIFO_36_SyncedOnlyWhenTheFirstReplaceHasBeenProcessed) {
  EXPECT_FALSE(fifo.has_synced());
  fifo.replace({}, "1");
  EXPECT_FALSE(fifo.has_synced()) << "even when it is empty";
  const DeltaFifo::Batch batch = fifo.pop_batch();
  EXPECT_TRUE(batch.is_initial);
  EXPECT_FALSE(fifo.has_synced()) << "taken is not processed";
  fifo.finished(batch);
  EXPECT_TRUE(fifo.has_synced());
  fifo.replace({make_cell("a", "2")}, "2");
  EXPECT_TRUE(fifo.has_synced()) << "stays so";
  EXPECT_FALSE(fifo.pop_batch().is_initial);
}

TEST_F(DeltaFifoTest, NothingButAListMakesTheInitialState) {
  fifo.push(bookmark("1"));
  fifo.resync();
  pop_all();
  EXPECT_FALSE(fifo.has_synced());
}

TEST(DeltaFifo, WhatIsClearedBeforeTheSyncIsNoPartOfTheInitialState) {
  DeltaFifo fifo;
  fifo.replace({make_cell("x/a", "1")}, "1");
  static_cast<void>(fifo.pop_batch());  // and never finished
  fifo.clear();
  EXPECT_FALSE(fifo.has_synced());
  fifo.replace({}, "2");
  const DeltaFifo::Batch batch = fifo.pop_batch();
  EXPECT_TRUE(batch.is_initial);
  fifo.finished(batch);
  EXPECT_TRUE(fifo.has_synced());
  fifo.clear();
  EXPECT_TRUE(fifo.has_synced());
}

// Two consumers share the initial state; what is queued behind it is processed meanwhile.
TEST(DeltaFifo, RFIFO_33_ASecondConsumerDoesNotMakeTheQueueSyncBeforeTheFirstIsDone) {
  DeltaFifo fifo(std::make_shared<Store>(meta::GroupResource{}));
  std::vector<CellRef> list;
  for (int i = 0; i < 10; ++i) list.push_back(make_cell("k" + std::to_string(i), "1"));
  fifo.replace(std::move(list), "1");
  for (int i = 0; i < 10; ++i) fifo.push(updated("k" + std::to_string(i), "2"));

  const DeltaFifo::Batch slow = fifo.pop_batch(5);
  const DeltaFifo::Batch rest = fifo.pop_batch(10);
  EXPECT_EQ(rest.deltas.size(), 5U) << "the batch ends with the initial state";
  EXPECT_TRUE(rest.is_initial);
  fifo.finished(rest);
  EXPECT_FALSE(fifo.has_synced());

  const DeltaFifo::Batch later = fifo.pop_batch(10);
  EXPECT_EQ(later.deltas.size(), 10U);
  EXPECT_FALSE(later.is_initial);
  fifo.finished(later);
  EXPECT_FALSE(fifo.has_synced()) << "the first five are not processed";
  fifo.finished(slow);
  EXPECT_TRUE(fifo.has_synced());
}

TEST(DeltaFifo, ABatchThatWasTakenBeforeTheListIsNoPartOfTheInitialState) {
  DeltaFifo fifo;
  fifo.push(bookmark("1"));
  const DeltaFifo::Batch before = fifo.pop_batch();
  fifo.replace({}, "2");
  fifo.finished(before);
  EXPECT_FALSE(fifo.has_synced());

  const DeltaFifo::Batch cleared = fifo.pop_batch();
  fifo.clear();
  fifo.replace({}, "3");
  fifo.finished(cleared);
  EXPECT_FALSE(fifo.has_synced());
  fifo.finished(fifo.pop_batch());
  EXPECT_TRUE(fifo.has_synced());
}

}  // namespace
}  // namespace kube::cache
