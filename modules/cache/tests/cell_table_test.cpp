// SPDX-License-Identifier: Apache-2.0
#include "cell_table.hpp"

#include <map>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "cell_index.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using testing::make_cell;

// Both tables move cells about when one is erased; a long random walk beside a std container finds
// every way to lose one.
TEST(CellTable, HoldsWhatAMapHoldsAfterAnySequenceOfChanges) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    CellTable table;
    std::map<std::string, CellRef> model;
    for (unsigned step = 0; step < 3000; ++step) {
      const std::string key = "ns/pod-" + std::to_string(random() % (1 + step % 300));
      const std::size_t hash = hash_key(key);
      if (random() % 3 != 0) {
        CellRef cell = make_cell(key, std::to_string(step));
        if (table.is_full()) table.grow_into(table.more_room());
        const CellRef old = table.put(cell, hash);
        EXPECT_EQ(old, model[key]);
        model[key] = cell;
      } else {
        const CellRef old = table.erase(key, hash);
        const auto known = model.find(key);
        EXPECT_EQ(old, known == model.end() ? CellRef() : known->second);
        model.erase(key);
      }
      ASSERT_EQ(table.size(), model.size());
    }
    for (const auto& [key, cell] : model) {
      const CellRef* found = table.find(key, hash_key(key));
      ASSERT_NE(found, nullptr) << key;
      EXPECT_EQ(*found, cell);
    }
    std::size_t walked = 0;
    table.for_each([&](const CellRef& cell) {
      EXPECT_EQ(model[std::string(cell->key())], cell);
      ++walked;
    });
    EXPECT_EQ(walked, model.size());
  }
}

TEST(CellTable, FindsNothingInAnEmptyTable) {
  CellTable table;
  EXPECT_EQ(table.find("a", hash_key("a")), nullptr);
  EXPECT_FALSE(table.erase("a", hash_key("a")));
}

TEST(PointerTable, HoldsWhatAMapHoldsAfterAnySequenceOfChanges) {
  std::vector<CellRef> cells;
  for (int i = 0; i < 300; ++i) cells.push_back(make_cell("pod-" + std::to_string(i), "1"));
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    PointerTable<int> table;
    std::map<const Cell*, int> model;
    for (int step = 0; step < 3000; ++step) {
      const Cell* cell = cells[random() % cells.size()].get();
      if (model.contains(cell)) {
        EXPECT_EQ(table.erase(cell), model[cell]);
        model.erase(cell);
      } else {
        table.insert(cell, step);
        model[cell] = step;
      }
      ASSERT_EQ(table.size(), model.size());
    }
    for (const CellRef& cell : cells) {
      const int* found = table.find(cell.get());
      const auto known = model.find(cell.get());
      ASSERT_EQ(found != nullptr, known != model.end());
      if (found != nullptr) {
        EXPECT_EQ(*found, known->second);
      }
    }
  }
}

TEST(UserIndex, IDX_06_IDX_07_AValueLivesAsLongAsItHasObjects) {
  UserIndex index;
  const CellRef a = make_cell("a", "1");
  const CellRef b = make_cell("b", "1");
  index.insert(a.get(), {"red", "blue"});
  index.insert(b.get(), {"red"});
  index.erase(a.get());
  ASSERT_NE(index.sets().find("red"), nullptr);
  EXPECT_EQ(index.sets().find("red")->size(), 1U);
  EXPECT_EQ(index.sets().find("blue"), nullptr);
  index.erase(b.get());
  EXPECT_TRUE(index.sets().all().empty());
}

TEST(UserIndex, AValueNamedTwiceCountsOnce) {
  UserIndex index;
  const CellRef a = make_cell("a", "1");
  index.insert(a.get(), {"red", "red"});
  EXPECT_EQ(index.sets().find("red")->size(), 1U);
  index.erase(a.get());
  EXPECT_TRUE(index.sets().all().empty());
}

TEST(UserIndex, WhatIsInsertedTwiceOrReplacedWithoutBeingThereLeavesNothingBehind) {
  UserIndex index;
  const CellRef a = make_cell("a", "1");
  const CellRef b = make_cell("b", "1");
  index.insert(a.get(), {"red"});
  index.insert(a.get(), {"red", "blue"});
  EXPECT_EQ(index.values_of(a.get()), (std::vector<std::string>{"red", "blue"}));
  index.replace(b.get(), a.get(), {"green"});  // b was not there, and a is
  EXPECT_EQ(index.values_of(a.get()), std::vector<std::string>{"green"});
  index.erase(a.get());
  EXPECT_TRUE(index.sets().all().empty());
}

TEST(ValueSets, AReplaceOfWhatIsNotThereIsAnInsert) {
  ValueSets sets;
  const CellRef a = make_cell("a", "1");
  const CellRef b = make_cell("b", "1");
  sets.replace("red", a.get(), "red", b.get());
  EXPECT_TRUE(sets.find("red")->contains(b.get()));
  sets.insert("red", b.get());
  EXPECT_EQ(sets.find("red")->size(), 1U);
  sets.replace("red", b.get(), "blue", a.get());
  EXPECT_EQ(sets.find("red"), nullptr);
  sets.erase("blue", a.get());
  EXPECT_TRUE(sets.all().empty());
}

TEST(UserIndex, ReplacingKeepsOrChangesTheValues) {
  UserIndex index;
  const CellRef old = make_cell("a", "1");
  const CellRef now = make_cell("a", "2");
  const CellRef next = make_cell("a", "3");
  index.insert(old.get(), {"red", "blue"});
  index.replace(old.get(), now.get(), {"red", "blue"});
  EXPECT_FALSE(index.contains(old.get()));
  EXPECT_EQ(index.values_of(now.get()), (std::vector<std::string>{"red", "blue"}));
  index.replace(now.get(), next.get(), {"green"});
  EXPECT_EQ(index.sets().find("red"), nullptr);
  EXPECT_EQ(index.values_of(next.get()), std::vector<std::string>{"green"});
}

}  // namespace
}  // namespace kube::cache
