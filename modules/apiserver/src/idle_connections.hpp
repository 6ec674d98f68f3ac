// SPDX-License-Identifier: Apache-2.0
//
// The connections that wait for a request, in the order in which they began to wait: the first
// gives way when there is no room for a new one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <kube/base/mutex.hpp>

namespace kube::apiserver {

class Connection;

/// @par Thread safety   All functions may be called from any thread.
class IdleConnections {
 public:
  /// Returns what leave() takes.
  std::uint64_t enter(std::weak_ptr<Connection> connection) {
    const MutexLock lock(mutex_);
    waiting_.emplace(++last_, std::move(connection));
    return last_;
  }
  void leave(std::uint64_t place) {
    const MutexLock lock(mutex_);
    waiting_.erase(place);
  }
  /// The one that waits for longest, which is not in the order any more; null when none waits.
  std::shared_ptr<Connection> take_longest() {
    const MutexLock lock(mutex_);
    while (!waiting_.empty()) {
      auto connection = waiting_.begin()->second.lock();
      waiting_.erase(waiting_.begin());
      if (connection) return connection;
    }
    return nullptr;
  }

 private:
  Mutex mutex_;
  std::uint64_t last_ KUBE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, std::weak_ptr<Connection>> waiting_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::apiserver
