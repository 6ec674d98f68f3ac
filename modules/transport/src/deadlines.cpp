// SPDX-License-Identifier: Apache-2.0
#include "deadlines.hpp"

#include <algorithm>

namespace kube::transport {

Deadlines::Deadlines(SteadyTime start, Bound whole, Bound idle)
    : start_(start), whole_(whole), idle_(idle), heard_(start) {
  arm(start);
}

void Deadlines::arm(SteadyTime silent_since) {
  next_ = SteadyTime::max();
  if (whole_) next_ = start_ + *whole_;
  if (idle_) next_ = std::min(next_, silent_since + *idle_);
}

std::optional<std::string> Deadlines::check(SteadyTime now, bool paused) {
  if (whole_ && start_ + *whole_ <= now) {
    return "the answer was not complete after " + std::to_string(whole_->count()) + " ms";
  }
  if (idle_ && !paused && heard_ + *idle_ <= now) {
    return "nothing was received for " + std::to_string(idle_->count()) + " ms";
  }
  arm(paused ? now : heard_);
  return std::nullopt;
}

}  // namespace kube::transport
