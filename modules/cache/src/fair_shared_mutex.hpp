// SPDX-License-Identifier: Apache-2.0
//
// A reader-writer lock on which a stream of readers cannot starve the writer, as it can on
// std::shared_mutex (glibc prefers readers), and its scoped locks. Clang's thread-safety analysis
// understands all three.
#pragma once

#include <mutex>
#include <shared_mutex>

#include <kube/base/mutex.hpp>

namespace kube::cache {

class KUBE_CAPABILITY("mutex") FairSharedMutex {
 public:
  // A waiting writer holds the turnstile, so that later readers queue after it.
  void lock() KUBE_ACQUIRE() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock();
  }
  void unlock() KUBE_RELEASE() { mutex_.unlock(); }
  void lock_shared() KUBE_ACQUIRE_SHARED() {
    const std::lock_guard turn(turnstile_);
    mutex_.lock_shared();
  }
  void unlock_shared() KUBE_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::mutex turnstile_;
  std::shared_mutex mutex_;
};

/// Holds the lock shared for a scope.
class KUBE_SCOPED_CAPABILITY ReadLock {
 public:
  explicit ReadLock(FairSharedMutex& mutex) KUBE_ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReadLock() KUBE_RELEASE() { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;
  ReadLock& operator=(const ReadLock&) = delete;

 private:
  FairSharedMutex& mutex_;
};

/// Holds the lock alone for a scope; can be released and taken again.
class KUBE_SCOPED_CAPABILITY WriteLock {
 public:
  explicit WriteLock(FairSharedMutex& mutex) KUBE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() KUBE_RELEASE() {
    if (held_) mutex_.unlock();
  }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  void lock() KUBE_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() KUBE_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  FairSharedMutex& mutex_;
  bool held_ = true;
};

}  // namespace kube::cache
