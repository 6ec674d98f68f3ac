// SPDX-License-Identifier: Apache-2.0
//
// The bytes that wait to be sent on an upgraded connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

#include <kube/base/mutex.hpp>

namespace kube::transport {

/// @par Thread safety   add() from any thread, take() from the I/O thread.
class OutgoingBytes {
 public:
  /// Returns true when nothing was waiting: the I/O thread has to be woken.
  bool add(std::string bytes) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const bool was_empty = waiting_.empty();
    if (!bytes.empty()) waiting_.push_back(std::move(bytes));
    return was_empty && !waiting_.empty();
  }

  struct Taken {
    std::size_t bytes = 0;
    bool last = false;  ///< Nothing waits any more.
  };
  /// Copies at most `size` bytes to `out`.
  Taken take(char* out, std::size_t size) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Taken taken;
    while (!waiting_.empty() && taken.bytes < size) {
      const std::string& first = waiting_.front();
      const std::size_t count = std::min(size - taken.bytes, first.size() - begin_);
      std::memcpy(out + taken.bytes, first.data() + begin_, count);
      taken.bytes += count;
      begin_ += count;
      if (begin_ == first.size()) {
        waiting_.pop_front();
        begin_ = 0;
      }
    }
    taken.last = waiting_.empty();
    return taken;
  }

 private:
  Mutex mutex_;
  std::deque<std::string> waiting_ KUBE_GUARDED_BY(mutex_);
  std::size_t begin_ KUBE_GUARDED_BY(mutex_) = 0;  // of the first, what was taken
};

}  // namespace kube::transport
