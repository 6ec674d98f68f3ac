// SPDX-License-Identifier: Apache-2.0
//
// Waits until the running calls of user code have returned.
#include "callback_gate.hpp"

namespace kube::cache {
namespace {

// The calls that this thread is inside, innermost first: a handler may run an executor that runs
// another handler.
thread_local const CallbackGate::Inside* innermost = nullptr;

}  // namespace

CallbackGate::Inside::Inside(CallbackGate& calls) : pass_(calls.gate_.enter()), calls_(&calls) {
  if (!pass_) return;
  outer_ = innermost;
  innermost = this;
}

CallbackGate::Inside::~Inside() {
  if (pass_) innermost = outer_;
}

bool CallbackGate::entered_here() const {
  const Inside* scope = innermost;
  while (scope != nullptr && scope->calls_ != this) scope = scope->outer_;
  return scope != nullptr;
}

bool CallbackGate::close_and_wait() {
  close();
  if (entered_here()) return false;
  gate_.close_and_wait();
  return true;
}

}  // namespace kube::cache
