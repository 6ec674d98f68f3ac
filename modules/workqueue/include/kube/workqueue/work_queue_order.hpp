// SPDX-License-Identifier: Apache-2.0
//
// kube::WorkQueueOrder: which key a work queue hands out next, where first in, first out won't do.
#pragma once

#include <cstddef>

namespace kube {

/// Holds the keys that wait to be taken; each at most once.
///
/// @par Thread safety   Called under the queue's lock: no locking needed, and the queue must not be
///   used from here. Must not throw.
template <class Key>
class WorkQueueOrder {
 public:
  virtual ~WorkQueueOrder() = default;

  virtual void push(const Key& key) = 0;

  /// Takes out the key that is next. Only called when there is one.
  virtual Key pop() = 0;

  /// A waiting key was added again: a chance to move it forward.
  virtual void touch(const Key& /*key*/) {}
};

}  // namespace kube
