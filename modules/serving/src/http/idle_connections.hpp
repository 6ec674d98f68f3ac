// SPDX-License-Identifier: Apache-2.0
//
// The connections that wait for a request, in the order in which they began to wait, followed by
// those that have sent a part of a head, or of the handshake of TLS: the first is closed when there
// is no room for a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <kube/base/mutex.hpp>

namespace kube::serving {

class Connection;

/// @par Thread safety   All functions may be called from any thread.
class IdleConnections {
 public:
  /// In the order in which they are closed.
  enum class Kind : std::uint8_t { Idle, HalfHead };
  using Place = std::pair<Kind, std::uint64_t>;

  /// Returns the argument for leave().
  Place enter(Kind kind, std::weak_ptr<Connection> connection) {
    const MutexLock lock(mutex_);
    const Place place(kind, ++last_);
    waiting_.emplace(place, std::move(connection));
    return place;
  }
  void leave(const Place& place) {
    const MutexLock lock(mutex_);
    waiting_.erase(place);
  }
  /// The number that wait for a request; those with a part of a head don't count.
  std::size_t idle() const {
    const MutexLock lock(mutex_);
    const auto end = waiting_.lower_bound(Place(Kind::HalfHead, 0));
    return static_cast<std::size_t>(std::distance(waiting_.begin(), end));
  }
  /// Removes and returns the first connection; null when none waits.
  std::shared_ptr<Connection> take_first() {
    const MutexLock lock(mutex_);
    while (!waiting_.empty()) {
      auto connection = waiting_.begin()->second.lock();
      waiting_.erase(waiting_.begin());
      if (connection) return connection;
    }
    return nullptr;
  }

 private:
  mutable Mutex mutex_;
  std::uint64_t last_ KUBE_GUARDED_BY(mutex_) = 0;
  std::map<Place, std::weak_ptr<Connection>> waiting_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::serving
