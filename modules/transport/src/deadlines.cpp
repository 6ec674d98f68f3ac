// SPDX-License-Identifier: Apache-2.0
#include "deadlines.hpp"

#include <algorithm>

namespace kube::transport {

std::string in_words(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + " s"
                                  : std::to_string(time.count()) + " ms";
}

Deadlines::Deadlines(SteadyTime start, Bound whole, Bound idle, Bound head)
    : start_(start), whole_(whole), idle_(idle), head_(head), heard_(start) {
  arm(start);
}

void Deadlines::arm(SteadyTime silent_since) {
  next_ = SteadyTime::max();
  if (whole_) next_ = start_ + *whole_;
  if (head_) next_ = std::min(next_, start_ + *head_);
  if (idle_) next_ = std::min(next_, silent_since + *idle_);
}

std::optional<std::string> Deadlines::check(SteadyTime now, bool paused) {
  if (whole_ && start_ + *whole_ <= now) {
    return "the response was not complete after " + in_words(*whole_);
  }
  if (head_ && start_ + *head_ <= now) {
    return "the response did not begin within " + in_words(*head_);
  }
  if (idle_ && !paused && heard_ + *idle_ <= now) {
    return "nothing was received for " + in_words(*idle_);
  }
  arm(paused ? now : heard_);
  return std::nullopt;
}

}  // namespace kube::transport
