// SPDX-License-Identifier: Apache-2.0
#include "throttle_log.hpp"

#include <chrono>

namespace kube {

std::optional<LogLevel> ThrottleLog::level_of(Duration waited, TimePoint now) {
  if (waited <= std::chrono::milliseconds(50)) return std::nullopt;
  if (waited <= std::chrono::seconds(1)) return LogLevel::Debug;
  const MutexLock lock(mutex_);
  if (last_ && now - *last_ < std::chrono::seconds(10)) return LogLevel::Debug;
  last_ = now;
  return LogLevel::Info;
}

}  // namespace kube
