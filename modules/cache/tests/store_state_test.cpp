// SPDX-License-Identifier: Apache-2.0
//
// What queries see of a change that is under way, step by step. The steps are those of
// Store::Impl::apply(); no schedule of the simulation stops between them, since nothing in them
// waits.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store_impl.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_cell;
using ::testing::UnorderedElementsAre;

class StoreStateTest : public ::testing::Test {
 protected:
  const ChangeRecord* link(const CellRef& old, const CellRef& now, std::size_t size) {
    state.log.plan(nullptr, old.get(), now.get());
    state.plan_namespaces(old.get(), now.get(), retired);
    return state.log.link(old, 0, size, 0);
  }
  void write_sets(const ChangeRecord* step) {
    const std::size_t hash = hash_of(*step);
    while ((step = step->next.load()) != nullptr) {
      retired.add(step->where->change(step->old, step->now, hash));
      if (step->now == nullptr && step->where->size() == 0) state.note_emptied(*step);
    }
  }
  void write_slot(const CellRef& old, const CellRef& now) {
    const std::string_view key = (old ? old : now)->key();
    if (!old) {
      retired.add(state.cells_by_key.make_room());
      state.cells_by_key.insert(CellRef(now).release(), hash_key(key));
      return;
    }
    CellTable::Slot& slot = *state.cells_by_key.slot_of(key, hash_key(key));
    static_cast<void>(CellRef::adopt(old.get()));  // the table's
    if (now) {
      CellTable::replace(slot, CellRef(now).release(), 0);
    } else {
      state.cells_by_key.erase(slot);
    }
  }
  void change(const CellRef& old, const CellRef& now, std::size_t size) {
    const ChangeRecord* step = link(old, now, size);
    write_sets(step);
    write_slot(old, now);
    state.log.commit();
  }
  std::vector<std::string> show(const ValueSet* set, const ChangeRecord* since) const {
    std::vector<std::string> shown;
    for (const Cell* cell : state.cells(set, since)) {
      shown.push_back(std::string(cell->key()) + "@" + std::string(cell->resource_version()));
    }
    return shown;
  }
  std::vector<std::string> all() const { return show(nullptr, state.now()); }
  std::vector<std::string> in_x() const { return show(state.namespaces.find("x"), state.now()); }

  StoreState state{std::make_shared<CellLeases>()};
  Retired retired;
  const CellRef a1 = make_cell("x/a", "1");
  const CellRef a2 = make_cell("x/a", "2");
  const CellRef b1 = make_cell("x/b", "1");

 private:
  static std::size_t hash_of(const ChangeRecord& step) {
    return hash_key((step.old != nullptr ? step.old : step.now)->key());
  }
};

TEST_F(StoreStateTest, S2_AQueryDuringAChangeSeesItIfALookUpDoes) {
  change({}, a1, 1);
  const ChangeRecord* step = link(a1, a2, 1);
  EXPECT_THAT(all(), ElementsAre("x/a@1"));
  write_sets(step);
  EXPECT_THAT(in_x(), ElementsAre("x/a@1")) << "a look-up finds the old one";
  write_slot(a1, a2);
  EXPECT_EQ(state.cells_by_key.find("x/a", hash_key("x/a")), a2.get());
  EXPECT_THAT(all(), ElementsAre("x/a@2"));
  EXPECT_THAT(in_x(), ElementsAre("x/a@2")) << "a look-up has found the new one";
  state.log.commit();
  EXPECT_THAT(in_x(), ElementsAre("x/a@2"));
}

TEST_F(StoreStateTest, S2_TheSameForAnObjectThatComesOrGoes) {
  const ChangeRecord* step = link({}, a1, 1);
  write_sets(step);
  EXPECT_THAT(all(), IsEmpty());
  EXPECT_EQ(state.now()->size, 0U);
  write_slot({}, a1);
  EXPECT_THAT(in_x(), ElementsAre("x/a@1"));
  EXPECT_EQ(state.now()->size, 1U);
  state.log.commit();

  step = link(a1, {}, 0);
  write_sets(step);
  EXPECT_THAT(in_x(), ElementsAre("x/a@1"));
  EXPECT_EQ(state.now()->size, 1U);
  write_slot(a1, {});
  EXPECT_THAT(in_x(), IsEmpty());
  EXPECT_EQ(state.now()->size, 0U);
  state.log.commit();
}

TEST_F(StoreStateTest, S1_AQueryTakesBackWhatCameAfterItsBeginning) {
  change({}, a1, 1);
  const ChangeRecord* began = state.now();
  change({}, b1, 2);
  change(a1, a2, 2);
  change(b1, {}, 1);
  const ValueSet& x = *state.namespaces.find("x");
  EXPECT_THAT(show(nullptr, began), ElementsAre("x/a@1"));
  EXPECT_THAT(show(&x, began), ElementsAre("x/a@1"));
  EXPECT_EQ(state.count(x, began), 1U);
  change(a2, a1, 1);  // the cell itself again
  EXPECT_THAT(show(nullptr, began), ElementsAre("x/a@1"));
  EXPECT_THAT(all(), ElementsAre("x/a@1"));
}

TEST_F(StoreStateTest, S1_AQueryOfManySetsTakesBackWhatCameBeforeEachLook) {
  change({}, a1, 1);
  change({}, b1, 2);
  ChangesSince changes(state.now());
  const ValueSet& x = *state.namespaces.find("x");
  EXPECT_THAT(StoreState::cells(x, changes), UnorderedElementsAre(a1.get(), b1.get()));
  change(a1, a2, 2);
  EXPECT_THAT(StoreState::cells(x, changes), UnorderedElementsAre(a1.get(), b1.get()));
  change(a2, {}, 1);
  change(b1, {}, 0);
  EXPECT_THAT(StoreState::cells(x, changes), UnorderedElementsAre(a1.get(), b1.get()));
  EXPECT_FALSE(StoreState::is_empty(x, changes));
  ChangesSince later(state.now());
  EXPECT_TRUE(StoreState::is_empty(x, later));
  change({}, b1, 1);
  EXPECT_TRUE(StoreState::is_empty(x, later));
}

TEST_F(StoreStateTest, AnotherNamespacesChangesAreNotTakenBack) {
  change({}, a1, 1);
  const ChangeRecord* began = state.now();
  change({}, make_cell("y/c", "1"), 2);
  EXPECT_THAT(show(state.namespaces.find("x"), began), ElementsAre("x/a@1"));
  EXPECT_THAT(show(nullptr, began), ElementsAre("x/a@1"));
  EXPECT_THAT(all(), UnorderedElementsAre("x/a@1", "y/c@1"));
}

TEST_F(StoreStateTest, IDX_06_TheSetOfAValueGoesWithItsLastObject) {
  change({}, a1, 1);
  change(a1, {}, 0);
  EXPECT_NE(state.namespaces.find("x"), nullptr) << "a reader may look at it";
  state.remove_emptied(5, 4, retired);
  EXPECT_NE(state.namespaces.find("x"), nullptr) << "a reader is pinned at 4";
  state.remove_emptied(6, 6, retired);
  EXPECT_EQ(state.namespaces.find("x"), nullptr);
}

TEST_F(StoreStateTest, IDX_07_TheSetOfAValueStaysForTheObjectThatIsLeft) {
  change({}, a1, 1);
  change({}, b1, 2);
  change(a1, {}, 1);
  state.remove_emptied(5, 6, retired);
  EXPECT_THAT(in_x(), ElementsAre("x/b@1"));
}

TEST_F(StoreStateTest, ASetThatGotObjectsAgainStays) {
  change({}, a1, 1);
  change(a1, {}, 0);
  change({}, b1, 1);
  state.remove_emptied(5, 6, retired);
  EXPECT_THAT(in_x(), ElementsAre("x/b@1"));
}

}  // namespace
}  // namespace kube::cache
