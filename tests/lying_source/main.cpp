// SPDX-License-Identifier: Apache-2.0
//
// lying_source: runs seeds, and prints those that found something.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

#include "simulation.hpp"

namespace {

using namespace kube::lying;

constexpr const char* kUsage =
    "usage: lying_source --seeds FROM:COUNT [--served] [--stop-after FAILURES] [--lies]\n"
    "       lying_source --part PART:PARTS:COUNT   one of PARTS of COUNT seeds that change with "
    "the\n"
    "                                              time, or begin at KUBE_LYING_SEED\n"
    "       lying_source --seed SEED [--served] [--trace]\n"
    "--served: a cache server answers from the informer, and another informer reads from it\n";

std::optional<std::uint64_t> read_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(':')) text.remove_prefix(1);
  return value;
}

struct Seeds {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// Those below are run once for all.
constexpr std::uint64_t kFirstOfTime = 1'000'000'000;

std::optional<Seeds> seeds_of_part(std::string_view text) {
  const auto part = read_number(text);
  const auto parts = read_number(text);
  const auto count = read_number(text);
  if (!part || !parts || !count || *part >= *parts || !text.empty()) return std::nullopt;
  std::uint64_t base = 0;
  if (const char* given = std::getenv("KUBE_LYING_SEED"); given != nullptr && *given != '\0') {
    std::string_view number(given);
    const auto value = read_number(number);
    if (!value || !number.empty()) return std::nullopt;
    base = *value;
  } else {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    base =
        kFirstOfTime +
        static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(now).count()) * *count;
  }
  const std::uint64_t each = *count / *parts;
  return Seeds{base + *part * each, each};
}

// Of the seed under way, for one that ends the program.
char crash_text[64];

void say_seed(int signal) {
  static_cast<void>(write(STDERR_FILENO, crash_text, std::strlen(crash_text)));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::optional<std::string> simulate_named(std::uint64_t seed, bool served, bool trace,
                                          LieCounts& counts) {
  std::snprintf(crash_text, sizeof(crash_text), "seed %llu: crash\n",
                static_cast<unsigned long long>(seed));
  return simulate(seed, served, trace, counts);
}

int run_seeds(Seeds seeds, bool served, std::uint64_t stop_after, bool show_lies) {
  LieCounts counts{};
  std::uint64_t failed = 0;
  std::uint64_t done = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (; done < seeds.count && failed < stop_after; ++done) {
    const std::uint64_t seed = seeds.first + done;
    if (const auto found = simulate_named(seed, served, false, counts)) {
      ++failed;
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), found->c_str());
      std::fflush(stdout);
    }
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (show_lies) {
    for (std::size_t i = 0; i < kLieCount; ++i) {
      std::printf("%10llu %.*s\n", static_cast<unsigned long long>(counts[i]),
                  static_cast<int>(kLies[i].name.size()), kLies[i].name.data());
    }
  }
  const auto told = [](std::uint64_t count) { return count != 0; };
  std::printf("seeds %llu..%llu, %llu failed; %.1f s, %lld of %zu lies told\n",
              static_cast<unsigned long long>(seeds.first),
              static_cast<unsigned long long>(seeds.first + done - 1),
              static_cast<unsigned long long>(failed), taken.count(),
              static_cast<long long>(std::count_if(counts.begin(), counts.end(), told)), kLieCount);
  if (failed != 0)
    std::printf("look into one: lying_source --seed SEED%s --trace\n", served ? " --served" : "");
  return failed == 0 ? 0 : 1;
}

int run_seed(std::uint64_t seed, bool served, bool trace) {
  LieCounts counts{};
  const auto found = simulate_named(seed, served, trace, counts);
  std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
              found ? found->c_str() : "nothing found");
  return found ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  // The reader's buffers stay with the thread; what a run holds is measured without them.
  static_cast<void>(kube::json::parse(std::string(std::size_t{1} << 20, ' ')));
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) std::signal(signal, &say_seed);
  std::optional<Seeds> seeds;
  std::optional<std::uint64_t> seed;
  bool served = false;
  bool trace = false;
  std::uint64_t stop_after = 10;
  bool show_lies = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    std::string_view value(i + 1 < argc ? argv[i + 1] : "");
    if (argument == "--served") {
      served = true;
    } else if (argument == "--trace") {
      trace = true;
    } else if (argument == "--stop-after") {
      stop_after = read_number(value).value_or(stop_after);
      ++i;
    } else if (argument == "--lies") {
      show_lies = true;
    } else if (argument == "--seed") {
      seed = read_number(value);
      ++i;
    } else if (argument == "--part") {
      seeds = seeds_of_part(value);
      ++i;
    } else if (argument == "--seeds") {
      const auto first = read_number(value);
      const auto count = read_number(value);
      if (first && count && value.empty()) seeds = Seeds{*first, *count};
      ++i;
    }
  }
  if (seed) return run_seed(*seed, served, trace);
  if (seeds) return run_seeds(*seeds, served, stop_after, show_lies);
  std::fputs(kUsage, stderr);
  return 2;
}
