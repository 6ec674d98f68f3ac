// SPDX-License-Identifier: Apache-2.0
//
// The promises [S1] and [S2] of a store, checked by readers that come and go while objects change,
// come and go, lists replace everything, and indexes are added.
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <kube/cache/detail/store.hpp>

#include "counted_cells.hpp"
#include "store_writer.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using testing::cells_alive;
using testing::counted_cell;
using testing::make_cell;

constexpr int kConsistencyKeys = 60;

struct Seen final : CellSink {
  std::map<std::string, int, std::less<>> versions;
  bool twice = false;
  void take(std::span<const Cell* const> cells) override {
    for (const Cell* cell : cells) {
      const std::string key(cell->key());
      twice = twice || versions.contains(key);
      versions[key] = std::stoi(std::string(cell->resource_version()));
    }
  }
};

Result<std::vector<std::string>> by_body(const CellRef& cell) {
  return std::vector<std::string>{std::string(cell->body())};
}

/// The changes of a writer, the same for the same random numbers.
class Model {
 public:
  explicit Model(StoreWriter& writer) : writer_(writer) {}

  void step(std::mt19937& random) {
    ++number_;
    if (random() % 40 == 0) {
      std::vector<CellRef> items;
      for (int i = 0; i < kConsistencyKeys; ++i) {
        if (random() % 3 != 0) items.push_back(make(i, random));
      }
      writer_.replace(std::move(items), std::to_string(number_));
      return;
    }
    const int i = static_cast<int>(random() % kConsistencyKeys);
    CellRef cell = make(i, random);
    Delta change{.type = random() % 4 == 0 ? DeltaType::Deleted : DeltaType::Updated,
                 .cell = std::move(cell)};
    writer_.apply({&change, 1});
  }
  int number() const { return number_; }

 private:
  CellRef make(int i, std::mt19937& random) const {
    return make_cell((i % 2 == 0 ? "x/" : "y/") + std::to_string(i), std::to_string(number_),
                     random() % 2 == 0 ? "even" : "odd");
  }
  StoreWriter& writer_;
  int number_ = 0;
};

/// Replays the writer's steps, and answers what the store had after each.
std::vector<std::map<std::string, int, std::less<>>> states_of(unsigned seed, int steps) {
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  Model model(writer);
  std::mt19937 random(seed);
  std::vector<std::map<std::string, int, std::less<>>> states(1);
  for (int step = 0; step < steps; ++step) {
    model.step(random);
    Seen seen;
    store->list(seen);
    states.push_back(seen.versions);
  }
  return states;
}

/// Looks for the states that a result can be of; they follow each other.
class Checker {
 public:
  using State = std::map<std::string, int, std::less<>>;
  explicit Checker(const std::vector<State>& states) : states_(states) {}

  /// Takes a result of a query: all of a state, or what of it `belongs`.
  template <class Belongs>
  void expect(const State& seen, const Belongs& belongs, const char* query) {
    for (std::size_t at = reached_; at < states_.size(); ++at) {
      State part;
      for (const auto& [key, version] : states_[at]) {
        if (belongs(key)) part.emplace(key, version);
      }
      if (part != seen) continue;
      reached_ = at;
      return;
    }
    ADD_FAILURE() << query << " is of no state at or after number " << reached_;
  }

 private:
  const std::vector<State>& states_;
  std::size_t reached_ = 0;  // the earliest state that the last query can have seen
};

TEST(StoreConsistency, EachQueryIsOfOneStateAndNoneOfAnEarlierOne) {
  constexpr int kSteps = 1'500;
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const auto states = states_of(seed, kSteps);
    auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
    ASSERT_TRUE(store->add_index("body", by_body));
    std::atomic<bool> done{false};
    const auto read = [&](unsigned id, int queries) {
      std::mt19937 random(id);
      Checker checker(states);
      while (queries-- > 0 && !done) {
        Seen seen;
        const std::string key =
            (random() % 2 == 0 ? "x/" : "y/") + std::to_string(random() % kConsistencyKeys);
        switch (random() % 6) {
          case 0:
            store->list(seen);
            checker.expect(
                seen.versions, [](std::string_view) { return true; }, "list");
            break;
          case 1:
            ASSERT_TRUE(store->by_index(kNamespaceIndex, "x", seen));
            checker.expect(
                seen.versions, [](std::string_view k) { return k.starts_with("x/"); }, "by_index");
            break;
          case 2: {
            ASSERT_TRUE(store->by_index("body", std::vector<std::string>{"even", "odd"}, seen));
            checker.expect(
                seen.versions, [](std::string_view) { return true; }, "all values");
            break;
          }
          case 3:
            ASSERT_TRUE(store->by_index(kNamespaceIndex, std::vector<std::string>{"y", "x"}, seen));
            checker.expect(
                seen.versions, [](std::string_view) { return true; }, "namespaces");
            break;
          default: {
            const CellUser one = store->get(key);
            if (one.get() != nullptr) {
              seen.versions.emplace(key, std::stoi(std::string(one.get()->resource_version())));
            }
            checker.expect(
                seen.versions, [&](std::string_view k) { return k == key; }, "get");
          }
        }
        ASSERT_FALSE(seen.twice);
        if (::testing::Test::HasFailure()) return;
      }
    };
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { read(seed, 1 << 30); });
    threads.emplace_back([&] { read(seed + 10, 1 << 30); });
    threads.emplace_back([&] {  // readers that come and go
      for (unsigned id = 100; !done; ++id) std::jthread([&, id] { read(id, 20); }).join();
    });
    threads.emplace_back([&] {  // indexes are whole when they can be queried
      for (int i = 0; i < 20 && !done; ++i) {
        const std::string name = "late-" + std::to_string(i);
        ASSERT_TRUE(store->add_index(name, by_body));
        Checker checker(states);
        Seen seen;
        ASSERT_TRUE(store->by_index(name, std::vector<std::string>{"even", "odd"}, seen));
        checker.expect(
            seen.versions, [](std::string_view) { return true; }, "a late index");
      }
    });
    StoreWriter writer(store);
    Model model(writer);
    std::mt19937 random(seed);
    for (int step = 0; step < kSteps; ++step) {
      model.step(random);
      if (step % 16 == 0) std::this_thread::yield();
    }
    done = true;
    threads.clear();
    Seen last;
    store->list(last);
    EXPECT_EQ(last.versions, states.back());
    EXPECT_EQ(store->size(), states.back().size());
    if (::testing::Test::HasFailure()) return;
  }
}

// What the writer replaces is freed at once when nobody reads, and after the reader when one does.
TEST(StoreConsistency, WhatWasReplacedIsFreedWithoutWaitingForReaders) {
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  for (int i = 0; i < 100; ++i) {
    Delta change{.type = DeltaType::Updated, .cell = counted_cell("a", std::to_string(i))};
    writer.apply({&change, 1});
    change = {};
    EXPECT_LE(cells_alive, 1);
  }
  struct Slow final : CellSink {
    explicit Slow(StoreWriter& to) : writer(to) {}
    void take(std::span<const Cell* const> cells) override {
      std::vector<CellRef> none;
      writer.replace(std::move(none), "200");  // the writer does not wait for this query
      EXPECT_EQ(cells_alive, 1);
      EXPECT_EQ(cells.front()->resource_version(), "99");
    }
    StoreWriter& writer;
  } slow(writer);
  store->list(slow);
  EXPECT_EQ(cells_alive, 0) << "freed by the query that held it up, without another change";
}

// It would not, if it walked over all changes since its beginning for each value.
TEST(StoreConsistency, AQueryOfManyValuesEndsWhileTheStoreIsWritten) {
  constexpr int kValues = 5'000;
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  ASSERT_TRUE(store->add_index("body", by_body));
  const auto put = [&](int i, int version) {
    const std::string name = std::to_string(i);
    Delta change{.type = DeltaType::Updated,
                 .cell = make_cell("x/" + name, std::to_string(version), name)};
    writer.apply({&change, 1});
  };
  for (int i = 0; i < kValues; ++i) put(i, 1);
  std::atomic<bool> done{false};
  const std::jthread reader([&] {
    for (int i = 0; i < 20; ++i) {
      const std::vector<std::string> values = store->list_index_values("body");
      EXPECT_EQ(values.size(), kValues);
      Seen seen;
      EXPECT_TRUE(store->by_index("body", values, seen));
      EXPECT_EQ(seen.versions.size(), kValues);
    }
    done = true;
  });
  for (int version = 2; !done; ++version) put(version % kValues, version);
}

}  // namespace
}  // namespace kube::cache
