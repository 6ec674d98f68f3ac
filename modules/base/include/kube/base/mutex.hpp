// SPDX-License-Identifier: Apache-2.0
//
// A mutex that Clang's thread-safety analysis understands, its scoped lock, and a condition
// variable for both. Members name their guard with KUBE_GUARDED_BY. Clock::wait_until() takes them.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KUBE_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define KUBE_THREAD_ANNOTATION(x)
#endif

#define KUBE_CAPABILITY(x) KUBE_THREAD_ANNOTATION(capability(x))
#define KUBE_SCOPED_CAPABILITY KUBE_THREAD_ANNOTATION(scoped_lockable)
#define KUBE_GUARDED_BY(x) KUBE_THREAD_ANNOTATION(guarded_by(x))
#define KUBE_PT_GUARDED_BY(x) KUBE_THREAD_ANNOTATION(pt_guarded_by(x))
#define KUBE_REQUIRES(...) KUBE_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define KUBE_REQUIRES_SHARED(...) KUBE_THREAD_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define KUBE_EXCLUDES(...) KUBE_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define KUBE_ACQUIRE(...) KUBE_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define KUBE_RELEASE(...) KUBE_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define KUBE_ACQUIRE_SHARED(...) KUBE_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define KUBE_RELEASE_SHARED(...) KUBE_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))
#define KUBE_TRY_ACQUIRE(...) KUBE_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define KUBE_NO_THREAD_SAFETY_ANALYSIS KUBE_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace kube {

/// std::mutex with annotations.
/// @par Thread safety   All functions may be called from any thread.
class KUBE_CAPABILITY("mutex") Mutex {
 public:
  void lock() KUBE_ACQUIRE() { mutex_.lock(); }
  void unlock() KUBE_RELEASE() { mutex_.unlock(); }
  bool try_lock() KUBE_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for a scope. It can be released and taken again, as a condition variable does.
/// @par Thread safety   One thread: the one that made it.
class KUBE_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KUBE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() KUBE_RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() KUBE_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() KUBE_RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

  /// Returns the mutex, held or not; for clocks that wake waiters themselves.
  Mutex& mutex() const { return mutex_; }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

/// Works with MutexLock and std::stop_token.
using CondVar = std::condition_variable_any;

}  // namespace kube
