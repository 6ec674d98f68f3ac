// SPDX-License-Identifier: Apache-2.0
//
// kube-bench lister: how long the reads of an informer's cache take, one by one, without and beside
// a storm of events.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "line.hpp"

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using core::v1::Pod;

constexpr std::size_t kMinCalls = 10;
constexpr std::size_t kMaxCalls = 4'000'000;
constexpr int kOperations = 6;

template <class T>
void keep(T&& result) {
  asm volatile("" : : "g"(&result) : "memory");
}

/// Nanoseconds of single calls.
class Times {
 public:
  Times() { taken_.reserve(kMaxCalls); }

  /// Calls for about `time`. Returns how many objects all calls found.
  template <class Call>
  std::uint64_t take(std::chrono::milliseconds time, const Call& call) {
    taken_.clear();
    std::uint64_t found = 0;
    const auto until = SteadyClock::now() + time;
    for (auto begin = SteadyClock::now();
         taken_.size() < kMaxCalls && (taken_.size() < kMinCalls || begin < until);
         begin = SteadyClock::now()) {
      found += call(taken_.size());
      taken_.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(
          std::chrono::nanoseconds(SteadyClock::now() - begin).count(), UINT32_MAX)));
    }
    std::sort(taken_.begin(), taken_.end());
    return found;
  }
  std::size_t calls() const { return taken_.size(); }
  /// Of sorted times.
  std::uint32_t at(double part) const {
    return taken_[static_cast<std::size_t>(part * static_cast<double>(taken_.size() - 1))];
  }

 private:
  std::vector<std::uint32_t> taken_;
};

/// What no get of a cache can do without: a load from a table that has four bytes for each object,
/// one from the object that it names, and a count there up and down. It tells of the machine how
/// fast a get could be.
class TwoLoads {
 public:
  explicit TwoLoads(std::size_t objects)
      : table_(objects),
        // Huge pages, as for the heads of cells.
        memory_(
            std::aligned_alloc(kHugePage, (objects * sizeof(Object) / kHugePage + 1) * kHugePage),
            std::free) {
    if (memory_ == nullptr) throw std::bad_alloc();
    madvise(memory_.get(), objects * sizeof(Object), MADV_HUGEPAGE);
    std::uninitialized_value_construct_n(this->objects(), objects);
    std::iota(table_.begin(), table_.end(), 0U);
    std::shuffle(table_.begin(), table_.end(), std::mt19937(1));
  }
  std::uint64_t operator()(std::size_t call) const {
    // Spreads the calls over the table, as a hash would do.
    const std::size_t at = (call * 0x9e3779b97f4a7c15ULL >> 32) * table_.size() >> 32;
    std::atomic<std::uint64_t>& count = objects()[table_[at]].count;
    count.fetch_add(1, std::memory_order_relaxed);
    count.fetch_sub(1, std::memory_order_acq_rel);
    return 1;
  }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  struct Object {
    std::atomic<std::uint64_t> count;
    char rest[136];  // about what a cell's head has
  };
  Object* objects() const { return static_cast<Object*>(memory_.get()); }

  std::vector<std::uint32_t> table_;
  std::unique_ptr<void, decltype(&std::free)> memory_;
};

/// What is asked for.
struct Questions {
  std::vector<std::string> keys;
  std::vector<std::string> namespaces;
  std::vector<labels::Selector> selectors;
  /// Has to look at every object, and finds none.
  labels::Selector nothing;
};

Result<Questions> questions_of(const Indexer<Pod>& pods, const std::string& label) {
  Questions questions;
  questions.keys = pods.list_keys();
  std::sort(questions.keys.begin(), questions.keys.end());
  std::shuffle(questions.keys.begin(), questions.keys.end(), std::mt19937(1));
  // In memory in the order of their use, as a queue would have them.
  questions.keys = std::vector<std::string>(questions.keys);
  questions.namespaces = pods.list_index_values(kNamespaceIndex);
  for (const std::string& value : pods.list_index_values("label")) {
    auto selector = labels::parse(label + "=" + value);
    if (!selector) return selector.error();
    questions.selectors.push_back(*std::move(selector));
  }
  auto nothing = labels::parse("kube-bench=nothing");
  if (!nothing) return nothing.error();
  questions.nothing = *std::move(nothing);
  return questions;
}

/// Measures every operation, and prints a line each.
class Reads {
 public:
  Reads(const SharedInformer<Pod>& pods, Questions questions, std::chrono::milliseconds time,
        const std::atomic<std::uint64_t>& told)
      : lister_(pods.lister()),
        indexer_(pods.indexer()),
        questions_(std::move(questions)),
        two_loads_(indexer_.size()),
        time_(time),
        told_(told) {
    times_.take(time, [](std::size_t) { return 0; });
    clock_ = times_.at(0.5);
  }

  void print(std::string_view phase) {
    if (questions_.keys.empty()) return;
    measure(phase, "get", [&](std::size_t i) {
      return lister_.find(questions_.keys[i % questions_.keys.size()]) ? 1 : 0;
    });
    measure(phase, "two_loads", two_loads_);
    measure(phase, "by_index", [&](std::size_t i) {
      const auto& value = questions_.namespaces[i % questions_.namespaces.size()];
      return indexer_.by_index(kNamespaceIndex, value).value().size();
    });
    measure(phase, "list", [&](std::size_t) { return lister_.list().size(); });
    if (!questions_.selectors.empty()) {
      measure(phase, "selector", [&](std::size_t i) {
        return lister_.list(questions_.selectors[i % questions_.selectors.size()]).value().size();
      });
    }
    measure(phase, "selector_scan",
            [&](std::size_t) { return lister_.list(questions_.nothing).value().size(); });
  }

 private:
  template <class Call>
  void measure(std::string_view phase, std::string_view operation, const Call& call) {
    const std::uint64_t before = told_;
    const auto found = static_cast<double>(times_.take(time_, call));
    const std::uint64_t events = told_ - before;
    const auto net = [&](double part) {
      return static_cast<double>(std::max(times_.at(part), clock_ + 1) - clock_);
    };
    Line("lister")
        .add("phase", phase)
        .add("operation", operation)
        .add("objects", static_cast<double>(indexer_.size()))
        .add("calls", static_cast<double>(times_.calls()))
        .add("found", found / static_cast<double>(times_.calls()))
        .add("p50_ns", net(0.5))
        .add("p99_ns", net(0.99))
        .add("p999_ns", net(0.999))
        .add("clock_ns", static_cast<double>(clock_))
        .add("events", static_cast<double>(events))
        .print();
  }

  const Lister<Pod> lister_;
  const Indexer<Pod> indexer_;
  const Questions questions_;
  const TwoLoads two_loads_;
  const std::chrono::milliseconds time_;
  const std::atomic<std::uint64_t>& told_;
  Times times_;
  std::uint32_t clock_ = 0;  // What reading the clock takes; taken off of every time.
};

}  // namespace

int lister(const Client& client, const ListerOptions& options) {
  SharedInformer<Pod> pods(client.rest(), {.protobuf = options.protobuf});
  if (const auto added = pods.add_index("label", index_by_label<Pod>(options.label)); !added) {
    return fail(added.error());
  }
  std::atomic<std::uint64_t> told{0};
  const auto handler = pods.add_event_handler(
      {.on_update = [&](const Cached<Pod>&, const Cached<Pod>&) { ++told; }});
  if (const auto started = pods.start(); !started) return fail(started.error());
  if (!pods.wait_for_sync() || !handler.wait_for_sync()) return 1;
  auto questions = questions_of(pods.indexer(), options.label);
  if (!questions) return fail(questions.error());
  Reads reads(pods, *std::move(questions), options.time, told);
  reads.print("idle");
  if (options.events_a_second == 0) return 0;
  // Long enough for operations that take longer than their time.
  const auto milliseconds = static_cast<std::uint64_t>(options.time.count()) * kOperations * 2;
  const std::uint64_t events =
      std::max<std::uint64_t>(options.events_a_second * milliseconds / 1000, 1);
  if (const auto asked = begin_storm(client, events, options.events_a_second); !asked) {
    return fail(asked.error());
  }
  while (told == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  reads.print("storm");
  if (const auto ended = begin_storm(client, 0); !ended) return fail(ended.error());
  return 0;
}

}  // namespace kube::bench
