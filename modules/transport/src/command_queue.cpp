// SPDX-License-Identifier: Apache-2.0
#include "command_queue.hpp"

#include <utility>

namespace kube::transport {

void CommandQueue::wake() {
  if (!turn_) turn_.emplace();
  // Called under the lock, since close() promises that the handle isn't used afterwards. It writes
  // one byte to a socket that never blocks.
  curl_multi_wakeup(multi_);
  posted_.notify_all();
}

void CommandQueue::post(Command command) {
  const MutexLock lock(mutex_);
  if (multi_ == nullptr) return;
  commands_.push_back(std::move(command));
  // The first command has woken the loop.
  if (commands_.size() == 1) wake();
}

void CommandQueue::interrupt() {
  const MutexLock lock(mutex_);
  if (multi_ != nullptr) wake();
}

void CommandQueue::stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  if (multi_ != nullptr) wake();
}

bool CommandQueue::take(std::vector<Command>& commands) {
  commands.clear();
  const MutexLock lock(mutex_);
  commands.swap(commands_);
  return stopping_;
}

bool CommandQueue::end_turn() {
  const MutexLock lock(mutex_);
  if (stopping_ || !commands_.empty()) return false;
  turn_.reset();
  return true;
}

void CommandQueue::begin_turn() {
  const MutexLock lock(mutex_);
  if (!turn_) turn_.emplace();
}

void CommandQueue::wait(std::chrono::milliseconds at_most) {
  MutexLock lock(mutex_);
  posted_.wait_for(lock, at_most,
                   [this]() KUBE_REQUIRES(mutex_) { return stopping_ || !commands_.empty(); });
}

bool CommandQueue::close() {
  const MutexLock lock(mutex_);
  if (!commands_.empty()) return false;
  multi_ = nullptr;
  turn_.reset();
  return true;
}

}  // namespace kube::transport
