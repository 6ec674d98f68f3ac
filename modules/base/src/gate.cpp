// SPDX-License-Identifier: Apache-2.0
#include <kube/base/gate.hpp>

#include <utility>

#include <kube/base/thread_turns.hpp>

namespace kube {

Gate::Pass::Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}

Gate::Pass& Gate::Pass::operator=(Pass&& other) noexcept {
  if (this != &other) {
    if (gate_ != nullptr) gate_->leave();
    gate_ = std::exchange(other.gate_, nullptr);
  }
  return *this;
}

Gate::Pass::~Pass() {
  if (gate_ != nullptr) gate_->leave();
}

Gate::~Gate() {
  close_and_wait();
}

std::optional<Gate::Pass> Gate::enter() {
  MutexLock lock(mutex_);
  if (closed_) return std::nullopt;
  ++inside_;
  return Pass(this);
}

void Gate::close() {
  MutexLock lock(mutex_);
  closed_ = true;
}

void Gate::close_and_wait() {
  MutexLock lock(mutex_);
  closed_ = true;
  if (ThreadTurns* const turns = ThreadTurns::of_this_thread(); turns != nullptr && inside_ != 0) {
    turns->wait(lock, [this]() KUBE_REQUIRES(mutex_) { return inside_ == 0; });
  }
  while (inside_ != 0) left_.wait(lock);
}

bool Gate::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

std::size_t Gate::inside() const {
  MutexLock lock(mutex_);
  return inside_;
}

void Gate::leave() {
  MutexLock lock(mutex_);
  // Notify under the lock: the gate may be destroyed as soon as the waiting thread gets it.
  if (--inside_ == 0) left_.notify_all();
}

}  // namespace kube
