// SPDX-License-Identifier: Apache-2.0
//
// The program that runs scenarios by seed.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/simulation/simulation.hpp>

#include "black_box.hpp"
#include "isolated_run.hpp"
#include "shares.hpp"

namespace kube::testing {
namespace {

constexpr const char* kUsage =
    "usage: simulate --seeds FIRST..LAST [--scenario NAME] [--processes N] [--stop-after N] ...\n"
    "                                a seed that fails is shrunk, and its trace is shown\n"
    "       simulate --new COUNT ... COUNT seeds that change with the time, or begin at\n"
    "                                KUBE_SIMULATION_SEED\n"
    "       simulate --seed N [--scenario NAME] ...\n"
    "       simulate --seed N --trace ...\n"
    "                                exactly this run, in this process, with its trace, and "
    "without\n"
    "                                --max-seconds\n"
    "       simulate --list          the names of the scenarios\n"
    "\n"
    "  --scenario NAME    this one alone; else seed N runs the scenario N modulo their number\n"
    "  --calm             without faults of the network, the servers and the clock\n"
    "  --in-order         tasks run in the order in which they became ready\n"
    "  --without 3,4,17   leaves these happenings out; for --seed\n"
    "  --processes N      how many share the seeds; at most 1024 (4 for each processor)\n"
    "  --stop-after N     each process ends after so many failed runs (3): the last line says how\n"
    "                     many seeds ran\n"
    "  --max-seconds N    a run that takes longer by the clock on the wall has failed (60; 600 "
    "under\n"
    "                     sanitizers)\n"
    "  --brief            a line for each failure, without shrinking and trace\n"
    "\n"
    "Ends with 0; 1 when a run failed; 2 for wrong arguments.\n";

// So that no sum of a seed and a number of processes wraps.
constexpr std::uint64_t kLastSeed = std::uint64_t{1} << 63;
constexpr std::uint64_t kMaxProcesses = 1024;

struct Arguments {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> seed{};
  int ways = 0;  // of --seed, --seeds and --new
  std::string scenario{};
  // More than processors: threads that hand over to each other leave gaps.
  std::uint64_t processes = 4 * std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t stop_after = 3;
  std::uint64_t max_seconds = static_cast<std::uint64_t>(default_run_limit().count());
  bool list = false;
  bool help = false;
  bool brief = false;
  SimulationOptions options{};
};

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

bool read_seeds(std::string_view text, Arguments& out) {
  const auto first = take_number(text);
  if (!first || !text.starts_with("..")) return false;
  text.remove_prefix(2);
  const auto last = take_number(text);
  if (!last || !text.empty() || *last < *first || *last > kLastSeed) return false;
  out.first = *first;
  out.last = *last;
  ++out.ways;
  return true;
}

bool read_new(std::string_view text, Arguments& out) {
  const auto count = whole_number(text);
  if (!count || *count == 0 || *count > kLastSeed) return false;
  const char* given = std::getenv("KUBE_SIMULATION_SEED");
  if (given != nullptr && *given != '\0') {
    const auto first = whole_number(given);
    if (!first) return false;
    out.first = *first;
  } else {
    constexpr std::uint64_t kFirstOfTime = 1'000'000'000;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).count();
    out.first = kFirstOfTime + static_cast<std::uint64_t>(seconds) * 1000;
  }
  out.last = out.first + *count - 1;
  ++out.ways;
  return out.first <= kLastSeed && out.last <= kLastSeed;
}

bool read_without(std::string_view text, std::set<std::uint32_t>& out) {
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return false;
    out.insert(static_cast<std::uint32_t>(*number));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
  return true;
}

bool read_number(std::string_view text, std::uint64_t most, std::uint64_t& out) {
  const auto value = whole_number(text);
  if (!value || *value == 0 || *value > most) return false;
  out = *value;
  return true;
}

bool read_value(std::string_view word, std::string_view value, Arguments& out) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kMaxSeconds = 1'000'000;
  if (word == "--seeds") return read_seeds(value, out);
  if (word == "--new") return read_new(value, out);
  if (word == "--scenario") return !(out.scenario = value).empty();
  if (word == "--processes") return read_number(value, kMaxProcesses, out.processes);
  if (word == "--stop-after") return read_number(value, kAny, out.stop_after);
  if (word == "--max-seconds") return read_number(value, kMaxSeconds, out.max_seconds);
  if (word == "--without") return read_without(value, out.options.without);
  ++out.ways;
  return word == "--seed" && (out.seed = whole_number(value)).has_value();
}

// Returns what contradicts itself, or "".
std::string contradiction(const Arguments& arguments) {
  if (arguments.list || arguments.help) return {};
  if (arguments.ways != 1) return "expected one of --seed, --seeds, --new and --list";
  if (arguments.seed) return {};
  if (arguments.options.trace) return "--trace shows one run: use it with --seed";
  if (!arguments.options.without.empty()) return "--without is of one run: use it with --seed";
  return {};
}

Result<Arguments> read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--trace") {
      out.options.trace = true;
    } else if (word == "--in-order") {
      out.options.in_order = true;
    } else if (word == "--calm") {
      out.options.faults = false;
    } else if (word == "--brief") {
      out.brief = true;
    } else if (word == "--list") {
      out.list = true;
    } else if (word == "--help" || word == "-h") {
      out.help = true;
    } else {
      const std::string_view value = i + 1 < argc ? argv[++i] : "";
      if (!read_value(word, value, out)) {
        return Error(ErrorCode::InvalidArgument,
                     "can't use " + std::string(word) + " \"" + std::string(value) + "\"");
      }
    }
  }
  if (std::string wrong = contradiction(out); !wrong.empty()) {
    return Error(ErrorCode::InvalidArgument, std::move(wrong));
  }
  return out;
}

// What was printed so far leaves at once, so that a run that crashes has shown what it did.
class PrintingBox final : public BlackBox {
 public:
  void happened(std::uint32_t /*number*/) override {}
  void broken(const BrokenRule& /*rule*/) override {}
  void line(const std::string& text) override {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
};

// In one piece, since several processes write.
void print_text(const std::string& text) {
  std::fflush(stdout);
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

class Program {
  static constexpr std::size_t kMaxRuns = 400;
  static constexpr std::size_t kMaxRunsThatHang = 60;
  static constexpr int kHangsShorter = 20;

 public:
  Program(const Arguments& arguments, const char* name, std::span<const NamedScenario> scenarios)
      : arguments_(arguments), name_(name), scenarios_(scenarios) {}

  const NamedScenario* scenario_of(std::uint64_t seed) const {
    if (arguments_.scenario.empty()) return &scenarios_[seed % scenarios_.size()];
    const auto found = std::ranges::find(scenarios_, arguments_.scenario, &NamedScenario::name);
    return found == scenarios_.end() ? nullptr : &*found;
  }

  // Exactly this run, in this process, for a debugger, too.
  int replay(std::uint64_t seed) const {
    SimulationOptions options = options_of(seed);
    options.trace = true;
    PrintingBox box;
    BlackBox::set_of_process(&box);
    const SimulationReport report = simulate(options, scenario_of(seed)->run);
    BlackBox::set_of_process(nullptr);
    if (report.broken) print_text(headline(seed, *report.broken));
    if (!report.broken) print_text(nothing_found(seed, report.steps));
    return report.broken ? 1 : 0;
  }

  int run_seed(std::uint64_t seed) const {
    if (arguments_.options.trace) return replay(seed);
    const IsolatedReport report =
        run_isolated(options_of(seed), scenario_of(seed)->run, run_limit());
    if (report.broken) show(seed, *report.broken);
    if (!report.broken) print_text(nothing_found(seed, report.steps));
    return report.broken ? 1 : 0;
  }

  int run_all() const {
    const auto begin = std::chrono::steady_clock::now();
    const SeedFunctions functions{
        [this](std::uint64_t seed) {
          return simulate(options_of(seed), scenario_of(seed)->run).broken;
        },
        [this](std::uint64_t seed, const BrokenRule& broken) { show(seed, broken); }};
    const ShareResult result = run_shares({arguments_.first, arguments_.last, arguments_.processes,
                                           arguments_.stop_after, run_limit()},
                                          functions);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const bool passed = result.whole && result.failed == 0 && !result.leaks;
    if (result.leaks) print_text("nothing leaks: LeakSanitizer has found memory, see above\n");
    char line[256];
    std::snprintf(line, sizeof(line),
                  "seeds %llu..%llu, %s; %llu ran, %llu failed; %.1f s, %.0f schedules a second "
                  "in %llu processes\n",
                  number(arguments_.first), number(arguments_.last),
                  passed ? "none failed" : "FAILED", number(result.ran), number(result.failed),
                  taken.count(), static_cast<double>(result.ran) / taken.count(),
                  number(result.processes));
    print_text(line);
    return passed ? 0 : 1;
  }

 private:
  std::chrono::seconds run_limit() const {
    return std::chrono::seconds(static_cast<std::int64_t>(arguments_.max_seconds));
  }
  static unsigned long long number(std::uint64_t value) { return value; }

  SimulationOptions options_of(std::uint64_t seed) const {
    SimulationOptions options = arguments_.options;
    options.seed = seed;
    options.trace = false;
    return options;
  }

  std::string headline(std::uint64_t seed, const BrokenRule& broken) const {
    return "seed " + std::to_string(seed) + " (" + scenario_of(seed)->name + "): " + broken.rule +
           ": " + broken.what + "\n";
  }
  std::string nothing_found(std::uint64_t seed, std::size_t steps) const {
    return "seed " + std::to_string(seed) + " (" + scenario_of(seed)->name + "): nothing found; " +
           std::to_string(steps) + " steps\n";
  }

  // Shrinking takes seconds, so that the seed is printed before it begins.
  void show(std::uint64_t seed, const BrokenRule& broken) const {
    print_text(headline(seed, broken));
    if (arguments_.brief) return;
    const NamedScenario& scenario = *scenario_of(seed);
    // One that hangs is not waited for as long again: good runs take milliseconds.
    const bool hangs = took_too_long(broken);
    const auto limit =
        hangs ? std::max(run_limit() / kHangsShorter, std::chrono::seconds(1)) : run_limit();
    SimulationOptions shortest =
        shrink_isolated(options_of(seed), scenario.run, limit, hangs ? kMaxRunsThatHang : kMaxRuns);
    shortest.trace = true;
    const IsolatedReport report = run_isolated(shortest, scenario.run, limit);
    print_text("seed " + std::to_string(seed) + ", the shortest run that fails so, with " +
               std::to_string(report.happened.size()) + " happenings:\n" + report.trace +
               "again: " + command(shortest, scenario) + "\n");
  }

  std::string command(const SimulationOptions& options, const NamedScenario& scenario) const {
    std::string out = std::string(name_) + " --seed " + std::to_string(options.seed) +
                      " --scenario " + scenario.name + " --trace";
    if (options.in_order) out += " --in-order";
    if (!options.faults) out += " --calm";
    if (options.without.empty()) return out;
    out += " --without ";
    for (const std::uint32_t each : options.without) out += std::to_string(each) + ",";
    out.pop_back();
    return out;
  }

  const Arguments& arguments_;
  const char* name_;
  std::span<const NamedScenario> scenarios_;
};

}  // namespace

int simulation_main(int argc, char** argv, std::span<const NamedScenario> scenarios) {
  const auto arguments = read_arguments(argc, argv);
  const char* name = argc > 0 ? argv[0] : "simulate";
  if (!arguments || scenarios.empty()) {
    std::fprintf(stderr, "%s: %s\n%s", name,
                 arguments ? "there are no scenarios" : arguments.error().message().c_str(),
                 kUsage);
    return 2;
  }
  if (arguments->help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (arguments->list) {
    for (const NamedScenario& scenario : scenarios) std::printf("%s\n", scenario.name.c_str());
    return 0;
  }
  const Program program(*arguments, name, scenarios);
  if (program.scenario_of(0) == nullptr) {
    std::fprintf(stderr, "unknown scenario \"%s\"; --list prints them\n",
                 arguments->scenario.c_str());
    return 2;
  }
  return arguments->seed ? program.run_seed(*arguments->seed) : program.run_all();
}

}  // namespace kube::testing
