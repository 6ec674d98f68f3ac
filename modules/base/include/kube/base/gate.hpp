// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::Gate: counts the calls that are inside an object, refuses new ones once it is closed, and
// waits until all have left.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include <kube/base/mutex.hpp>

namespace kube {

/// @par Thread safety   All functions may be called from any thread.
class Gate {
 public:
  /// Leaves the gate when destroyed. Must not outlive it.
  /// @par Thread safety   One thread at a time, any thread.
  class Pass {
   public:
    Pass(Pass&& other) noexcept;
    Pass& operator=(Pass&& other) noexcept;
    ~Pass();

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    Gate* gate_;
  };

  Gate() = default;
  ~Gate();  ///< close_and_wait().

  /// Returns a Pass; empty once the gate is closed.
  std::optional<Pass> enter();
  /// From here on enter() returns empty. Idempotent; does not block.
  void close();
  /// close(), then waits. Must not be called by a thread that holds a Pass.
  /// @par Blocks   Until every Pass is destroyed.
  void close_and_wait();
  bool closed() const;
  std::size_t inside() const;

 private:
  void leave();
  mutable Mutex mutex_;
  CondVar left_;
  bool closed_ KUBE_GUARDED_BY(mutex_) = false;
  std::size_t inside_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube
