// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/detail/store.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>

#include "store_writer.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_cell;
using ::testing::UnorderedElementsAre;

// The values of an object are the words of its body.
std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}
Result<std::vector<std::string>> by_words(const CellRef& cell) {
  return words(cell->body());
}

struct Collected final : CellSink {
  std::vector<CellRef> cells;
  void take(std::span<const Cell* const> found) override {
    for (const Cell* cell : found) cells.emplace_back(*cell);
  }
};

std::string show(const CellRef& cell) {
  return std::string(cell->key()) + "@" + std::string(cell->resource_version());
}

class StoreTest : public ::testing::Test {
 protected:
  CellRef put(std::string_view key, std::string_view version, std::string_view body = {}) {
    Delta change{.type = DeltaType::Updated, .cell = make_cell(key, version, body)};
    EXPECT_TRUE(writer.apply({&change, 1}));
    return change.old;
  }
  CellRef remove(std::string_view key, std::string_view version) {
    Delta change{.type = DeltaType::Deleted, .cell = make_cell(key, version)};
    EXPECT_TRUE(writer.apply({&change, 1}));
    return change.old;
  }
  std::vector<std::string> list() const {
    Collected found;
    store->list(found);
    std::vector<std::string> result;
    for (const CellRef& cell : found.cells) result.push_back(show(cell));
    return result;
  }
  std::vector<std::string> by_index(std::string_view index, std::string_view value) const {
    Collected found;
    EXPECT_TRUE(store->by_index(index, value, found));
    std::vector<std::string> result;
    for (const CellRef& cell : found.cells) result.emplace_back(cell->key());
    return result;
  }
  std::string get(std::string_view key) const {
    const CellRef cell = store->get(key).ref();
    return cell ? show(cell) : "";
  }

  std::shared_ptr<Store> store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer{store};
};

TEST_F(StoreTest, AChangeWithoutVersionLeavesTheVersionThatWasReached) {
  put("x/a", "5");
  put("x/a", "");
  EXPECT_EQ(store->resource_version(), "5");
  writer.set_resource_version("");
  EXPECT_EQ(store->resource_version(), "5");
}

TEST_F(StoreTest, ADeletionByTheStoredCellItselfTakesItOutOfEverything) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "1", "red");
  Delta change{.type = DeltaType::Deleted, .cell = writer.find("x/a")};
  ASSERT_TRUE(writer.apply({&change, 1}));
  change = {};  // the last reference to the cell
  EXPECT_EQ(store->size(), 0U);
  EXPECT_EQ(store->bytes(), 0U);
  EXPECT_EQ(store->count(kNamespaceIndex, "x"), 0U);
  EXPECT_EQ(store->count("words", "red"), 0U);
}

TEST_F(StoreTest, STO_01_PutGetReplaceRemove) {
  EXPECT_FALSE(put("x/a", "1"));
  EXPECT_EQ(get("x/a"), "x/a@1");
  EXPECT_EQ(show(put("x/a", "2")), "x/a@1");
  EXPECT_EQ(get("x/a"), "x/a@2");
  EXPECT_EQ(show(store->get("x", "a").ref()), "x/a@2");
  EXPECT_EQ(show(remove("x/a", "3")), "x/a@2");
  EXPECT_EQ(get("x/a"), "");
  EXPECT_EQ(store->size(), 0U);
  EXPECT_EQ(store->bytes(), 0U);
}

// Decoders refuse such names; the store does not count on it.
TEST_F(StoreTest, KeysThatAreSplitOtherwiseAreTheSameObject) {
  const auto cell = [](std::string_view namespace_, std::string_view name) {
    Cell::Parts parts;
    parts.namespace_ = namespace_;
    parts.name = name;
    parts.body = "w";
    return Cell::make(testing::text_type(), parts);
  };
  ASSERT_TRUE(store->add_index("words", by_words));
  const std::vector<CellRef> cells = {cell("a", "b/c"), cell("a/b", "c"), cell("", "a/b/c")};
  for (int round = 0; round < 3; ++round) {
    for (const CellRef& one : cells) {
      Delta change{.type = DeltaType::Updated, .cell = one};
      ASSERT_TRUE(writer.apply({&change, 1}));
      EXPECT_EQ(store->size(), 1U);
      EXPECT_THAT(by_index(kNamespaceIndex, one->namespace_()), ElementsAre("a/b/c"));
      EXPECT_EQ(store->list_index_values(kNamespaceIndex).size(), 1U);
      EXPECT_THAT(by_index("words", "w"), ElementsAre("a/b/c"));
    }
    ASSERT_TRUE(writer.replace(cells, "5"));
    EXPECT_EQ(store->size(), 1U);
    EXPECT_THAT(by_index(kNamespaceIndex, ""), ElementsAre("a/b/c"));
  }
  Delta gone{.type = DeltaType::Deleted, .cell = cells[0]};
  ASSERT_TRUE(writer.apply({&gone, 1}));
  EXPECT_EQ(store->bytes(), 0U);
  EXPECT_TRUE(store->list_index_values(kNamespaceIndex).empty());
  EXPECT_THAT(by_index("words", "w"), IsEmpty());
}

TEST_F(StoreTest, OneCellTwiceInAReplaceIsOneObject) {
  ASSERT_TRUE(store->add_index("words", by_words));
  const CellRef cell = make_cell("x/a", "1", "w");
  for (int round = 0; round < 2; ++round) {
    const auto done = writer.replace({cell, cell, cell}, "1");
    ASSERT_TRUE(done);
    EXPECT_EQ(done->size(), 1U);
    EXPECT_EQ(store->bytes(), cell->memory());
    EXPECT_THAT(by_index("words", "w"), ElementsAre("x/a"));
  }
  remove("x/a", "2");
  EXPECT_THAT(by_index("words", "w"), IsEmpty());
}

TEST_F(StoreTest, ACellThatComesAgainAfterAnotherOfItsKeyIsOneObject) {
  ASSERT_TRUE(store->add_index("words", by_words));
  const CellRef cell = make_cell("x/a", "1", "w");
  const CellRef other = make_cell("x/a", "1", "w v");
  const CellRef last = make_cell("x/b", "1", "w");
  for (int round = 0; round < 2; ++round) {
    const auto done = writer.replace({cell, other, cell, last, other, cell}, "1");
    ASSERT_TRUE(done);
    ASSERT_EQ(done->size(), 2U);
    EXPECT_EQ((*done)[0].cell, last);
    EXPECT_EQ((*done)[1].cell, cell);
    EXPECT_EQ(store->bytes(), cell->memory() + last->memory());
    EXPECT_THAT(by_index("words", "w"), UnorderedElementsAre("x/a", "x/b"));
    EXPECT_EQ(store->count("words", "w"), 2U);
    EXPECT_THAT(by_index("words", "v"), IsEmpty());
  }
  remove("x/a", "2");
  EXPECT_THAT(by_index("words", "w"), ElementsAre("x/b"));
}

TEST_F(StoreTest, GetsByNamespaceAndNameOfAnyLength) {
  const std::string long_name(400, 'n');
  put("x/" + long_name, "1");
  put("node", "2");
  EXPECT_TRUE(store->get("x", long_name).ref());
  EXPECT_TRUE(store->get("", "node").ref());
  EXPECT_FALSE(store->get("x", "node").ref());
}

TEST_F(StoreTest, STO_02_STO_06_ListHasAllThatWasPut) {
  std::vector<Delta> changes;
  for (const char* key : {"x/a", "x/b", "y/c"})
    changes.push_back({.type = DeltaType::Updated, .cell = make_cell(key, "1")});
  EXPECT_TRUE(writer.apply(changes));
  EXPECT_THAT(list(), UnorderedElementsAre("x/a@1", "x/b@1", "y/c@1"));
  EXPECT_THAT(store->list_keys(), UnorderedElementsAre("x/a", "x/b", "y/c"));
  EXPECT_EQ(store->size(), 3U);
}

TEST_F(StoreTest, STO_03_ReplaceLeavesExactlyTheNewObjects) {
  put("x/a", "1");
  put("x/b", "2");
  const auto done = writer.replace({make_cell("x/b", "3"), make_cell("y/c", "4")}, "9");
  EXPECT_THAT(list(), UnorderedElementsAre("x/b@3", "y/c@4"));
  ASSERT_TRUE(done);
  ASSERT_EQ(done->size(), 3U);
  EXPECT_EQ((*done)[0].type, DeltaType::Deleted);
  EXPECT_TRUE((*done)[0].final_state_unknown);
  EXPECT_EQ(show((*done)[0].cell), "x/a@1");
  EXPECT_EQ((*done)[1].type, DeltaType::Updated);
  EXPECT_EQ(show((*done)[1].old), "x/b@2");
  EXPECT_EQ(show((*done)[1].cell), "x/b@3");
  EXPECT_EQ((*done)[2].type, DeltaType::Added);
  EXPECT_FALSE((*done)[2].old);
  EXPECT_EQ(show((*done)[2].cell), "y/c@4");
  EXPECT_EQ(store->size(), 2U);
  const CellRef b = make_cell("x/b", "3");
  const CellRef c = make_cell("y/c", "4");
  EXPECT_EQ(store->bytes(), b->memory() + c->memory());
}

TEST_F(StoreTest, OfTwoWithTheSameKeyInAReplaceTheLaterCounts) {
  const auto done = writer.replace({make_cell("x/a", "1"), make_cell("x/a", "2")}, "9");
  EXPECT_THAT(list(), ElementsAre("x/a@2"));
  EXPECT_EQ(done->size(), 1U);
  EXPECT_THAT(by_index(kNamespaceIndex, "x"), ElementsAre("x/a"));
  EXPECT_EQ(store->size(), 1U);
}

TEST_F(StoreTest, STO_13_RemovingWhatIsNotThereOnlyMovesTheVersion) {
  EXPECT_FALSE(remove("x/a", "7"));
  EXPECT_EQ(store->resource_version(), "7");
}

TEST_F(StoreTest, RV_01_ANewStoreHasNoVersion) {
  EXPECT_EQ(store->resource_version(), "");
}

TEST_F(StoreTest, RV_02_RV_03_TheVersionIsThatOfTheLastChange) {
  put("x/a", "10");
  EXPECT_EQ(store->resource_version(), "10");
  put("x/b", "10");
  EXPECT_EQ(store->resource_version(), "10");
  put("x/b", "20");
  EXPECT_EQ(store->resource_version(), "20");
  remove("x/a", "30");
  EXPECT_EQ(store->resource_version(), "30");
}

TEST_F(StoreTest, RV_06_TheLastChangeOfABatchDecides) {
  std::vector<Delta> changes;
  changes.push_back({.type = DeltaType::Updated, .cell = make_cell("x/a", "40")});
  changes.push_back({.type = DeltaType::Updated, .cell = make_cell("x/b", "30")});
  changes.push_back({.type = DeltaType::Updated, .cell = make_cell("x/c", "50")});
  writer.apply(changes);
  EXPECT_EQ(store->resource_version(), "50");
}

TEST_F(StoreTest, RV_07_AReplaceSetsItsOwnVersion) {
  writer.replace({make_cell("x/a", "99")}, "50");
  EXPECT_EQ(store->resource_version(), "50");
}

TEST_F(StoreTest, TheNamespaceIndexIsAlwaysThere) {
  put("x/a", "1");
  put("x/b", "1");
  put("y/c", "1");
  put("node", "1");
  EXPECT_THAT(by_index(kNamespaceIndex, "x"), UnorderedElementsAre("x/a", "x/b"));
  EXPECT_THAT(by_index(kNamespaceIndex, ""), ElementsAre("node"));
  EXPECT_EQ(store->count(kNamespaceIndex, "x"), 2U);
  remove("x/a", "2");
  EXPECT_THAT(by_index(kNamespaceIndex, "x"), ElementsAre("x/b"));
  EXPECT_THAT(store->list_index_values(kNamespaceIndex), UnorderedElementsAre("x", "y", ""));
  EXPECT_THAT(store->index_names(), ElementsAre("namespace"));
  const auto values = store->index_values(kNamespaceIndex, make_cell("z/q", "1"));
  EXPECT_THAT(*values, ElementsAre("z"));
}

TEST_F(StoreTest, IDX_01_IDX_03_ObjectsThatShareAValueAreFoundByIt) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "1", "red blue");
  put("x/b", "1", "blue green");
  put("x/c", "1", "white");
  EXPECT_THAT(by_index("words", "blue"), UnorderedElementsAre("x/a", "x/b"));
  EXPECT_THAT(by_index("words", "red"), ElementsAre("x/a"));
  EXPECT_THAT(by_index("words", "nowhere"), IsEmpty());

  const auto values = store->index_values("words", make_cell("x/probe", "1", "red blue"));
  ASSERT_TRUE(values);
  Collected found;
  EXPECT_TRUE(store->by_index("words", *values, found));
  EXPECT_EQ(found.cells.size(), 2U) << "each once, however many values it shares";
}

TEST_F(StoreTest, IDX_02_EachValueIsListedOnce) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "1", "red blue");
  put("x/b", "1", "blue");
  EXPECT_THAT(store->list_index_values("words"), UnorderedElementsAre("red", "blue"));
  EXPECT_THAT(store->list_index_values("none"), IsEmpty());
}

TEST_F(StoreTest, IDX_04_IDX_05_ChangesAndRemovalsShowInTheIndex) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "1", "red blue");
  put("x/b", "1", "red");
  put("x/a", "2", "blue");
  EXPECT_THAT(by_index("words", "red"), ElementsAre("x/b"));
  EXPECT_THAT(by_index("words", "blue"), ElementsAre("x/a"));
  put("x/c", "3", "red blue green");
  remove("x/c", "4");
  EXPECT_THAT(by_index("words", "red"), ElementsAre("x/b"));
  EXPECT_THAT(by_index("words", "blue"), ElementsAre("x/a"));
  EXPECT_THAT(by_index("words", "green"), IsEmpty());
  remove("x/b", "5");
  EXPECT_THAT(by_index("words", "red"), IsEmpty());
  EXPECT_EQ(store->count("words", "red"), 0U);
}

TEST_F(StoreTest, IDX_08_ALongSequenceKeepsEverySetExact) {
  ASSERT_TRUE(store->add_index("words", by_words));
  std::mt19937 random(7);
  std::map<std::string, std::vector<std::string>> model;
  const std::vector<std::string> all = {"foo", "bar", "baz"};
  for (int step = 0; step < 2000; ++step) {
    const std::string key = "x/" + std::to_string(random() % 20);
    if (random() % 4 == 0) {
      remove(key, std::to_string(step));
      model.erase(key);
    } else {
      std::string body;
      for (const std::string& word : all) {
        if (random() % 2 == 0) body += word + ' ';
      }
      put(key, std::to_string(step), body);
      model[key] = words(body);
    }
    for (const std::string& word : all) {
      std::set<std::string> expected;
      for (const auto& [name, values] : model) {
        if (std::find(values.begin(), values.end(), word) != values.end()) expected.insert(name);
      }
      const auto found = by_index("words", word);
      ASSERT_EQ(std::set<std::string>(found.begin(), found.end()), expected) << "step " << step;
      ASSERT_EQ(found.size(), expected.size());
    }
  }
}

TEST_F(StoreTest, IDX_09_AnUnknownIndexIsAnError) {
  Collected found;
  EXPECT_EQ(store->by_index("none", "x", found).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(store->by_index("none", std::vector<std::string>{"x"}, found).error().code(),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(store->index_keys("none", "x").error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(store->index_values("none", make_cell("a", "1")).error().message(),
            "there is no index \"none\"");
  EXPECT_EQ(store->count("none", "x"), 0U);
}

TEST_F(StoreTest, IDX_10_AnIndexAddedLateKnowsWhatIsThere) {
  for (int i = 0; i < 1000; ++i) {
    put("x/" + std::to_string(i), "1", i % 2 == 0 ? "even" : "odd");
  }
  ASSERT_TRUE(store->add_index("words", by_words));
  EXPECT_EQ(store->count("words", "even"), 500U);
  put("x/0", "2", "odd");
  EXPECT_EQ(store->count("words", "even"), 499U);
  EXPECT_EQ(store->count("words", "odd"), 501U);
}

TEST_F(StoreTest, IDX_11_IfANameIsInUseNoneOfTheNewIndexesIsAdded) {
  put("x/a", "1", "foo");
  ASSERT_TRUE(store->add_index("words", by_words));
  for (const std::string& taken : {std::string("words"), std::string(kNamespaceIndex)}) {
    const auto again = store->add_indexes({{"a", by_words}, {taken, by_words}, {"z", by_words}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(store->index_names(), ElementsAre("namespace", "words"));
  }
  ASSERT_TRUE(store->add_indexes({{"a", by_words}, {"z", by_words}}));
  put("x/b", "2", "foo");
  for (const char* name : {"words", "a", "z"}) EXPECT_EQ(store->count(name, "foo"), 2U) << name;
}

TEST_F(StoreTest, IDX_12_IndexKeysAreSorted) {
  for (const char* key : {"x/c", "x/a", "x/d", "x/b"}) put(key, "1");
  EXPECT_THAT(*store->index_keys(kNamespaceIndex, "x"), ElementsAre("x/a", "x/b", "x/c", "x/d"));
  EXPECT_THAT(*store->index_keys(kNamespaceIndex, "y"), IsEmpty());
}

TEST_F(StoreTest, AFunctionThatFailsLeavesTheObjectOutOfItsIndexOnly) {
  std::vector<std::string> failures;
  const auto note = [&](std::string_view index, const Cell& cell, const Error& error) {
    failures.push_back(std::string(index) + " " + std::string(cell.key()) + " " + error.message());
  };
  ASSERT_TRUE(store->add_index(
      "picky",
      [](const CellRef& cell) -> Result<std::vector<std::string>> {
        if (cell->body() == "error") return Error(ErrorCode::Decode, "no");
        if (cell->body() == "throw") throw std::runtime_error("never");
        return std::vector<std::string>{"fine"};
      },
      note));
  put("x/a", "1", "error");
  put("x/b", "1", "throw");
  put("x/c", "1", "good");
  EXPECT_EQ(store->size(), 3U);
  EXPECT_THAT(by_index("picky", "fine"), ElementsAre("x/c"));
  EXPECT_THAT(failures, ElementsAre("picky x/a no", "picky x/b the index function threw: never"));
  // A look-up reports it.
  EXPECT_EQ(store->index_values("picky", make_cell("x/q", "1", "error")).error().code(),
            ErrorCode::Decode);
  EXPECT_EQ(store->index_values("picky", make_cell("x/q", "1", "throw")).error().code(),
            ErrorCode::Internal);
  // And it can be mended.
  put("x/a", "2", "good");
  EXPECT_THAT(by_index("picky", "fine"), UnorderedElementsAre("x/a", "x/c"));
}

TEST_F(StoreTest, IDX_14_AReplaceLeavesNothingOfTheOldContentInAnIndex) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "1", "old");
  put("x/b", "1", "kept");
  writer.replace({make_cell("x/b", "1", "kept"), make_cell("y/c", "2", "new")}, "9");
  EXPECT_THAT(store->list_index_values("words"), UnorderedElementsAre("kept", "new"));
  EXPECT_THAT(by_index(kNamespaceIndex, "x"), ElementsAre("x/b"));
}

TEST_F(StoreTest, AReplaceAsksIndexFunctionsOnlyAboutNewCells) {
  int asked = 0;
  ASSERT_TRUE(store->add_index("words", [&](const CellRef& cell) {
    ++asked;
    return by_words(cell);
  }));
  const CellRef same = make_cell("x/a", "1", "kept");
  writer.replace({same}, "1");
  EXPECT_EQ(asked, 1);
  writer.replace({same, make_cell("x/b", "2", "new")}, "2");
  EXPECT_EQ(asked, 2);
  EXPECT_THAT(by_index("words", "kept"), ElementsAre("x/a"));
}

TEST_F(StoreTest, AStoppedIndexFunctionStopsTheWriter) {
  bool stopped = false;
  ASSERT_TRUE(
      store->add_index("words", [&](const CellRef& cell) -> Result<std::vector<std::string>> {
        if (stopped) return Error(ErrorCode::Cancelled, "stopped");
        return by_words(cell);
      }));
  put("x/a", "1", "red");
  stopped = true;
  Delta change{.type = DeltaType::Updated, .cell = make_cell("x/b", "2", "red")};
  EXPECT_FALSE(writer.apply({&change, 1}));
  EXPECT_FALSE(writer.replace({make_cell("x/c", "3", "red")}, "3"));
  EXPECT_THAT(list(), ElementsAre("x/a@1"));
  EXPECT_EQ(store->resource_version(), "1");
}

TEST_F(StoreTest, TheSameCellAgainChangesNothing) {
  ASSERT_TRUE(store->add_index("words", by_words));
  Delta change{.type = DeltaType::Updated, .cell = make_cell("x/a", "1", "red")};
  writer.apply({&change, 1});
  const std::size_t bytes = store->bytes();
  Delta again{.type = DeltaType::Updated, .cell = change.cell};
  writer.apply({&again, 1});
  EXPECT_EQ(again.old, change.cell);
  EXPECT_EQ(store->size(), 1U);
  EXPECT_EQ(store->bytes(), bytes);
  EXPECT_THAT(by_index("words", "red"), ElementsAre("x/a"));
}

TEST_F(StoreTest, NotFoundIsWhatAServerWouldSay) {
  const Error error = store->not_found("web-0");
  EXPECT_EQ(error.http_status(), 404);
  EXPECT_EQ(error.reason(), "NotFound");
  EXPECT_EQ(error.message(), "pods \"web-0\" not found");
}

TEST(MatchesLabels, ReadsLabelsFromUndecodedBytes) {
  const auto matches = [](std::string_view body, std::string_view selector) -> Result<bool> {
    const CellRef cell = make_cell("x/a", "1", body);
    return matches_labels(*cell, *labels::parse(selector));
  };
  const std::string body = testing::object_text(
      "x/a", "1", R"("labels":{"app":"web","tier":"a\u0062c"},"annotations":{"labels":"no"})",
      R"("spec":{"metadata":{"labels":{"app":"inner"}}})");
  EXPECT_TRUE(*matches(body, "app=web"));
  EXPECT_TRUE(*matches(body, "tier in (abc,d)")) << "escapes are resolved";
  EXPECT_TRUE(*matches(R"({"m\u0065tadata":{"l\u0061bels":{"\u0061pp":"w","\u0074ier":"x"}}})",
                       "app=w,tier=x"))
      << "in keys, too";
  EXPECT_FALSE(*matches(body, "app=inner"));
  EXPECT_FALSE(*matches(body, "app!=web"));
  EXPECT_TRUE(*matches(body, "!other"));
  EXPECT_FALSE(*matches(testing::object_text("x/a", "1"), "app=web"));
  EXPECT_TRUE(*matches(testing::object_text("x/a", "1", R"("labels":null)"), "!app"));
  EXPECT_FALSE(matches(R"({"metadata":{"labels":{"app":1}}})", "app=web"));
  EXPECT_FALSE(matches(R"({"metadata":)", "app=web"));
}

// ---- many readers, one writer

// [S1], [S2]: each object carries the round in which it was written; a relist writes all of them.
TEST_F(StoreTest, ARelistIsNeverSeenHalfWay) {
  constexpr int kObjects = 200;
  constexpr int kRounds = 150;
  const auto round_of = [](const Cell& cell) {
    return std::stoi(std::string(cell.resource_version()));
  };
  const auto relist = [&](int round) {
    std::vector<CellRef> items;
    for (int i = 0; i < kObjects; ++i) {
      items.push_back(make_cell("x/" + std::to_string(i), std::to_string(round)));
    }
    writer.replace(std::move(items), std::to_string(round));
  };
  relist(0);

  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (unsigned id = 0; id < 3; ++id) {
    readers.emplace_back([&, id] {
      std::mt19937 random(id);
      int newest = 0;
      while (!done) {
        Collected all;
        if (random() % 2 == 0) {
          store->list(all);
        } else {
          ASSERT_TRUE(store->by_index(kNamespaceIndex, "x", all));
        }
        ASSERT_EQ(all.cells.size(), static_cast<std::size_t>(kObjects));
        const int round = round_of(*all.cells.front());
        for (const CellRef& cell : all.cells) ASSERT_EQ(round_of(*cell), round);
        ASSERT_GE(round, newest) << "what was seen once is not taken back";
        newest = round;
        for (int i = 0; i < 20; ++i) {
          const CellUser one = store->get("x/" + std::to_string(random() % kObjects));
          ASSERT_NE(one.get(), nullptr);
          ASSERT_GE(round_of(*one.get()), newest);
          newest = round_of(*one.get());
        }
      }
    });
  }
  for (int round = 1; round <= kRounds; ++round) relist(round);
  done = true;
}

// An object and its index entries change together, whoever looks first at which.
TEST_F(StoreTest, AnObjectAndItsIndexEntriesAreSeenTogether) {
  ASSERT_TRUE(store->add_index("words", by_words));
  put("x/a", "0", "even");
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (int id = 0; id < 2; ++id) {
    readers.emplace_back([&] {
      while (!done) {
        Collected both;
        ASSERT_TRUE(store->by_index("words", std::vector<std::string>{"even", "odd"}, both));
        ASSERT_EQ(both.cells.size(), 1U) << "in exactly one set";
        const int indexed = std::stoi(std::string(both.cells[0]->resource_version()));
        const CellUser a = store->get("x/a");
        const int stored = std::stoi(std::string(a.get()->resource_version()));
        ASSERT_GE(stored, indexed);
        Collected after;
        ASSERT_TRUE(store->by_index("words", std::vector<std::string>{"even", "odd"}, after));
        ASSERT_GE(std::stoi(std::string(after.cells[0]->resource_version())), stored);
      }
    });
  }
  for (int i = 1; i < 3000; ++i) put("x/a", std::to_string(i), i % 2 == 0 ? "even" : "odd");
  done = true;
}

TEST_F(StoreTest, AnIndexAddedWhileTheStoreIsWrittenIsExact) {
  std::atomic<bool> done{false};
  std::jthread adder([&] {
    for (int i = 0; i < 8; ++i)
      ASSERT_TRUE(store->add_index("words-" + std::to_string(i), by_words));
    done = true;
  });
  std::mt19937 random(3);
  int step = 0;
  do {
    for (int i = 0; i < 50; ++i, ++step) {
      const std::string key = "x/" + std::to_string(random() % 500);
      if (random() % 5 == 0) {
        remove(key, std::to_string(step));
      } else {
        put(key, std::to_string(step), random() % 2 == 0 ? "even" : "odd");
      }
    }
    if (random() % 4 == 0) {
      Collected all;
      store->list(all);
      all.cells.resize(all.cells.size() / 2 + 1);
      all.cells.push_back(make_cell("y/new", std::to_string(step), "odd"));
      writer.replace(std::move(all.cells), std::to_string(step));
    }
  } while (!done);
  adder.join();
  Collected all;
  store->list(all);
  std::map<std::string, std::size_t> expected{{"even", 0}, {"odd", 0}};
  for (const CellRef& cell : all.cells) ++expected[std::string(cell->body())];
  for (int i = 0; i < 8; ++i) {
    const std::string name = "words-" + std::to_string(i);
    EXPECT_EQ(store->count(name, "even"), expected["even"]) << name;
    EXPECT_EQ(store->count(name, "odd"), expected["odd"]) << name;
  }
}

}  // namespace
}  // namespace kube::cache
