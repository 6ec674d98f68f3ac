// SPDX-License-Identifier: Apache-2.0
//
// Counts the running calls of user code, so that stopping can wait until they return, except for
// the call in which it is stopped.
#pragma once

#include <atomic>
#include <optional>

#include <kube/base/gate.hpp>

namespace kube::cache {

/// The life of an object that calls user code: an informer, or one of its handlers. Once closed, no
/// call starts.
///
/// @par Thread safety   All functions may be called from any thread.
class CallbackGate {
 public:
  /// One running call, or several in a row. Empty when closed: then no user code may be called.
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

  /// Keep the result on the stack while user code runs.
  [[nodiscard]] Inside enter() { return Inside(*this); }

  /// After this, no call starts.
  void close() {
    closed_.store(true, std::memory_order_release);
    gate_.close();
  }
  /// Cheap, for loops between calls.
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  /// Whether this thread is inside.
  bool entered_here() const;
  /// Closes, and waits until no call is running; does not wait inside a call of this thread.
  /// Returns whether it waited.
  bool close_and_wait();

 private:
  std::atomic<bool> closed_{false};
  Gate gate_;
};

}  // namespace kube::cache
