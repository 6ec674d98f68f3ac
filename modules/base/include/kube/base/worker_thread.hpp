// SPDX-License-Identifier: Apache-2.0
//
// kube::WorkerThread: a thread that is joined in any case, even when its owner goes on that very
// thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace kube {

/// A named thread. Library objects that own one may be destroyed by a callback that runs on it;
/// such a thread cannot join itself, and a detached one may still run while the program's end takes
/// libraries apart. It is handed over instead: the next WorkerThread that starts joins it once it
/// is through, at the latest the end of the program. A child that was forked off has none of these
/// threads: there nothing waits for them.
///
/// @par Thread safety   One thread at a time; join() may be called on the thread itself.
class WorkerThread {
 public:
  WorkerThread() = default;
  /// Starts `body`, which must not throw. The kernel keeps 15 bytes of the name.
  /// @throws std::system_error   No thread could be started.
  WorkerThread(const std::string& name, std::function<void()> body);
  WorkerThread(WorkerThread&& other) noexcept = default;
  WorkerThread& operator=(WorkerThread&& other) noexcept;
  ~WorkerThread() { join(); }

  /// Waits until `body` has returned; on the thread itself as join_later(). Idempotent.
  void join();
  /// Leaves the thread to be joined by others once it is through.
  void join_later();
  bool joinable() const { return thread_.joinable(); }
  std::thread::id id() const { return thread_.get_id(); }
  /// False for the copy that a forked child has: there is no such thread.
  bool in_this_process() const;

  /// A turn of work of a thread that may end its own owner, such as a task of a pool that holds the
  /// last owner of the pool. join_orphans() waits for it: a program that has let go of everything
  /// else must not be gone before. It begins with whoever gives a thread work, not when the thread
  /// wakes up: the program may be at its end by then.
  class Turn {
   public:
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    /// Between two pieces of work: a join_orphans() that has begun waits for the first alone.
    void renew();

   private:
    unsigned epoch_;
  };

  /// Joins all threads that were left, but for the calling one. Runs at the end of the program; for
  /// std::atexit() of a module, too, whose threads use a library with an atexit handler of its own:
  /// registered after that, it runs before.
  /// @par Blocks   Until the turns of others that have begun are over, for a second at most: user
  ///   code may hold one up. Then until those threads are through. Turns that begin meanwhile are
  ///   not waited for. In a forked child: not at all.
  static void join_orphans();

 private:
  std::thread thread_;
  std::shared_ptr<std::atomic<bool>> through_;
  pid_t process_ = 0;  // that has the thread
};

}  // namespace kube
