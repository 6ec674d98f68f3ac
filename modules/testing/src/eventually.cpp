// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/eventually.hpp>

#include <algorithm>

namespace kube::testing {

bool eventually(const std::function<bool()>& holds, const EventuallyOptions& options) {
  const TimePoint end = deadline_after(options.clock->now(), options.timeout);
  Duration pause = options.interval;
  for (;;) {
    if (holds()) return true;
    const TimePoint now = options.clock->now();
    if (now >= end) return false;
    options.clock->sleep_for(std::min(pause, end - now), {});
    pause = std::min(2 * pause, std::max(options.interval, options.max_interval));
  }
}

}  // namespace kube::testing
