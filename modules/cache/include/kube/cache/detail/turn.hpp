// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Turn: lets one thread at a time do something that calls user code.
#pragma once

#include <thread>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube::cache {

/// A mutex for work that calls user code: no lock is held meanwhile, and a thread that comes back
/// from inside of that code is refused, instead of waiting for itself.
/// @par Thread safety   All functions may be called from any thread.
class Turn {
 public:
  /// Returns the turn when destroyed. Must not outlive it.
  /// @par Thread safety   One thread.
  class Held {
   public:
    Held(Held&& other) noexcept : turn_(std::exchange(other.turn_, nullptr)) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (turn_ != nullptr) turn_->give_back();
    }

   private:
    friend class Turn;
    explicit Held(Turn* turn) : turn_(turn) {}
    Turn* turn_;
  };

  /// @par Errors   InvalidArgument: the calling thread has the turn.
  /// @par Blocks   Until no other thread has it.
  Result<Held> take();

 private:
  void give_back();

  Mutex mutex_;
  CondVar free_;
  std::thread::id holder_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cache
