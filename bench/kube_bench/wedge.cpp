// SPDX-License-Identifier: Apache-2.0
//
// kube-bench wedge: how long an informer lags whose watch is open and silent, as behind a middlebox
// that has forgotten the connection.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "commands.hpp"
#include "line.hpp"

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using core::v1::Pod;

/// Returns whether it is so before the time is over.
template <class Condition>
bool wait_until(SteadyClock::time_point until, const Condition& condition) {
  while (!condition()) {
    if (SteadyClock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

int wedge(const Client& client, const WedgeOptions& options) {
  SharedInformer<Pod> pods(client.rest(), {.watch_idle_timeout = options.idle_timeout});
  std::atomic<std::uint64_t> told{0};
  const auto handler = pods.add_event_handler(
      {.on_update = [&](const Cached<Pod>&, const Cached<Pod>&) { ++told; }});
  if (const auto started = pods.start(); !started) return fail(started.error());
  if (!pods.wait_for_sync() || !handler.wait_for_sync()) return 1;
  // Its watch is alive.
  if (const auto asked = begin_storm(client, 1); !asked) return fail(asked.error());
  if (!wait_until(SteadyClock::now() + options.limit, [&] { return told == 1; })) {
    return fail({ErrorCode::Timeout, "the first event did not come"});
  }
  const auto response = client.rest().send({.verb = "get", .path = "/wedge"});
  if (!response) return fail(response.error());
  if (const auto asked = begin_storm(client, 1); !asked) return fail(asked.error());
  const auto began = SteadyClock::now();
  const bool came = wait_until(began + options.limit, [&] { return told == 2; });
  const std::chrono::duration<double> wall = SteadyClock::now() - began;
  Line line("wedge");
  line.add("limit_s", static_cast<double>(options.limit.count()));
  if (came) {
    line.add("result", "event").add("wall_s", wall.count());
  } else {
    line.add("result", "not within " + std::to_string(options.limit.count()) + " s");
  }
  line.print();
  return 0;
}

}  // namespace kube::bench
