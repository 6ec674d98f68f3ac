// SPDX-License-Identifier: Apache-2.0
//
// fault_scenarios: runs an informer, or calls of Api, against servers that misbehave, and judges
// what it costs by the bounds of each scenario. docs/faults.md has the table.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "client.hpp"
#include "measure.hpp"
#include "scenario.hpp"
#include "table.hpp"

namespace faults {
namespace {

constexpr int kHeavyLanes = 4;

struct Arguments {
  std::string client;
  std::vector<std::string> only;
  int seconds = 4;
  int jobs = 80;
  bool table = false;
  bool list = false;
  std::string write;
  std::string page;
  std::string which = "all";
};

// Runs all, many at a time, and says how each went. Heavy ones have lanes of their own.
class Runner {
 public:
  Runner(std::vector<Scenario> scenarios, Run run, int jobs)
      : scenarios_(std::move(scenarios)), run_(std::move(run)), outcomes_(scenarios_.size()) {
    std::vector<std::jthread> lanes;
    for (int i = 0; i < kHeavyLanes; ++i) lanes.emplace_back([this] { work(true); });
    for (int i = 0; i < jobs; ++i) lanes.emplace_back([this] { work(false); });
  }

  const std::vector<Scenario>& scenarios() const { return scenarios_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  void work(bool heavy) {
    for (std::size_t i = next_[heavy]++; i < scenarios_.size(); i = next_[heavy]++) {
      if (scenarios_[i].heavy != heavy) continue;
      outcomes_[i] = measure(scenarios_[i], run_);
      report(i);
    }
  }
  void report(std::size_t i) {
    const std::lock_guard lock(mutex_);
    const Outcome& outcome = outcomes_[i];
    if (!outcome.broken.empty()) std::cerr << "FAILED  " << scenarios_[i].name << '\n';
    for (const std::string& sentence : outcome.broken) std::cerr << "        " << sentence << '\n';
  }

  const std::vector<Scenario> scenarios_;
  const Run run_;
  std::vector<Outcome> outcomes_;
  std::atomic<std::size_t> next_[2] = {};
  std::mutex mutex_;
};

bool chosen(const Arguments& arguments, const Scenario& scenario) {
  if (arguments.which != "all" && scenario.slow != (arguments.which == "slow")) return false;
  if (arguments.only.empty()) return true;
  for (const std::string& only : arguments.only) {
    if (scenario.name.find(only) != std::string::npos) return true;
  }
  return false;
}

int run_scenarios(const Arguments& arguments) {
  Run run;
  run.program = "/proc/self/exe";
  run.time = std::chrono::seconds(1);
  run.idle_mib = measure(without_fault(), run).final_mib;
  run.time = std::chrono::seconds(arguments.seconds);
  std::vector<Scenario> scenarios;
  for (Scenario& scenario : all_scenarios()) {
    if (chosen(arguments, scenario)) scenarios.push_back(std::move(scenario));
  }
  if (scenarios.empty()) {
    std::cerr << "no scenario has that name\n";
    return 2;
  }
  const Runner runner(std::move(scenarios), run, arguments.jobs);
  std::size_t failed = 0;
  for (const Outcome& outcome : runner.outcomes()) failed += outcome.broken.empty() ? 0 : 1;
  const std::string measured = table(runner.scenarios(), runner.outcomes(), run);
  if (arguments.table) std::cout << measured;
  if (!arguments.write.empty() && write_page(arguments.write, measured) != 0) return 2;
  std::cerr << runner.outcomes().size() << " scenarios, " << failed
            << " failed; an idle client has " << *run.idle_mib << " MiB\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace faults

int main(int argc, char** argv) {
  faults::Arguments arguments;
  CLI::App app{"Servers that misbehave, and what a client makes of them."};
  app.add_option("--client", arguments.client)->group("");
  app.add_option("--only", arguments.only, "Scenarios whose name holds one of these")
      ->delimiter(',');
  app.add_option("--seconds", arguments.seconds, "Of misbehaviour, after the first one");
  app.add_option("--jobs", arguments.jobs, "Scenarios at a time, heavy ones aside");
  app.add_option("--which", arguments.which, "quick, slow (they wait for minutes) or all")
      ->check(CLI::IsMember({"quick", "slow", "all"}));
  app.add_flag("--table", arguments.table, "Prints what was measured, as Markdown");
  app.add_option("--write", arguments.write, "Puts that into this document");
  app.add_flag("--list", arguments.list, "Prints the names");
  app.add_option("--page", arguments.page, "Checks that this document has a row for each scenario");
  CLI11_PARSE(app, argc, argv);
  if (!arguments.client.empty()) return faults::run_client(arguments.client);
  if (!arguments.page.empty()) return faults::check_page(arguments.page, faults::all_scenarios());
  if (arguments.list) {
    for (const faults::Scenario& scenario : faults::all_scenarios()) {
      std::cout << scenario.name << '\n';
    }
    return 0;
  }
  return faults::run_scenarios(arguments);
}
