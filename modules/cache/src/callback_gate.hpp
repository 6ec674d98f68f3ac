// SPDX-License-Identifier: Apache-2.0
//
// Who is inside user code: so that stopping can wait until nobody is, and does not wait for itself.
#pragma once

#include <atomic>
#include <optional>

#include <kube/base/gate.hpp>

namespace kube::cache {

/// The life of something that calls user code: an informer, or one of its handlers. Once closed, no
/// call starts.
///
/// @par Thread safety   All functions may be called from any thread.
class CallbackGate {
 public:
  /// One call (or several in a row) under way. Empty: closed, nothing may be called.
  class Inside {
   public:
    explicit operator bool() const { return pass_.has_value(); }
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    friend class CallbackGate;
    explicit Inside(CallbackGate& calls);

    std::optional<Gate::Pass> pass_;
    const CallbackGate* calls_;
    const Inside* outer_ = nullptr;
  };

  /// To be held while user code runs; on the stack.
  [[nodiscard]] Inside enter() { return Inside(*this); }

  /// No call starts any more.
  void close() {
    closed_.store(true, std::memory_order_release);
    gate_.close();
  }
  /// Cheap, for loops between calls.
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  /// close(), and waits until nobody is inside; if this thread is, it does not wait. True when it
  /// did wait.
  bool close_and_wait();

 private:
  std::atomic<bool> closed_{false};
  Gate gate_;
};

}  // namespace kube::cache
