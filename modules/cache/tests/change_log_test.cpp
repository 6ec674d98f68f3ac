// SPDX-License-Identifier: Apache-2.0
#include "change_log.hpp"

#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "counted_cells.hpp"

namespace kube::cache {
namespace {

using testing::cells_alive;
using testing::counted_cell;

class ChangeLogTest : public ::testing::Test {
 protected:
  /// A change of the table alone: the log takes the old cell over.
  void change(CellRef old, const CellRef& now, std::size_t size) {
    log.plan(nullptr, old.get(), now.get());
    log.link(std::move(old), 0, size, 0);
    log.commit();
  }
  const std::shared_ptr<CellLeases> leases = std::make_shared<CellLeases>();
  ChangeLog log{*leases};
  const CellRef a = counted_cell("a");
  const CellRef b = counted_cell("b");
};

TEST_F(ChangeLogTest, AChangeIsLinkedAsAWholeAndCommittedAfterwards) {
  const ChangeRecord* before = log.committed();
  EXPECT_TRUE(before->ends_change);
  log.plan(nullptr, nullptr, a.get());
  log.plan(nullptr, nullptr, b.get());
  EXPECT_EQ(before->next.load(), nullptr) << "planned, not shown";
  const ChangeRecord* first = log.link({}, 0, 2, 20);
  EXPECT_EQ(before->next.load(), first);
  EXPECT_EQ(log.committed(), before);
  EXPECT_FALSE(first->ends_change);
  const ChangeRecord* last = first->next.load();
  EXPECT_TRUE(last->ends_change);
  EXPECT_EQ(last->size, 2U);
  EXPECT_EQ(last->bytes, 20U);
  log.commit();
  EXPECT_EQ(log.committed(), last);
}

TEST_F(ChangeLogTest, AReaderFindsWhatCameAfterItsBeginningUntilItEnds) {
  change({}, a, 1);
  const ChangeRecord* began = log.committed();
  log.mark(1);
  change(counted_cell("a"), b, 1);
  log.mark(2);
  EXPECT_EQ(cells_alive, 3);
  log.free_before(2);  // the reader is pinned at 2
  EXPECT_EQ(cells_alive, 3);
  EXPECT_EQ(began->next.load()->now, b.get());
  log.free_before(3);
  EXPECT_EQ(cells_alive, 2) << "the old cell is gone";
  EXPECT_EQ(log.committed()->size, 1U) << "the last record stays";
}

TEST_F(ChangeLogTest, RecordsAreUsedAgain) {
  change({}, a, 1);
  const ChangeRecord* used = log.committed();
  change(a, b, 1);
  log.mark(1);
  log.free_before(2);
  bool again = false;
  for (int i = 0; i < 2; ++i) {
    change(b, a, 1);
    again = again || log.committed() == used;
  }
  EXPECT_TRUE(again);
  EXPECT_EQ(log.committed()->next.load(), nullptr);
}

TEST_F(ChangeLogTest, WhatPiledUpDuringALongQueryIsFreed) {
  change({}, a, 1);
  for (std::size_t i = 0; i < 2 * ChangeLog::kMaxSpares; ++i) change(a, a, 1);
  log.mark(1);
  EXPECT_EQ(log.spares(), 0U);
  log.free_before(2);
  EXPECT_EQ(log.spares(), ChangeLog::kMaxSpares);
  for (int i = 0; i < 5; ++i) change(a, a, 1);
  EXPECT_EQ(log.spares(), ChangeLog::kMaxSpares - 5);
}

TEST_F(ChangeLogTest, TheEndOfALogLetsGoOfWhatItHolds) {
  {
    ChangeLog other(*leases);
    const CellRef old = counted_cell("a");
    other.plan(nullptr, old.get(), a.get());
    other.link(old, 0, 1, 0);
    other.commit();
  }
  EXPECT_EQ(cells_alive, 2);
}

}  // namespace
}  // namespace kube::cache
