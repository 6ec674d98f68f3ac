// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/eventually.hpp>

#include <kube/base/stop.hpp>

namespace kube::testing {

bool eventually(const std::function<bool()>& holds, const EventuallyOptions& options) {
  const Result<void> held =
      poll_until(options.clock, {.interval = options.interval, .timeout = options.timeout},
                 [&]() -> Result<bool> { return holds(); }, {});
  // On a busy machine a sleep may take far longer than requested: check again after it.
  return held || holds();
}

}  // namespace kube::testing
