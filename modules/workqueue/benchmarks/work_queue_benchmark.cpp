// SPDX-License-Identifier: Apache-2.0
//
// An item added, taken and done, per item; client-go's queue takes 450 to 720 ns of CPU for it
// (string keys). Compare the CPU column; keys are namespace/name strings too long to be stored
// in place, as most are.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>
#include <kube/workqueue/work_queue.hpp>

namespace {

std::vector<std::string> make_keys(int thread, int count) {
  std::vector<std::string> keys;
  for (int i = 0; i < count; ++i) {
    keys.push_back("namespace-" + std::to_string(thread) + "/some-deployment-" + std::to_string(i));
  }
  return keys;
}

std::unique_ptr<kube::WorkQueue<std::string>> shared_queue;

void start(const benchmark::State& /*state*/) {
  shared_queue = std::make_unique<kube::WorkQueue<std::string>>();
}
void finish(const benchmark::State& /*state*/) {
  shared_queue.reset();
}

/// Every thread adds a key, takes one (its own or another's) and finishes it.
void AddGetDone(benchmark::State& state) {
  const std::vector<std::string> keys = make_keys(state.thread_index(), 1024);
  std::size_t next = 0;
  std::int64_t taken = 0;
  for (auto _ : state) {
    shared_queue->add(keys[next++ & 1023]);
    // Not get(): a key that is added twice while a thread that holds it is preempted comes once,
    // and the last thread would wait for ever.
    if (auto item = shared_queue->try_get()) {
      benchmark::DoNotOptimize(item->key().data());
      ++taken;
    }
  }
  state.SetItemsProcessed(taken);
}
BENCHMARK(AddGetDone)->Setup(start)->Teardown(finish)->ThreadRange(1, 8)->UseRealTime();

/// Adds a burst of keys, then drains it: the table grows and shrinks.
void Burst(benchmark::State& state) {
  const auto count = static_cast<int>(state.range(0));
  const std::vector<std::string> keys = make_keys(0, count);
  kube::WorkQueue<std::string> queue;
  for (auto _ : state) {
    for (const std::string& key : keys) queue.add(key);
    while (auto item = queue.try_get()) benchmark::DoNotOptimize(item->key().data());
  }
  state.SetItemsProcessed(state.iterations() * count);
}
BENCHMARK(Burst)->Arg(100)->Arg(10'000)->Arg(100'000);

/// Adds that find their key waiting already: what an informer does in a storm of events.
void AddKnownKey(benchmark::State& state) {
  const std::vector<std::string> keys = make_keys(0, 1024);
  kube::WorkQueue<std::string> queue;
  std::size_t next = 0;
  for (auto _ : state) queue.add(keys[next++ & 1023]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(AddKnownKey);

/// One producer, workers that block in get(): the time of all threads, per item.
void ProducerAndBlockedWorkers(benchmark::State& state) {
  const auto workers = static_cast<int>(state.range(0));
  const std::vector<std::string> keys = make_keys(0, 100'000);
  for (auto _ : state) {
    kube::WorkQueue<std::string> queue;
    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) {
      threads.emplace_back([&queue] {
        while (auto item = queue.get({})) benchmark::DoNotOptimize(item->key().data());
      });
    }
    for (const std::string& key : keys) queue.add(key);
    queue.shut_down();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}
BENCHMARK(ProducerAndBlockedWorkers)->Arg(1)->Arg(8)->MeasureProcessCPUTime()->UseRealTime();

/// Failed keys: delayed, timed and queued again.
void AddRateLimited(benchmark::State& state) {
  auto executor = std::make_shared<kube::SeededExecutor>(1);
  kube::RateLimitingQueue<std::string> queue(
      {.runtime = {.executor = executor},
       .rate_limiter = kube::default_item_based_rate_limiter<std::string>()});
  const std::vector<std::string> keys = make_keys(0, 1024);
  for (auto _ : state) {
    for (const std::string& key : keys) queue.add_rate_limited(key);
    executor->run_for(std::chrono::milliseconds(1));
    while (auto item = queue.try_get()) queue.forget(item->key());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(keys.size()));
}
BENCHMARK(AddRateLimited);

}  // namespace
