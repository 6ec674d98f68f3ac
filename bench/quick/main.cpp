// SPDX-License-Identifier: Apache-2.0
//
// Runs the quick cases. Under callgrind each leaves a dump that is named after it; bench/quick.sh
// reads them. Without callgrind it prints the names, or runs the cases that are named.
//
//   quick [--list] [NAME...]
#include <valgrind/callgrind.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

#include "cases.hpp"

namespace {

std::vector<kube::bench::QuickCase> all_cases() {
  std::vector<kube::bench::QuickCase> all;
  for (auto* group : {kube::bench::cache_cases, kube::bench::codec_cases, kube::bench::queue_cases,
                      kube::bench::apiserver_cases}) {
    auto cases = group();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

void count(const kube::bench::QuickCase& one) {
  // The first run fills the allocator's and the libraries' caches.
  one.prepare()();
  const std::function<void()> run = one.prepare();
  // A dump, because CALLGRIND_ZERO_STATS leaves costs of the preparation in later totals. This one
  // has no name, so bench/quick.sh passes over it.
  CALLGRIND_DUMP_STATS;
  run();
  const std::string trigger = one.name + " " + std::to_string(one.count) + " " + one.unit;
  CALLGRIND_DUMP_STATS_AT(trigger.c_str());
  std::printf("%s\n", one.name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv + 1, static_cast<std::size_t>(argc - 1));
  const bool lists = !arguments.empty() && std::string_view(arguments[0]) == "--list";
  for (const auto& one : all_cases()) {
    if (lists) {
      std::printf("%s\n", one.name.c_str());
    } else if (arguments.empty() ||
               std::find(arguments.begin(), arguments.end(), one.name) != arguments.end()) {
      count(one);
    }
  }
}
