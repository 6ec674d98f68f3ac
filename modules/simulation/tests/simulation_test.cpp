// SPDX-License-Identifier: Apache-2.0
#include <kube/simulation/simulation.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>

namespace kube::testing {
namespace {

using core::v1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

const meta::GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

Unstructured config_map(const std::string& name, const std::string& value) {
  return Unstructured(
      json::Object{{"apiVersion", "v1"},
                   {"kind", "ConfigMap"},
                   {"metadata", json::Object{{"name", name}, {"namespace", "default"}}},
                   {"data", json::Object{{"value", value}}}});
}

void an_informer(Simulation& sim) {
  SharedInformer<ConfigMap> informer(sim.client().rest());
  const ObservedInformer observed = sim.observe(informer);
  static_cast<void>(informer.start());
  for (int i = 0; i < 12; ++i) {
    sim.step("write", [&] {
      static_cast<void>(
          sim.server().load(config_map("a" + std::to_string(sim.draw(4)), std::to_string(i))));
    });
    sim.run_for(milliseconds(sim.draw(20'000)));
  }
  sim.rest();
}

SimulationReport traced(std::uint64_t seed, const Scenario& scenario) {
  SimulationOptions options;
  options.seed = seed;
  options.trace = true;
  return simulate(options, scenario);
}

TEST(Simulation, SameSeedIsTheSameTraceByteForByte) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulationReport first = traced(seed, an_informer);
    const SimulationReport second = traced(seed, an_informer);
    EXPECT_FALSE(first.broken) << first.broken->rule << ": " << first.broken->what;
    EXPECT_GT(first.trace.size(), 500U);
    ASSERT_EQ(first.trace, second.trace) << "seed " << seed;
    EXPECT_EQ(first.happened, second.happened);
  }
}

TEST(Simulation, OtherSeedsAreOtherRuns) {
  EXPECT_NE(traced(1, an_informer).trace, traced(2, an_informer).trace);
}

TEST(Simulation, UserCodeThatBlocksGoesOnInItsTurn) {
  const auto scenario = [](Simulation& sim) {
    static_cast<void>(sim.server().load(config_map("a", "0")));
    int got = 0;
    auto one = sim.spawn("one", [&](std::stop_token stop) {
      for (int i = 0; i < 3; ++i) {
        got += sim.client().api<ConfigMap>("default").get("a", {}, stop).has_value() ? 1 : 0;
      }
    });
    auto two = sim.spawn("two", [&](std::stop_token stop) {
      sim.clock()->sleep_for(seconds(5), stop);
      got += 100;
    });
    EXPECT_TRUE(sim.run_until([&] { return got >= 100; }, seconds(100)));
    one.join();
    two.join();
    EXPECT_EQ(got, 103);
  };
  SimulationOptions options;
  options.faults = false;
  for (options.seed = 1; options.seed < 20; ++options.seed) {
    const SimulationReport report = simulate(options, scenario);
    EXPECT_FALSE(report.broken) << report.broken->what;
  }
}

// Two workers read, think, and write back: an update of one is lost.
void lost_update(Simulation& sim) {
  static_cast<void>(sim.server().load(config_map("counter", "0")));
  int counter = 0;
  const auto add = [&](std::stop_token stop) {
    const int seen = counter;
    sim.clock()->sleep_for(milliseconds(sim.draw(20)), stop);
    counter = seen + 1;
  };
  auto first = sim.spawn("first", add);
  sim.run_for(milliseconds(sim.draw(40)));
  auto second = sim.spawn("second", add);
  first.join();
  second.join();
  for (int i = 0; i < 5; ++i) sim.step("nothing", [] {});
  if (counter != 2) sim.fail("no update is lost", std::to_string(counter));
}

TEST(Simulation, FindsARaceOfUserCodeAndShrinksIt) {
  SimulationOptions options;
  SimulationReport report;
  for (options.seed = 1; options.seed < 50 && !report.broken; ++options.seed) {
    report = simulate(options, lost_update);
  }
  --options.seed;
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->rule, "no update is lost");
  SimulationOptions shortest = shrink(options, lost_update);
  shortest.trace = true;
  const SimulationReport again = simulate(shortest, lost_update);
  ASSERT_TRUE(again.broken);
  EXPECT_EQ(again.broken->rule, "no update is lost");
  EXPECT_THAT(again.trace, HasSubstr("BROKEN: no update is lost"));
  EXPECT_TRUE(again.happened.empty()) << again.trace;
}

TEST(Simulation, AWaitThatNothingCanEndIsABrokenRule) {
  const SimulationReport report = traced(1, [](Simulation& sim) {
    sim.calm();
    auto waits = sim.spawn(
        "waits", [&](std::stop_token) { sim.clock()->sleep_until(TimePoint::max(), {}); });
    waits.join();
  });
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->rule, "all goes on");
}

TEST(Simulation, ALoopWithoutAPauseIsABrokenRule) {
  SimulationOptions options;
  options.max_steps = 1000;
  const SimulationReport report = simulate(options, [](Simulation& sim) {
    std::function<void()> again = [&] { sim.runtime().executor->submit([&] { again(); }); };
    again();
    sim.run_for(seconds(1));
  });
  ASSERT_TRUE(report.broken);
  EXPECT_THAT(report.broken->what, HasSubstr("loop without a pause"));
}

TEST(Simulation, AnInvariantOfTheUserIsCheckedAfterEachStep) {
  const SimulationReport report = traced(3, [](Simulation& sim) {
    int value = 0;
    sim.always("the value is small", [&] { return value < 3 ? "" : std::to_string(value); });
    for (int i = 0; i < 10; ++i) {
      ++value;
      sim.run_for(milliseconds(1));
    }
  });
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->rule, "the value is small");
  EXPECT_EQ(report.broken->what, "3");
}

TEST(Simulation, ATimerThatIsLeftIsABrokenRule) {
  Timer left;
  const SimulationReport report = traced(3, [&](Simulation& sim) {
    left = sim.runtime().executor->submit_after(seconds(1000), [] {});
  });
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->rule, "nothing is left");
}

TEST(Simulation, ATransportThatIsKeptIsABrokenRule) {
  std::optional<Client> kept;
  const SimulationReport report = traced(3, [&](Simulation& sim) { kept = sim.client(); });
  ASSERT_TRUE(report.broken);
  EXPECT_EQ(report.broken->rule, "nothing leaks");
  kept.reset();
}

TEST(Simulation, ACalmRunHasNoFaults) {
  SimulationOptions options;
  options.faults = false;
  options.seed = 5;
  const SimulationReport report = simulate(options, [](Simulation& sim) {
    SharedInformer<ConfigMap> informer(sim.client().rest());
    const ObservedInformer observed = sim.observe(informer);
    static_cast<void>(informer.start());
    sim.run_for(seconds(300));
    EXPECT_EQ(informer.status().lists, 1U);
    sim.rest();
  });
  EXPECT_FALSE(report.broken);
  EXPECT_TRUE(report.happened.empty());
}

}  // namespace
}  // namespace kube::testing
