// SPDX-License-Identifier: Apache-2.0
//
// What waits for another thread without a clock lets that thread go on in its turn. Without this
// the tests hang.
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/make_cached.hpp>
#include <kube/cache/store.hpp>
#include <kube/simulation/simulation.hpp>
#include <kube/workqueue/parallelize_until.hpp>

namespace kube::testing {
namespace {

using core::v1::ConfigMap;
using std::chrono::seconds;

void expect_no_rule_broken(const Scenario& scenario) {
  SimulationOptions options;
  options.faults = false;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    const SimulationReport report = simulate(options, scenario);
    EXPECT_FALSE(report.broken) << options.seed << ": " << report.broken->what;
  }
}

TEST(SimulatedBlocking, AWriterOfAStoreWaitsForAnotherWhoseIndexFunctionSleeps) {
  expect_no_rule_broken([](Simulation& sim) {
    Store<ConfigMap> store;
    const auto sleeps = [&sim](const Cached<ConfigMap>& object) {
      sim.clock()->sleep_for(seconds(1 + sim.draw(3)), {});
      return std::vector<std::string>{std::string(object.name())};
    };
    EXPECT_TRUE(store.add_index("slow", sleeps));
    const auto write = [&](const std::string& name) {
      ConfigMap object;
      object.metadata.name = name;
      EXPECT_TRUE(store.add(make_cached(std::move(object))));
    };
    auto one = sim.spawn("one", [&](std::stop_token) { write("a"); });
    auto two = sim.spawn("two", [&](std::stop_token) { write("b"); });
    one.join();
    two.join();
    EXPECT_EQ(store.list().size(), 2U);
  });
}

Simulation* decoding = nullptr;

TEST(SimulatedBlocking, AReaderWaitsForTheThreadThatDecodesItsObject) {
  static char object = 0;
  static constexpr cache::CellType kSlow{[](Encoding, std::string_view) -> Result<void*> {
                                           decoding->clock()->sleep_for(seconds(2), {});
                                           return &object;
                                         },
                                         [](void*) {}, 1};
  expect_no_rule_broken([](Simulation& sim) {
    decoding = &sim;
    cache::Cell::Parts parts;
    parts.name = "a";
    const cache::CellRef cell = cache::Cell::make(kSlow, parts);
    const auto read = [&](std::stop_token) {
      const cache::CellUser user(cell);
      EXPECT_TRUE(user.decoded());
    };
    auto one = sim.spawn("one", read);
    auto two = sim.spawn("two", read);
    one.join();
    two.join();
  });
}

TEST(SimulatedBlocking, ParallelizeUntilWaitsForPiecesThatSleep) {
  expect_no_rule_broken([](Simulation& sim) {
    int done = 0;
    const Result<void> all =
        parallelize_until(sim.runtime().executor, 9,
                          [&](std::size_t) {
                            sim.clock()->sleep_for(seconds(1 + sim.draw(5)), {});
                            ++done;
                          },
                          {.workers = 3}, {});
    EXPECT_TRUE(all);
    EXPECT_EQ(done, 9);
  });
}

}  // namespace
}  // namespace kube::testing
