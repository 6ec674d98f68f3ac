// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::WorkerThread: a thread that is always joined, even when its owner is destroyed on that very
// thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace kube {

/// A named thread. An object that owns one may be destroyed by a callback that runs on it. Such a
/// thread cannot join itself, and a detached one may still run while exit() unloads libraries. So
/// it is handed over: the next WorkerThread that starts, or the end of the program, joins it once
/// its body has returned. A forked child has none of these threads and waits for none.
///
/// From its first moment it blocks signals: they are the program's, whose handlers don't run here,
/// and a peer that is gone is an error of a write, not a SIGPIPE. Not blocked are those that the
/// thread causes (faults: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS; the use of a
/// terminal in the background: SIGTTIN, SIGTTOU), and SIGPROF, by which profilers sample it.
///
/// @par Thread safety   One thread at a time; join() may be called on the thread itself.
class WorkerThread {
 public:
  WorkerThread() = default;
  /// Starts `body`, which must not throw. The kernel keeps 15 bytes of the name.
  /// @throws std::system_error   when the system has no thread left.
  WorkerThread(const std::string& name, std::function<void()> body);
  WorkerThread(WorkerThread&& other) noexcept = default;
  WorkerThread& operator=(WorkerThread&& other) noexcept;
  ~WorkerThread() { join(); }

  /// Waits until `body` has returned. On the thread itself it is join_later(). Idempotent.
  /// @par Blocks   Until then.
  void join();
  /// Hands the thread over, to be joined once its body has returned. Does not block.
  void join_later();
  bool joinable() const { return thread_.joinable(); }
  std::thread::id id() const { return thread_.get_id(); }
  /// False in a forked child, which does not have the thread.
  bool in_this_process() const;

  /// A piece of work that may destroy the owner of its own thread, such as a task that holds the
  /// last reference to its pool. join_orphans() waits for it, so that the program does not end
  /// first. Made when a thread receives work, not when it wakes up: the program may be ending by
  /// then.
  /// @par Thread safety   One thread at a time, any thread.
  class Turn {
   public:
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Call it between two pieces of work. A running join_orphans() waits for a limited number of
    /// them.
    void renew();

   private:
    unsigned epoch_;
  };

  /// Joins all threads that were handed over, except the calling one. Runs at the end of the
  /// program. A module whose threads use a library with an atexit handler registers it with
  /// std::atexit() after that handler, so that it runs before.
  /// @par Blocks   At most a second, until the turns of others are over, and a limited number of
  ///   those that follow them: user code may delay one, and some tasks never end. Then until those
  ///   threads have ended. Does not block in a forked child.
  static void join_orphans();

 private:
  std::thread thread_;
  std::shared_ptr<std::atomic<bool>> through_;
  pid_t process_ = 0;  // the process that has the thread
};

}  // namespace kube
