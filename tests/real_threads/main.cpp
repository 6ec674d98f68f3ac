// SPDX-License-Identifier: Apache-2.0
//
// real_threads: the scenarios of the simulation on threads and sockets, one fault at a time.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <kube/base/worker_thread.hpp>

#include "scenarios.hpp"
#include "thread_stage.hpp"

namespace real_threads {
namespace {

using kube::testing::NamedScenario;
using kube::testing::SimulationOptions;
using kube::testing::SimulationReport;

constexpr const char* kUsage =
    "usage: real_threads [--fault F-NN] [--scenario NAME] [--seed N] [--runs N] [--pace N]\n"
    "                    [--processes N] [--trace] [--list]\n"
    "  --fault      one fault (all, and none)\n"
    "  --scenario   one scenario (those that the fault concerns, in turns)\n"
    "  --seed       of the first run of a fault (from the clock)\n"
    "  --runs       of a fault (6); more until it has happened three times\n"
    "  --pace       how many times as fast as real time runs (50)\n"
    "  --processes  at the same time (16)\n"
    "  --trace      prints what happened in a run that failed\n"
    "  --list       the faults\n";

// Without any fault.
constexpr std::string_view kCalm = "none";
// A fault has to happen so often.
constexpr std::uint64_t kTimes = 3;
constexpr std::uint64_t kMoreRuns = 200;

struct Arguments {
  std::string fault{};
  std::string scenario{};
  std::uint64_t seed = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1));
  std::uint64_t runs = 6;
  std::uint64_t pace = 50;
  std::uint64_t processes = 16;
  bool trace = false;
  bool list = false;
};

bool read_number(std::string_view text, std::uint64_t& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc() && end == text.data() + text.size() && out > 0;
}

bool read_arguments(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name(argv[i]);
    if (name == "--trace" || name == "--list") {
      (name == "--list" ? out.list : out.trace) = true;
      continue;
    }
    if (++i == argc) return false;
    const std::string_view value(argv[i]);
    std::uint64_t* number = name == "--seed"        ? &out.seed
                            : name == "--runs"      ? &out.runs
                            : name == "--pace"      ? &out.pace
                            : name == "--processes" ? &out.processes
                                                    : nullptr;
    if (number != nullptr) {
      if (!read_number(value, *number)) return false;
    } else if (name == "--fault") {
      out.fault = value;
    } else if (name == "--scenario") {
      out.scenario = value;
    } else {
      return false;
    }
  }
  return true;
}

class Program {
 public:
  Program(const Arguments& arguments, std::vector<Fault> faults)
      : arguments_(arguments), faults_(std::move(faults)) {}

  int run() const {
    std::printf("seed %llu\n", static_cast<unsigned long long>(arguments_.seed));
    std::fflush(stdout);
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t shares =
        std::min<std::size_t>(faults_.size(), static_cast<std::size_t>(arguments_.processes));
    std::vector<pid_t> children;
    for (std::size_t i = 0; i < shares; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        const bool passed = run_share(i, shares);
        std::fflush(stdout);
        // As exit() does: an I/O thread on which the last owner of its transport was destroyed.
        kube::WorkerThread::join_orphans();
        _exit(passed ? 0 : 1);
      }
      children.push_back(child);
    }
    bool passed = true;
    for (const pid_t child : children) {
      int status = 1;
      if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) passed = false;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::printf("%zu faults, %s; %.1f s\n", faults_.size(), passed ? "none failed" : "FAILED",
                taken.count());
    return passed ? 0 : 1;
  }

 private:
  bool run_share(std::size_t first, std::size_t step) const {
    // ThreadSanitizer's own thread begins with the first one, and stays.
    std::thread([] {}).join();
    bool passed = true;
    for (std::size_t i = first; i < faults_.size(); i += step) {
      if (!run_fault(faults_[i], i)) passed = false;
    }
    return passed;
  }

  bool run_fault(const Fault& fault, std::size_t index) const {
    const bool is_calm = fault.number == kCalm;
    const std::uint64_t runs =
        is_calm ? kube::simulated::threaded_scenarios().size() : arguments_.runs;
    Tally all;
    std::uint64_t done = 0;
    for (; done < runs || (!is_calm && all.injected < kTimes && done < runs + kMoreRuns); ++done) {
      Tally tally;
      SimulationOptions options;
      options.seed = arguments_.seed + done;
      options.trace = arguments_.trace;
      const NamedScenario& scenario = scenario_of(fault, options.seed + index);
      const SimulationReport report = kube::testing::simulate(
          options, thread_stage(fault, static_cast<int>(arguments_.pace), tally), scenario.run);
      all.injected += tally.injected;
      all.requests += tally.requests;
      if (report.broken) return failed(fault, scenario, options.seed, report);
    }
    if (!is_calm && all.injected < kTimes) {
      std::printf("%-5s FAILED: \"%s\" happened %llu times in %llu runs\n", fault.number.c_str(),
                  fault.name.c_str(), static_cast<unsigned long long>(all.injected),
                  static_cast<unsigned long long>(done));
      std::fflush(stdout);
      return false;
    }
    std::printf("%-5s %-55s %2llu runs, %4llu requests, %3llu times\n", fault.number.c_str(),
                fault.name.c_str(), static_cast<unsigned long long>(done),
                static_cast<unsigned long long>(all.requests),
                static_cast<unsigned long long>(all.injected));
    std::fflush(stdout);
    return true;
  }

  const NamedScenario& scenario_of(const Fault& fault, std::uint64_t nth) const {
    const auto all = kube::simulated::threaded_scenarios();
    if (!arguments_.scenario.empty()) {
      return *std::ranges::find(all, arguments_.scenario, &NamedScenario::name);
    }
    if (fault.number == kCalm) return all[nth % all.size()];
    std::vector<const NamedScenario*> concerned;
    for (const NamedScenario& each :
         is_honest(fault) ? all : kube::simulated::library_scenarios()) {
      const bool writes = each.name.starts_with("controller") || each.name == "written";
      if (each.name != "queues" && (writes || !fault.needs_writes)) concerned.push_back(&each);
    }
    return *concerned[nth % concerned.size()];
  }

  static bool failed(const Fault& fault, const NamedScenario& scenario, std::uint64_t seed,
                     const SimulationReport& report) {
    std::printf(
        "%s%-5s FAILED: %s, scenario %s: %s: %s\n"
        "again: real_threads --fault %s --scenario %s --seed %llu --runs 1 --trace\n",
        report.trace.c_str(), fault.number.c_str(), fault.name.c_str(), scenario.name.c_str(),
        report.broken->rule.c_str(), report.broken->what.c_str(), fault.number.c_str(),
        scenario.name.c_str(), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return false;
  }

  const Arguments& arguments_;
  const std::vector<Fault> faults_;
};

int run_program(int argc, char** argv) {
  Arguments arguments;
  const auto scenarios = kube::simulated::threaded_scenarios();
  if (!read_arguments(argc, argv, arguments) ||
      (!arguments.scenario.empty() &&
       std::ranges::find(scenarios, arguments.scenario, &NamedScenario::name) == scenarios.end())) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::vector<Fault> faults = all_faults();
  faults.push_back({.number = std::string(kCalm), .name = "no fault"});
  if (arguments.list) {
    for (const Fault& fault : faults) {
      std::printf("%s\t%s\n", fault.number.c_str(), fault.name.c_str());
    }
    return 0;
  }
  if (!arguments.fault.empty()) {
    std::erase_if(faults, [&](const Fault& fault) { return fault.number != arguments.fault; });
  }
  if (faults.empty()) {
    std::fprintf(stderr, "unknown fault \"%s\"; --list prints them\n", arguments.fault.c_str());
    return 2;
  }
  return Program(arguments, std::move(faults)).run();
}

}  // namespace
}  // namespace real_threads

int main(int argc, char** argv) {
  return real_threads::run_program(argc, argv);
}
