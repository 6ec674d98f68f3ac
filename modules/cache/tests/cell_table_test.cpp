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

// A long random walk beside a std container finds every way to lose one.
TEST(CellTable, HoldsWhatAMapHoldsAfterAnySequenceOfChanges) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    CellTable table;
    std::map<std::string, CellRef> model;
    for (unsigned step = 0; step < 3000; ++step) {
      const std::string key = "ns/pod-" + std::to_string(random() % (1 + step % 300));
      const std::size_t hash = hash_key(key);
      const auto known = model.find(key);
      const Cell* found = table.find(key, hash);
      ASSERT_EQ(found, known == model.end() ? nullptr : known->second.get());
      if (random() % 3 != 0) {
        CellRef cell = make_cell(key, std::to_string(step));
        if (found == nullptr) {
          table.make_room();
          table.insert(cell.get(), hash);
        } else {
          CellTable::replace(*table.slot_of(key, hash), cell.get(), 0);
        }
        model[key] = cell;
      } else if (found != nullptr) {
        table.erase(*table.slot_of(key, hash));
        model.erase(key);
      }
      ASSERT_EQ(table.size(), model.size());
    }
    for (const auto& [key, cell] : model) {
      EXPECT_EQ(table.find(key, hash_key(key)), cell.get()) << key;
    }
    std::size_t walked = 0;
    table.for_each([&](const Cell& cell) {
      EXPECT_EQ(model[std::string(cell.key())].get(), &cell);
      ++walked;
    });
    EXPECT_EQ(walked, model.size());
  }
}

TEST(CellTable, FindsNothingInAnEmptyTable) {
  CellTable table;
  EXPECT_EQ(table.find("a", hash_key("a")), nullptr);
}

// Slots of erased cells are used again, or a store in which objects come and go would grow.
TEST(CellTable, ComingAndGoingNeedsNoMoreRoom) {
  CellTable table;
  std::vector<CellRef> cells;
  for (int i = 0; i < 100; ++i) cells.push_back(make_cell("pod-" + std::to_string(i), "1"));
  table.reserve(30);
  int rebuilt = 0;
  for (std::size_t i = 0; i < 10'000; ++i) {
    if (i >= 20) {
      const CellRef& old = cells[(i - 20) % cells.size()];
      table.erase(*table.slot_of(old->key(), hash_key(old->key())));
    }
    const CellRef& cell = cells[i % cells.size()];
    if (const auto replaced = table.make_room()) {
      ++rebuilt;
      EXPECT_LE(replaced->capacity(), 48U);
    }
    table.insert(cell.get(), hash_key(cell->key()));
  }
  EXPECT_LE(table.size(), 21U);
  EXPECT_LT(rebuilt, 2'000);
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

/// An index of a store whose changes take effect at once.
class UserIndexTest : public ::testing::Test {
 protected:
  void change(const CellRef& old, const CellRef& now, const std::vector<std::string>& values) {
    log.plan(nullptr, old.get(), now.get());
    index.plan(old.get(), now.get(), values, log, retired);
    const std::size_t hash = hash_key((old ? old : now)->key());
    const ChangeRecord* step = log.link({}, 0, 0, 0);
    while ((step = step->next) != nullptr) {
      retired.add(step->where->change(step->old, step->now, hash));
    }
    log.commit();
  }
  std::size_t count(std::string_view value) const {
    const ValueSet* set = index.sets().find(value);
    if (set == nullptr) return 0;
    std::size_t walked = 0;
    set->for_each([&](const Cell&) { ++walked; });
    EXPECT_EQ(walked, set->size());
    return walked;
  }

  UserIndex index;
  const std::shared_ptr<CellLeases> leases = std::make_shared<CellLeases>();
  ChangeLog log{*leases};
  Retired retired;
  const CellRef a = make_cell("a", "1");
  const CellRef a2 = make_cell("a", "2");
  const CellRef b = make_cell("b", "1");
};

TEST_F(UserIndexTest, AValueHasObjectsAsLongAsTheyHaveIt) {
  change({}, a, {"red", "blue"});
  change({}, b, {"red"});
  EXPECT_EQ(count("red"), 2U);
  change(a, {}, {});
  EXPECT_EQ(count("red"), 1U);
  EXPECT_EQ(count("blue"), 0U);
  change(b, {}, {});
  EXPECT_EQ(count("red"), 0U);
  EXPECT_FALSE(index.contains(a.get()));
}

TEST_F(UserIndexTest, AValueNamedTwiceCountsOnce) {
  change({}, a, {"red", "red"});
  EXPECT_EQ(count("red"), 1U);
  change(a, {}, {});
  EXPECT_EQ(count("red"), 0U);
}

TEST_F(UserIndexTest, AChangeOfWhatIsNotThereAddsIt) {
  change(a, a2, {"green"});
  EXPECT_EQ(index.values_of(a2.get()), std::vector<std::string>{"green"});
  EXPECT_EQ(count("green"), 1U);
}

TEST_F(UserIndexTest, AChangeKeepsOrChangesTheValues) {
  const CellRef a3 = make_cell("a", "3");
  change({}, a, {"red", "blue"});
  change(a, a2, {"red", "blue"});
  EXPECT_FALSE(index.contains(a.get()));
  EXPECT_EQ(index.values_of(a2.get()), (std::vector<std::string>{"red", "blue"}));
  change(a2, a3, {"green"});
  EXPECT_EQ(count("red"), 0U);
  EXPECT_EQ(index.values_of(a3.get()), std::vector<std::string>{"green"});
}

TEST(ValueSet, HoldsWhatASetHoldsAfterAnySequenceOfChanges) {
  std::vector<CellRef> cells;
  for (int i = 0; i < 300; ++i) cells.push_back(make_cell("pod-" + std::to_string(i), "1"));
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    ValueSets sets;
    Retired retired;
    ValueSet& set = *sets.set_of("value", retired);
    std::set<const Cell*> model;
    for (unsigned step = 0; step < 3000; ++step) {
      // Grows to all cells, and shrinks again.
      const Cell* cell = cells[random() % (1 + step % 300)].get();
      const bool there = model.contains(cell);
      if (there && random() % 3 == 0) continue;
      set.change(there ? cell : nullptr, there ? nullptr : cell, hash_key(cell->key()));
      there ? static_cast<void>(model.erase(cell)) : static_cast<void>(model.insert(cell));
      ASSERT_EQ(set.size(), model.size());
    }
    std::set<const Cell*> walked;
    set.for_each([&](const Cell& cell) { EXPECT_TRUE(walked.insert(&cell).second); });
    EXPECT_EQ(walked, model);
  }
}

}  // namespace
}  // namespace kube::cache
