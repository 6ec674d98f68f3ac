// SPDX-License-Identifier: Apache-2.0
//
// The pauses between attempts after conflicts.
#include <kube/client/retry.hpp>

namespace kube {

Backoff::Options default_retry() {
  return {.initial = std::chrono::milliseconds(10),
          .cap = Duration::zero(),
          .factor = 1.0,
          .jitter = 0.1,
          .steps = 5};
}

Backoff::Options default_backoff() {
  return {.initial = std::chrono::milliseconds(10),
          .cap = Duration::zero(),
          .factor = 5.0,
          .jitter = 0.1,
          .steps = 4};
}

RetryPauses::RetryPauses(const Runtime& runtime, const Backoff::Options& backoff)
    : clock_(runtime.clock()), backoff_(backoff, runtime.random), left_(backoff.steps) {}

Result<bool> RetryPauses::pause(std::stop_token stop) {
  if (--left_ <= 0) return false;
  if (clock_->sleep_for(backoff_.next(), std::move(stop)) == WaitStatus::Stopped) {
    return Error(ErrorCode::Cancelled, "stopped before the next attempt");
  }
  return true;
}

}  // namespace kube
