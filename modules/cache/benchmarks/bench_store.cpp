// SPDX-License-Identifier: Apache-2.0
//
// What readers and the writer of a store of 100,000 objects pay: look-ups while the store is
// written, queries by index, changes and relists.
#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "store_writer.hpp"

#include <kube/cache/indexer.hpp>
#include <kube/cache/lister.hpp>

namespace {

using namespace kube;
using namespace kube::cache;

constexpr int kObjects = 100'000;
constexpr int kNamespaces = 200;  // of 500 objects each

CellRef make_cell(int index, int version) {
  static const std::string body(1000, 'x');
  const std::string namespace_ = "namespace-" + std::to_string(index % kNamespaces);
  const std::string name = "deployment-7d4b9c-" + std::to_string(index);
  return Cell::make(cell_type<Unstructured>(), {.namespace_ = namespace_,
                                                .name = name,
                                                .uid = "00000000-0000-0000-0000-000000000000",
                                                .resource_version = std::to_string(version),
                                                .body = body});
}

/// A filled store, its keys, and a writer that may run beside the readers.
struct Filled {
  Filled() {
    std::vector<CellRef> items;
    for (int i = 0; i < kObjects; ++i) {
      items.push_back(make_cell(i, 1));
      keys.emplace_back(items.back()->key());
    }
    static_cast<void>(writer.replace(std::move(items), "1"));
    std::shuffle(keys.begin(), keys.end(), std::mt19937(1));
  }
  void start_writing() {
    thread = std::jthread([this](const std::stop_token& stop) {
      for (int i = 0; !stop.stop_requested(); ++i) {
        Delta change{.type = DeltaType::Updated, .cell = make_cell(i % kObjects, i)};
        writer.apply({&change, 1});
        // About 20,000 changes a second: more than a large cluster has.
        for (const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
             std::chrono::steady_clock::now() < until;) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::shared_ptr<Store> store = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer{store};
  std::vector<std::string> keys;
  std::jthread thread;
};

Filled& filled() {
  static Filled instance;
  return instance;
}

void lister_get(benchmark::State& state) {
  Filled& f = filled();
  const Lister<Unstructured> lister(f.store);
  if (state.range(0) != 0 && state.thread_index() == 0) f.start_writing();
  std::size_t at = static_cast<std::size_t>(state.thread_index()) * 7919;
  std::vector<std::int64_t> taken;
  taken.reserve(1 << 20);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    auto found = lister.get(f.keys[at++ % f.keys.size()]);
    benchmark::DoNotOptimize(found);
    if (taken.size() < taken.capacity()) {
      taken.push_back(std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
    }
  }
  if (state.thread_index() == 0) f.thread = {};
  if (taken.empty()) return;
  std::sort(taken.begin(), taken.end());
  const auto percentile = [&](double p) {
    return static_cast<double>(
        taken[static_cast<std::size_t>(p * static_cast<double>(taken.size() - 1))]);
  };
  state.counters["p50_ns"] = benchmark::Counter(percentile(0.5), benchmark::Counter::kAvgThreads);
  state.counters["p99_ns"] = benchmark::Counter(percentile(0.99), benchmark::Counter::kAvgThreads);
  state.counters["p999_ns"] =
      benchmark::Counter(percentile(0.999), benchmark::Counter::kAvgThreads);
}
BENCHMARK(lister_get)->ArgName("writes")->Arg(0)->Arg(1)->UseRealTime();
BENCHMARK(lister_get)->ArgName("writes")->Arg(1)->Threads(2)->UseRealTime();

void list_one_namespace(benchmark::State& state) {
  const Lister<Unstructured> lister(filled().store);
  int i = 0;
  for (auto _ : state) {
    auto found = lister.in_namespace("namespace-" + std::to_string(i++ % kNamespaces)).list();
    benchmark::DoNotOptimize(found);
  }
  state.counters["objects"] = kObjects / kNamespaces;
}
BENCHMARK(list_one_namespace)->Unit(benchmark::kMicrosecond);

void list_everything(benchmark::State& state) {
  const Lister<Unstructured> lister(filled().store);
  for (auto _ : state) {
    auto found = lister.list();
    benchmark::DoNotOptimize(found);
  }
}
BENCHMARK(list_everything)->Unit(benchmark::kMillisecond);

void apply_updates(benchmark::State& state) {
  Filled& f = filled();
  constexpr int kBatch = 100;
  std::vector<CellRef> cells;
  for (int i = 0; i < 10'000; ++i) cells.push_back(make_cell(i * 7 % kObjects, 2));
  std::size_t at = 0;
  std::vector<Delta> changes(kBatch);
  for (auto _ : state) {
    for (Delta& change : changes) {
      change = {.type = DeltaType::Updated, .cell = cells[at++ % cells.size()]};
    }
    f.writer.apply(changes);
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}
BENCHMARK(apply_updates);

void relist_unchanged(benchmark::State& state) {
  Filled& f = filled();
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<CellRef> items;
    for (const std::string& key : f.keys) items.push_back(f.writer.find(key));
    state.ResumeTiming();
    auto replaced = f.writer.replace(std::move(items), "3");
    benchmark::DoNotOptimize(replaced);
  }
}
BENCHMARK(relist_unchanged)->Unit(benchmark::kMillisecond);

}  // namespace
