// SPDX-License-Identifier: Apache-2.0
#include "phase.hpp"

#include <thread>

namespace kube::bench {

namespace {
using SteadyClock = std::chrono::steady_clock;
const SteadyClock::time_point kProcessBegan = SteadyClock::now();

double seconds_between(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}
}  // namespace

Phase::Phase() : before_(usage()), began_(SteadyClock::now()) {
  reset_peak_memory();
}

Line Phase::end(std::string_view bench, std::string_view name) const {
  const double wall = seconds_between(began_, SteadyClock::now());
  const Usage after = usage();
  const std::size_t peak = peak_memory();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  Line line(bench);
  line.add("phase", name)
      .add("began_s", seconds_between(kProcessBegan, began_))
      .add("wall_s", wall)
      .add("cpu_s", after.processor_seconds - before_.processor_seconds)
      .add("kernel_s", after.kernel_seconds - before_.kernel_seconds)
      .add("page_faults", static_cast<double>(after.page_faults - before_.page_faults))
      .add("rss_mb", static_cast<double>(resident_memory()) / 1e6)
      .add("peak_mb", static_cast<double>(peak) / 1e6);
  return line;
}

}  // namespace kube::bench
