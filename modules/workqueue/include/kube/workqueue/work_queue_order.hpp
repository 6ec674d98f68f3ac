// SPDX-License-Identifier: Apache-2.0
//
// kube::WorkQueueOrder: chooses the next key of a work queue, instead of first in, first out.
#pragma once

#include <cstddef>

namespace kube {

/// Stores the keys that wait to be taken, each at most once. Implemented by users.
///
/// @par Thread safety   Called under the queue's lock, by one thread at a time: an implementation
///   needs no lock, must not use the queue and must not throw.
template <class Key>
class WorkQueueOrder {
 public:
  virtual ~WorkQueueOrder() = default;

  virtual void push(const Key& key) = 0;

  /// Removes and returns the next key. Called only when there is one.
  virtual Key pop() = 0;

  /// Called when a waiting key was added again; an implementation may move it forward.
  virtual void touch(const Key& /*key*/) {}
};

}  // namespace kube
