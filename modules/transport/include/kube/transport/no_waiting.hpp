// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// kube::transport::NoWaiting: where responses are handled. What waits there for a response, or for
// what responses bring, would wait for itself; it asks may_wait() and fails.
#pragma once

#include <kube/base/result.hpp>

namespace kube::transport {

/// While one exists, nothing may wait on the calling thread: it is an I/O thread, or it is inside
/// of a response handler.
/// @par Thread safety   Destroyed by the thread that made it.
class NoWaiting {
 public:
  NoWaiting();
  ~NoWaiting();
  NoWaiting(const NoWaiting&) = delete;
  NoWaiting& operator=(const NoWaiting&) = delete;

 private:
  const bool outer_;
};

/// Whether the calling thread may wait. A call that sends something asks before it does.
/// @par Errors   InvalidArgument, with what to do, while the thread has a NoWaiting.
Result<void> may_wait();

}  // namespace kube::transport
