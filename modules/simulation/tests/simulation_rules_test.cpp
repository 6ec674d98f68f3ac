// SPDX-License-Identifier: Apache-2.0
//
// What breaks a rule of the simulation, and what does not.
#include <kube/simulation/simulation.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/workqueue/work_queue.hpp>

namespace kube::testing {
namespace {

using core::v1::ConfigMap;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

Unstructured config_map(const std::string& name, json::Object labels) {
  return Unstructured(json::Object{
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       json::Object{{"name", name}, {"namespace", "default"}, {"labels", std::move(labels)}}},
      {"data", json::Object{{"value", name}}}});
}

SimulationReport calm_run(const Scenario& scenario) {
  SimulationOptions options;
  options.seed = 1;
  options.faults = false;
  return simulate(options, scenario);
}

void expect_broken(const Scenario& scenario, const std::string& rule, const std::string& what) {
  const SimulationReport report = calm_run(scenario);
  ASSERT_TRUE(report.broken) << "nothing was broken: " << rule;
  EXPECT_EQ(report.broken->rule, rule) << report.broken->what;
  EXPECT_THAT(report.broken->what, HasSubstr(what));
}

// With and without faults.
void expect_nothing_broken(const Scenario& scenario) {
  SimulationOptions options;
  for (options.seed = 1; options.seed <= 16; ++options.seed) {
    options.faults = options.seed % 4 != 0;
    const SimulationReport report = simulate(options, scenario);
    EXPECT_FALSE(report.broken) << options.seed << ": " << report.broken->rule << ": "
                                << report.broken->what;
  }
}

// Without the rule these run for ever.

TEST(WhatIsLeft, AThreadThatSleeps) {
  const auto sleeps = [](Simulation& sim) {
    sim.runtime().executor->submit([clock = sim.clock()] { clock->sleep_for(hours(1), {}); });
    sim.run_for(seconds(1));
  };
  expect_broken(sleeps, "nothing is left", "1 thread waits");
}

TEST(WhatIsLeft, AWorkerOfAQueueThatWasNotShutDown) {
  const auto works = [](Simulation& sim) {
    auto queue = std::make_shared<WorkQueue<int>>(
        WorkQueue<int>::Options{.name = "keys", .runtime = sim.runtime()});
    sim.runtime().executor->submit([queue] {
      while (auto item = queue->get({})) item->done();
    });
    queue->add(1);
    sim.run_for(seconds(1));
  };
  expect_broken(works, "nothing is left", "1 thread waits");
}

TEST(WhatIsLeft, SimulatedThreadsThatNobodyStops) {
  std::vector<std::unique_ptr<SimulatedThread>> kept;
  const auto leak = [&](Simulation& sim) {
    const auto loop = [clock = sim.clock()](std::stop_token stop) {
      while (!stop.stop_requested()) clock->sleep_for(hours(1), stop);
    };
    for (int i = 0; i < 2; ++i) {
      kept.push_back(std::make_unique<SimulatedThread>(sim.spawn("leaks", loop)));
    }
    sim.run_for(seconds(1));
  };
  expect_broken(leak, "nothing is left", "2 threads wait");
}

TEST(WhatIsLeft, AThreadInARunThatHasFailed) {
  const auto fails = [](Simulation& sim) {
    sim.runtime().executor->submit([clock = sim.clock()] { clock->sleep_for(hours(1), {}); });
    sim.run_for(seconds(1));
    sim.fail("a rule", "is broken");
  };
  expect_broken(fails, "a rule", "is broken");
}

TEST(WhatIsLeftDeathTest, AThreadThatNeverEnds) {
  const auto never_ends = [](Simulation& sim) {
    sim.runtime().executor->submit([clock = sim.clock()] {
      for (;;) clock->sleep_for(seconds(1), {});
    });
    sim.run_for(seconds(1));
  };
  EXPECT_DEATH(static_cast<void>(calm_run(never_ends)),
               "seed 1 can't go on: nothing is left: 1 thread waits");
}

TEST(WhatIsThrown, ATaskThatThrows) {
  const auto throws = [](Simulation& sim) {
    sim.runtime().executor->submit([] { throw std::runtime_error("of the first"); });
    const Timer later = sim.runtime().executor->submit_after(seconds(1), [] { throw 3; });
    sim.run_for(seconds(2));
  };
  expect_broken(throws, "no exception leaves a task", "2 did, the first: of the first");
}

TEST(WhatIsThrown, ByUserCodeWhateverItIs) {
  const auto throws = [](Simulation& sim) {
    sim.spawn("worker", [](std::stop_token) { throw 3; }).join();
  };
  expect_broken(throws, "user code does not throw", "worker: an exception that is no");
}

TEST(WhatIsThrown, ByTheScenarioWhateverItIs) {
  expect_broken([](Simulation&) { throw 3; }, "the scenario does not throw",
                "an exception that is no");
}

TEST(AtRest, ARuleOfTheUserIsBrokenByItsName) {
  const auto never = [](Simulation& sim) {
    sim.at_rest("mine", [] { return "no"; });
    sim.rest();
  };
  expect_broken(never, "mine", "no");
}

TEST(AtRest, AnInformerThatWasNeverStarted) {
  const auto forgets = [](Simulation& sim) {
    SharedInformer<ConfigMap> informer(sim.client().rest());
    const ObservedInformer observed = sim.observe(informer);
    sim.rest();
  };
  expect_broken(forgets, "at rest all agree", "was never started");
}

TEST(AtRest, AnInformerThatHasStopped) {
  const auto stops = [](Simulation& sim, bool released) {
    SharedInformer<ConfigMap> informer(sim.client().rest());
    ObservedInformer observed = sim.observe(informer);
    static_cast<void>(informer.start());
    sim.run_for(seconds(1));
    informer.stop_and_wait();
    if (released) observed.release();
    sim.rest();
  };
  expect_broken([&](Simulation& sim) { stops(sim, false); }, "at rest all agree",
                "the informer has stopped");
  expect_nothing_broken([&](Simulation& sim) { stops(sim, true); });
}

TEST(Draw, OfNothingIsABrokenRule) {
  expect_broken([](Simulation& sim) { sim.draw(0); }, "draw() has something to draw from", "");
}

TEST(SimulatedThreads, OneThatWasMovedFromHasNothingToWaitFor) {
  expect_nothing_broken([](Simulation& sim) {
    auto first = sim.spawn("first", [](std::stop_token) {});
    SimulatedThread second = std::move(first);
    first.join();  // NOLINT(bugprone-use-after-move): what it does then
    second.join();
  });
}

// Objects whose labels come and go.
void change_labels(Simulation& sim) {
  for (int i = 0; i < 15; ++i) {
    sim.step("write", [&] {
      const json::Object labels =
          sim.one_in(2) ? json::Object{{"app", "web"}} : json::Object{{"app", "db"}};
      static_cast<void>(sim.server().load(config_map("a" + std::to_string(sim.draw(4)), labels)));
    });
    sim.run_for(milliseconds(sim.draw(15'000)));
  }
}

void follow(Simulation& sim, const InformerOptions& options) {
  change_labels(sim);
  SharedInformer<ConfigMap> informer(sim.client().rest(), options);
  const ObservedInformer observed = sim.observe(informer, options);
  static_cast<void>(informer.start());
  change_labels(sim);
  sim.rest();
}

TEST(Observe, ComparesWhatALabelSelectorMatches) {
  expect_nothing_broken([](Simulation& sim) { follow(sim, {.label_selector = "app=web"}); });
}

TEST(Observe, ComparesWhatAFieldSelectorOfKeysMatches) {
  expect_nothing_broken(
      [](Simulation& sim) { follow(sim, {.field_selector = "metadata.name=a1"}); });
}

TEST(Observe, RefusesASelectorOfOtherFields) {
  const auto observes = [](Simulation& sim) {
    const InformerOptions options{.field_selector = "data.value=a"};
    SharedInformer<ConfigMap> informer(sim.client().rest(), options);
    const ObservedInformer observed = sim.observe(informer, options);
  };
  expect_broken(observes, "observe() knows what the informer selects", "data.value=a");
}

TEST(Observe, ASelectorThatTheInformerDoesNotHaveIsNoticed) {
  const auto differ = [](Simulation& sim) {
    static_cast<void>(sim.server().load(config_map("a", {{"app", "db"}})));
    SharedInformer<ConfigMap> informer(sim.client().rest());
    const ObservedInformer observed = sim.observe(informer, {.label_selector = "app=web"});
    static_cast<void>(informer.start());
    sim.rest();
  };
  expect_broken(differ, "at rest all agree", "has objects that the server lacks");
}

TEST(Observe, ComparesNoContentThatWasDropped) {
  expect_nothing_broken([](Simulation& sim) { follow(sim, {.drop_fields = {"data"}}); });
}

// `content`: what the scenario says of the cache, whose transform changes the objects.
void transform(Simulation& sim, ObservedContent content) {
  SharedInformer<ConfigMap> informer(sim.client().rest());
  const auto changes = [](ConfigMap object) -> Result<ConfigMap> {
    object.data.clear();
    return object;
  };
  ASSERT_TRUE(informer.set_transform(changes));
  const ObservedInformer observed = sim.observe(informer, {}, {}, content);
  static_cast<void>(informer.start());
  change_labels(sim);
  sim.rest();
}

TEST(Observe, ComparesNoContentThatWasTransformed) {
  expect_nothing_broken([](Simulation& sim) { transform(sim, ObservedContent::VersionsOnly); });
  expect_broken([](Simulation& sim) { transform(sim, ObservedContent::Equal); },
                "at rest all agree", "has another content");
}

// `forgets`: the controller ends before the last object comes.
void reconcile(Simulation& sim, bool forgets) {
  const InformerOptions options{.namespace_ = "default", .label_selector = "app=web"};
  SharedInformer<ConfigMap> informer(sim.client().rest(), options);
  const ObservedInformer observed = sim.observe(informer, options);
  Controller controller(
      sim.runtime(),
      sim.watched(informer,
                  [](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
                    return ReconcileResult::done();
                  }),
      {.executor = sim.runtime().executor});
  static_cast<void>(controller.watch(informer));
  static_cast<void>(controller.start());
  static_cast<void>(informer.start());
  change_labels(sim);
  if (forgets) {
    controller.stop_and_wait();
    static_cast<void>(sim.server().load(config_map("late", {{"app", "web"}})));
  }
  sim.rest();
  controller.stop_and_wait();
}

TEST(Watched, TheLastReconcilesHaveSeenWhatTheServerHas) {
  expect_nothing_broken([](Simulation& sim) { reconcile(sim, false); });
  expect_broken([](Simulation& sim) { reconcile(sim, true); }, "at rest all agree",
                "default/late was never reconciled");
}

// The cache of an informer that is stuck agrees with its last reconcile; the server does not.
TEST(Watched, IsComparedWithTheServer) {
  const auto scenario = [](Simulation& sim) {
    SharedInformer<ConfigMap> informer(sim.client().rest());
    std::optional<ObservedInformer> observed = sim.observe(informer);
    const Reconciler reconciler = sim.watched(
        informer, [](const ReconcileRequest&, std::stop_token) -> Result<ReconcileResult> {
          return ReconcileResult::done();
        });
    static_cast<void>(informer.start());
    static_cast<void>(sim.server().load(config_map("a", {})));
    sim.run_for(seconds(5));
    static_cast<void>(reconciler({.key = {"default", "a"}}, {}));
    informer.stop_and_wait();
    observed->release();
    static_cast<void>(sim.server().load(config_map("a", {{"app", "web"}})));
    sim.rest();
  };
  expect_broken(scenario, "at rest all agree", "the server has");
}

}  // namespace
}  // namespace kube::testing
