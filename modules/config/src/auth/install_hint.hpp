// SPDX-License-Identifier: Apache-2.0
//
// Limits how often a long hint is printed.
#pragma once

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>

namespace kube::rest {

/// Allows something a number of times in each interval. The next interval begins with the first
/// call after the end of the last one.
/// @par Thread safety   allow() may be called from any thread.
class Sometimes {
 public:
  Sometimes(int threshold, Duration interval) : threshold_(threshold), interval_(interval) {}

  bool allow(TimePoint now) {
    const MutexLock lock(mutex_);
    if (!begun_ || now - begin_ >= interval_) {
      begun_ = true;
      begin_ = now;
      count_ = 0;
    }
    return count_++ < threshold_;
  }

 private:
  const int threshold_;
  const Duration interval_;
  Mutex mutex_;
  bool begun_ KUBE_GUARDED_BY(mutex_) = false;
  TimePoint begin_ KUBE_GUARDED_BY(mutex_){};
  int count_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube::rest
