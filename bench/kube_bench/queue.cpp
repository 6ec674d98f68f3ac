// SPDX-License-Identifier: Apache-2.0
//
// kube-bench queue: what a key costs on its way through a work queue.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "line.hpp"
#include "process.hpp"

#include <kube/workqueue/work_queue.hpp>

namespace kube::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kFewKeys = 1000;

std::vector<std::string> keys_of(std::size_t count) {
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, 64> text{};
    const int length = std::snprintf(text.data(), text.size(), "ns-%03zu/web-%08zu", i % 200, i);
    keys.emplace_back(text.data(), static_cast<std::size_t>(length));
  }
  return keys;
}

/// Runs `work`, which returns how many keys were taken and done.
template <class Work>
void measure_queue(std::string_view phase, const Work& work) {
  const Usage before = usage();
  const auto began = SteadyClock::now();
  const auto items = static_cast<double>(work());
  const std::chrono::duration<double, std::nano> wall = SteadyClock::now() - began;
  const double processor = usage().processor_seconds - before.processor_seconds;
  Line("queue")
      .add("phase", phase)
      .add("items", items)
      .add("wall_ns_per_item", wall.count() / items)
      .add("cpu_ns_per_item", processor * 1e9 / items)
      .print();
}

std::size_t take_all(WorkQueue<std::string>& queue) {
  std::size_t taken = 0;
  while (auto item = queue.try_get()) {
    item->done();
    ++taken;
  }
  return taken;
}

/// One thread adds, others take.
std::size_t by_workers(const std::vector<std::string>& keys, int workers) {
  WorkQueue<std::string> queue;
  std::atomic<std::size_t> taken{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < workers; ++i) {
    threads.emplace_back([&] {
      std::size_t mine = 0;
      while (auto item = queue.get()) {
        item->done();
        ++mine;
      }
      taken += mine;
    });
  }
  for (const std::string& key : keys) queue.add(key);
  queue.shut_down();
  threads.clear();  // They end when the queue is empty.
  return taken;
}

}  // namespace

int queue(const QueueOptions& options) {
  const std::vector<std::string> keys = keys_of(std::max<std::size_t>(options.items, 1));
  const std::size_t few = std::min(kFewKeys, keys.size());
  measure_queue("repeated", [&] {
    WorkQueue<std::string> queue;
    std::size_t taken = 0;
    while (taken < keys.size()) {
      for (std::size_t i = 0; i < few; ++i) queue.add(keys[i]);
      taken += take_all(queue);
    }
    return taken;
  });
  measure_queue("burst", [&] {
    WorkQueue<std::string> queue;
    for (const std::string& key : keys) queue.add(key);
    return take_all(queue);
  });
  measure_queue("workers", [&] { return by_workers(keys, options.workers); });
  return 0;
}

}  // namespace kube::bench
