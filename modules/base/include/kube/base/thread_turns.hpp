// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::ThreadTurns: threads of which one runs at any moment. What waits for another thread without
// a clock (kube::Gate, a cell that another thread decodes) asks the turns of its thread, if it has
// some, so that the other one goes on.
#pragma once

#include <functional>

#include <kube/base/mutex.hpp>

namespace kube {

/// @par Thread safety   wait() is called by the thread whose turn it is.
class ThreadTurns {
 public:
  virtual ~ThreadTurns() = default;

  /// Lets other threads go on until ready(). `lock` is held on entry, whenever ready() runs, and on
  /// return.
  /// @par Blocks   Until ready() holds.
  virtual void wait(MutexLock& lock, const std::function<bool()>& ready) = 0;

  /// Returns the turns of the calling thread; null for a thread that runs freely.
  static ThreadTurns* of_this_thread();
  /// Sets them; null ends them.
  static void set_of_this_thread(ThreadTurns* turns);
};

}  // namespace kube
