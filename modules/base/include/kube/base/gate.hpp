// SPDX-License-Identifier: Apache-2.0
//
// kube::Gate: counts who is inside, closes to newcomers, waits until all have left.
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
  ~Gate();  ///< Closes and waits.

  /// Empty once closed.
  std::optional<Pass> enter();
  /// No one enters any more. Idempotent.
  void close();
  /// close(), then blocks until everyone has left. Must not be called by somebody inside.
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
