// SPDX-License-Identifier: Apache-2.0
//
// A reader-writer lock on which readers that keep coming cannot starve the writer, as they can on
// std::shared_mutex (glibc prefers readers). Works with std::unique_lock and std::shared_lock.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace kube::cache {

class FairSharedMutex {
 public:
  // A waiting writer holds the turnstile, so that later readers queue behind it.
  void lock() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  void lock_shared() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex turnstile_;
  std::shared_mutex mutex_;
};

}  // namespace kube::cache
