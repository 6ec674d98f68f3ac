// SPDX-License-Identifier: Apache-2.0
//
// Wakes a reader that waits for changes of the store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace kube::serving {

/// @par Thread safety   wake() may be called from any thread, also more often than needed, and
///   never calls back into the store: it passes the call on to the waiter's own thread.
class Waker {
 public:
  explicit Waker(std::function<void()> on_wake) : on_wake_(std::move(on_wake)) {}
  void wake() const { on_wake_(); }

  /// The revision up to which its reader, when it was woken, had missed no event. Only the
  /// collection that it waits for uses it, under its mutex (Collection::read()).
  mutable std::uint64_t missed_nothing_until = 0;

 private:
  std::function<void()> on_wake_;
};

using WakerPtr = std::shared_ptr<const Waker>;

/// Counts revisions.
///
/// @par Thread safety   All functions may be called from any thread.
class RevisionSource {
 public:
  virtual ~RevisionSource() = default;
  /// Wakes the waiter when the counter reaches a revision; at once if it has.
  virtual void when_reached(std::uint64_t revision, const WakerPtr& waker) = 0;
  virtual void forget(const WakerPtr& waker) = 0;
};

}  // namespace kube::serving
