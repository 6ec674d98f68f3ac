// SPDX-License-Identifier: Apache-2.0
//
// kube-bench sync: an informer of pods from its start to its sync, and in storms of events.
#include <atomic>
#include <chrono>
#include <thread>

#include "commands.hpp"
#include "phase.hpp"

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube::bench {

using core::v1::Pod;

int sync(const Client& client, const SyncOptions& options) {
  SharedInformer<Pod> pods(client.rest(), {.protobuf = options.protobuf});
  std::atomic<std::uint64_t> told{0};
  const auto handler = pods.add_event_handler(
      {.on_add = [&](const Cached<Pod>&, bool) { ++told; },
       .on_update = [&](const Cached<Pod>&, const Cached<Pod>&) { ++told; }});
  const Phase list;
  if (const auto started = pods.start(); !started) return fail(started.error());
  if (!pods.wait_for_sync() || !handler.wait_for_sync()) return 1;
  const auto objects = static_cast<double>(pods.status().objects);
  list.end("sync", "sync").add("objects", objects).add("events", 0.0).print();
  for (int storm = 0; storm < options.storms && options.events > 0; ++storm) {
    const Phase phase;
    const std::uint64_t all = told + options.events;
    if (const auto asked = begin_storm(client, options.events); !asked) return fail(asked.error());
    while (told < all) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    phase.end("sync", "storm")
        .add("objects", objects)
        .add("events", static_cast<double>(options.events))
        .print();
  }
  return 0;
}

}  // namespace kube::bench
