// SPDX-License-Identifier: Apache-2.0
//
// Reports waits for the client's own rate limit, without filling the log.
#pragma once

#include <memory>
#include <optional>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>

namespace kube {

/// @par Thread safety   All functions may be called from any thread.
class ThrottleLog {
 public:
  /// Returns the level for the report of a wait at `now`; nullopt for one that is too short to
  /// report. Waits of more than a second are Info at most once in ten seconds, others Debug.
  std::optional<LogLevel> level_of(Duration waited, TimePoint now);

 private:
  Mutex mutex_;
  std::optional<TimePoint> last_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
