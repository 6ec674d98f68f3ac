// SPDX-License-Identifier: Apache-2.0
//
// What a look-up, a query by index and a list of 100,000 objects take, one by one, with and without
// a writer beside them. bench/peers/reads does the same with client-go's store, bench/reads.sh
// compares them. Prints for each the median, the 99th and the 99.9th percentile in nanoseconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store_writer.hpp"

#include <kube/cache/indexer.hpp>
#include <kube/cache/lister.hpp>
#include <kube/codec/unstructured.hpp>

namespace {

using namespace kube;
using namespace kube::cache;
using SteadyClock = std::chrono::steady_clock;

constexpr int kObjects = 100'000;
constexpr int kNamespaces = 200;
constexpr auto kWritePause = std::chrono::microseconds(50);

CellRef make_cell(int index, int version) {
  static const std::string body(1000, 'x');
  const std::string namespace_ = "namespace-" + std::to_string(index % kNamespaces);
  const std::string name = "deployment-7d4b9c-" + std::to_string(index);
  const std::string number = std::to_string(version);
  return Cell::make(cell_type<Unstructured>(), {.namespace_ = namespace_,
                                                .name = name,
                                                .uid = "00000000-0000-0000-0000-000000000000",
                                                .resource_version = number,
                                                .body = body});
}

template <class Call>
void measure(const std::string& name, int count, const Call& call) {
  std::vector<std::int64_t> taken;
  taken.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const auto begin = SteadyClock::now();
    call(i);
    taken.push_back(std::chrono::nanoseconds(SteadyClock::now() - begin).count());
  }
  std::sort(taken.begin(), taken.end());
  const auto at = [&](double p) {
    return static_cast<long long>(
        taken[static_cast<std::size_t>(p * static_cast<double>(taken.size() - 1))]);
  };
  std::printf("%s\t%lld\t%lld\t%lld\n", name.c_str(), at(0.5), at(0.99), at(0.999));
}

template <class T>
void keep(T&& result) {
  asm volatile("" : : "g"(&result) : "memory");
}

}  // namespace

int main(int, char** argv) {
  const int gets = std::atoi(argv[1]);
  auto store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer(store);
  std::vector<std::string> keys;
  std::vector<CellRef> items;
  for (int i = 0; i < kObjects; ++i) {
    items.push_back(make_cell(i, 1));
    keys.emplace_back(items.back()->key());
  }
  if (!writer.replace(std::move(items), "1")) return 1;
  std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
  keys = std::vector<std::string>(keys);  // in the order of their use, as a queue would have them
  std::vector<std::string> names;
  for (int i = 0; i < kNamespaces; ++i) names.push_back("namespace-" + std::to_string(i));

  const Lister<Unstructured> lister(store);
  const Indexer<Unstructured> indexer(store);
  const auto all = [&](const std::string& suffix) {
    measure("get" + suffix, gets,
            [&](int i) { keep(lister.find(keys[static_cast<std::size_t>(i % kObjects)])); });
    measure("by_index" + suffix, gets / 100, [&](int i) {
      keep(indexer.by_index(kNamespaceIndex, names[static_cast<std::size_t>(i % kNamespaces)]));
    });
    measure("list" + suffix, 100, [&](int) { keep(lister.list()); });
  };
  measure("clock", gets, [](int) {});
  all("");
  std::jthread writes([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      Delta change{.type = DeltaType::Updated, .cell = make_cell(i % kObjects, i)};
      writer.apply({&change, 1});
      for (const auto until = SteadyClock::now() + kWritePause; SteadyClock::now() < until;) {
        std::this_thread::yield();
      }
    }
  });
  all("_written");
}
