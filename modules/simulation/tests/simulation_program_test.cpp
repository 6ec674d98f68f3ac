// SPDX-License-Identifier: Apache-2.0
#include <signal.h>  // NOLINT(modernize-deprecated-headers): raise(SIGALRM) is POSIX

#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/thread_turns.hpp>
#include <kube/simulation/simulation.hpp>

namespace kube::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Ended {
  int status = 0;
  std::string output{};
};

Ended run_program(const Scenario& scenario, std::vector<std::string> arguments) {
  const NamedScenario scenarios[] = {{"only", scenario}};
  arguments.insert(arguments.begin(), "simulate");
  std::vector<char*> argv;
  for (std::string& each : arguments) argv.push_back(each.data());
  ::testing::internal::CaptureStdout();
  Ended out;
  out.status = simulation_main(static_cast<int>(argv.size()), argv.data(), scenarios);
  out.output = ::testing::internal::GetCapturedStdout();
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

void several_steps(Simulation& sim) {
  for (int i = 0; i < 4; ++i) sim.step("a step that is not needed", [] {});
  sim.run_for(std::chrono::seconds(sim.draw(30)));
}

// Nothing but the scenario could end this wait, which has no stop token.
void waits_for_ever(Simulation& sim) {
  sim.step("the wait", [] {
    Mutex mutex;
    MutexLock lock(mutex);
    ThreadTurns::of_this_thread()->wait(lock, [] { return false; });
  });
}

TEST(SimulationMain, ABrokenRuleIsShrunkAndItsTraceShownUnasked) {
  const Ended ended = run_program(
      [](Simulation& sim) {
        several_steps(sim);
        sim.step("the cause", [&] { sim.fail("the rule", "is broken"); });
      },
      {"--seeds", "7..7"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.output, HasSubstr("seed 7 (only): the rule: is broken\n"));
  EXPECT_THAT(ended.output, HasSubstr("the shortest run that fails so, with 1 happenings:"));
  EXPECT_THAT(ended.output, HasSubstr("the cause\n"));
  EXPECT_THAT(ended.output, HasSubstr("BROKEN: the rule: is broken"));
  EXPECT_THAT(ended.output, HasSubstr("again: simulate --seed 7 --scenario only --trace"));
  EXPECT_THAT(ended.output, HasSubstr("; 1 ran, 1 failed;"));
}

TEST(SimulationMain, ACrashIsReportedWithItsSeedAndTheRemainingSeedsRun) {
  const Ended ended = run_program(
      [](Simulation& sim) {
        several_steps(sim);
        if (sim.one_in(4)) sim.step("the cause", [] { std::abort(); });
      },
      {"--seeds", "1..24", "--processes", "2", "--stop-after", "24"});
  EXPECT_EQ(ended.status, 1);
  const std::size_t crashes = count_of(ended.output, " (only): crash: signal 6");
  EXPECT_GT(crashes, 1U);
  EXPECT_LT(crashes, 24U);
  EXPECT_EQ(count_of(ended.output, "CRASH: signal 6"), crashes) << "traces";
  EXPECT_EQ(count_of(ended.output, "with 1 happenings:"), crashes) << "shrunk";
  EXPECT_THAT(ended.output, HasSubstr("; 24 ran, " + std::to_string(crashes) + " failed;"));
}

TEST(SimulationMain, OnlyTheSeedsThatRanAreCounted) {
  const Ended ended =
      run_program([](Simulation& sim) { sim.fail("the rule", ""); },
                  {"--seeds", "1..100", "--processes", "2", "--stop-after", "1", "--brief"});
  EXPECT_THAT(ended.output, HasSubstr("; 2 ran, 2 failed;"));
  EXPECT_THAT(ended.output, Not(HasSubstr("happenings")));
}

TEST(SimulationMain, AWaitThatCannotBeEndedHasItsRuleAndTrace) {
  const Ended ended = run_program(waits_for_ever, {"--seed", "5", "--calm"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.output, HasSubstr("seed 5 (only): all goes on: "));
  EXPECT_THAT(ended.output, HasSubstr("BROKEN: all goes on: "));
  EXPECT_THAT(ended.output, HasSubstr("CRASH: signal 6"));
}

// Nothing of the library waits, so nothing but the clock on the wall can end it.
void loops(Simulation& sim) {
  several_steps(sim);
  sim.step("the loop", [] {
    volatile bool goes_on = true;
    while (goes_on) {
    }
  });
}

TEST(SimulationMain, ARunThatDoesNotEndIsEnded) {
  const Ended ended =
      run_program(loops, {"--seeds", "1..1", "--calm", "--brief", "--max-seconds", "1"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.output, HasSubstr("seed 1 (only): all goes on: the run takes more than 1 s"));
}

// What the clock on the wall does when the time of a run is over.
void loops_until_its_time_is_over(Simulation& sim) {
  several_steps(sim);
  sim.step("the loop", [] { ::raise(SIGALRM); });
}

TEST(SimulationMain, ARunThatDoesNotEndIsReportedWithItsSeedAndTheOthersRun) {
  const Ended ended = run_program(
      [](Simulation& sim) {
        sim.one_in(2) ? loops_until_its_time_is_over(sim) : several_steps(sim);
      },
      {"--seeds", "1..4", "--calm", "--brief", "--max-seconds", "100"});
  EXPECT_EQ(ended.status, 1);
  const std::size_t hangs = count_of(ended.output,
                                     " (only): all goes on: the run takes more than 100 s; does it "
                                     "block outside of the library?\n");
  EXPECT_GT(hangs, 0U) << ended.output;
  EXPECT_LT(hangs, 4U) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("; 4 ran, " + std::to_string(hangs) + " failed;"));
}

TEST(SimulationMain, ARunThatDoesNotEndIsShrunkAndHasATrace) {
  const Ended ended =
      run_program(loops_until_its_time_is_over, {"--seed", "1", "--calm", "--max-seconds", "100"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.output, HasSubstr("with 1 happenings:"));
  EXPECT_THAT(ended.output, HasSubstr("the loop\nBROKEN: all goes on: the run takes more than "));
}

TEST(SimulationMain, ARuleOfTheUserKeepsItsNameWhenShrunk) {
  const Ended ended = run_program(
      [](Simulation& sim) {
        bool good = true;
        sim.at_rest("mine", [&] { return good ? "" : "no"; });
        sim.step("the cause", [&] { good = false; });
        sim.rest();
      },
      {"--seed", "1", "--calm"});
  EXPECT_THAT(ended.output, HasSubstr("seed 1 (only): mine: no\n"));
  EXPECT_THAT(ended.output, HasSubstr("with 1 happenings:"));
}

void does_nothing(Simulation& sim) {
  static_cast<void>(sim);
}

TEST(SimulationMain, ArgumentsThatCannotBeMeantAreRefused) {
  const std::vector<std::string> refused[] = {
      {},
      {"--seeds", "18446744073709551614..18446744073709551615"},
      {"--seeds", "9223372036854775800..9223372036854775809"},
      {"--new", "18446744073709551615"},
      {"--seeds", "1..2", "--processes", "1025"},
      {"--seeds", "1..2", "--max-seconds", "0"},
      {"--seeds", "1..2", "--trace"},
      {"--seeds", "1..2", "--without", "3"},
      {"--seeds", "1..2", "--seed", "1"},
      {"--seeds", "1..2", "--new", "1"},
      {"--seed", "1", "--new", "1"},
      {"--seed", "1", "--without", "99999999999"},
      {"--seed", "1", "--without", "4294967296"},
      {"--unknown", "1"},
  };
  for (const std::vector<std::string>& arguments : refused) {
    const Ended ended = run_program(does_nothing, arguments);
    EXPECT_EQ(ended.status, 2) << ::testing::PrintToString(arguments);
    EXPECT_EQ(ended.output, "");
  }
}

TEST(SimulationMain, TheLastSeedOfAllRuns) {
  const Ended ended =
      run_program(does_nothing, {"--seeds", "9223372036854775806..9223372036854775808"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.output, HasSubstr("; 3 ran, 0 failed;"));
}

TEST(SimulationMain, HelpIsPrinted) {
  const Ended ended = run_program(does_nothing, {"--help"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.output, HasSubstr("usage: simulate --seeds FIRST..LAST"));
  EXPECT_THAT(ended.output, HasSubstr("--stop-after N"));
}

TEST(SimulationDeathTest, AWaitThatCannotBeEndedAbortsWithSeedRuleAndTrace) {
  SimulationOptions options;
  options.seed = 5;
  options.trace = true;
  options.faults = false;
  EXPECT_DEATH(static_cast<void>(simulate(options, waits_for_ever)),
               "seed 5 can't go on: all goes on: .*\n.*#.* the wait");
}

}  // namespace
}  // namespace kube::testing
