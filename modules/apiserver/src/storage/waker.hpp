// SPDX-License-Identifier: Apache-2.0
//
// Wakes a reader that waits for changes of the store.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace kube::apiserver {

/// @par Thread safety   wake() may be called from any thread, also more often than needed, and
///   never calls back into the store: it passes the call on to the waiter's own thread.
class Waker {
 public:
  explicit Waker(std::function<void()> on_wake) : on_wake_(std::move(on_wake)) {}
  void wake() const { on_wake_(); }

 private:
  std::function<void()> on_wake_;
};

using WakerPtr = std::shared_ptr<const Waker>;

}  // namespace kube::apiserver
