// SPDX-License-Identifier: Apache-2.0
#include <kube/config/detail/shared_limiters.hpp>

#include <vector>

#include <kube/base/mutex.hpp>

namespace kube::rest::detail {

struct SharedLimiters::State {
  struct Entry {
    float qps;
    int burst;
    std::shared_ptr<Clock> clock;  // kept, so that no other clock gets its address
    std::shared_ptr<flowcontrol::RateLimiter> limiter;
  };
  Mutex mutex;
  std::vector<Entry> entries KUBE_GUARDED_BY(mutex);
};

SharedLimiters::SharedLimiters() : state_(std::make_shared<State>()) {}

std::shared_ptr<flowcontrol::RateLimiter> SharedLimiters::limiter(
    float qps, int burst, const std::shared_ptr<Clock>& clock) const {
  const MutexLock lock(state_->mutex);
  for (const State::Entry& entry : state_->entries) {
    if (entry.qps == qps && entry.burst == burst && entry.clock == clock) return entry.limiter;
  }
  return state_->entries
      .emplace_back(State::Entry{qps, burst, clock,
                                 flowcontrol::token_bucket_rate_limiter(qps, burst, clock)})
      .limiter;
}

}  // namespace kube::rest::detail
