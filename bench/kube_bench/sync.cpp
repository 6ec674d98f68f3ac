// SPDX-License-Identifier: Apache-2.0
//
// kube-bench sync: an informer of pods from its start to its sync, and in storms of events.
#include <atomic>
#include <chrono>
#include <thread>

#include "commands.hpp"
#include "line.hpp"
#include "process.hpp"

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using core::v1::Pod;

/// Measures one phase of this process.
class Phase {
 public:
  Phase() : before_(usage()), began_(SteadyClock::now()) { reset_peak_memory(); }

  /// Call it when the phase is over. The memory is that of some seconds later, when what was freed
  /// has been given back.
  void print(std::string_view name, std::size_t objects, std::uint64_t events) const {
    const std::chrono::duration<double> wall = SteadyClock::now() - began_;
    const Usage after = usage();
    const std::size_t peak = peak_memory();
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    Line("sync")
        .add("phase", name)
        .add("objects", static_cast<double>(objects))
        .add("events", static_cast<double>(events))
        .add("wall_s", wall.count())
        .add("cpu_s", after.processor_seconds - before_.processor_seconds)
        .add("kernel_s", after.kernel_seconds - before_.kernel_seconds)
        .add("page_faults", static_cast<double>(after.page_faults - before_.page_faults))
        .add("rss_mb", static_cast<double>(resident_memory()) / 1e6)
        .add("peak_mb", static_cast<double>(peak) / 1e6)
        .print();
  }

 private:
  Usage before_;
  SteadyClock::time_point began_;
};

}  // namespace

int sync(const Client& client, const SyncOptions& options) {
  SharedInformer<Pod> pods(client.rest(),
                           {.protobuf = options.protobuf, .watch_list = options.watch_list});
  std::atomic<std::uint64_t> told{0};
  const auto handler = pods.add_event_handler(
      {.on_add = [&](const Cached<Pod>&, bool) { ++told; },
       .on_update = [&](const Cached<Pod>&, const Cached<Pod>&) { ++told; }});
  const Phase list;
  if (const auto started = pods.start(); !started) return fail(started.error());
  if (!pods.wait_for_sync() || !handler.wait_for_sync()) return 1;
  const std::size_t objects = pods.status().objects;
  list.print("sync", objects, 0);
  for (int storm = 0; storm < options.storms && options.events > 0; ++storm) {
    const Phase phase;
    const std::uint64_t all = told + options.events;
    if (const auto asked = begin_storm(client, options.events); !asked) return fail(asked.error());
    while (told < all) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    phase.print("storm", objects, options.events);
  }
  return 0;
}

}  // namespace kube::bench
