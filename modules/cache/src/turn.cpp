// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/detail/turn.hpp>

#include <kube/base/thread_turns.hpp>

namespace kube::cache {

Result<Turn::Held> Turn::take() {
  const std::thread::id self = std::this_thread::get_id();
  MutexLock lock(mutex_);
  if (holder_ == self) {
    return Error(ErrorCode::InvalidArgument,
                 "a function that a store calls must not change that store");
  }
  const bool is_taken = holder_ != std::thread::id();
  // The holder may be in user code that waits for its turn among the threads.
  if (ThreadTurns* const turns = ThreadTurns::of_this_thread(); turns != nullptr && is_taken) {
    turns->wait(lock, [this]() KUBE_REQUIRES(mutex_) { return holder_ == std::thread::id(); });
  }
  while (holder_ != std::thread::id()) free_.wait(lock);
  holder_ = self;
  return Held(this);
}

void Turn::give_back() {
  {
    const MutexLock lock(mutex_);
    holder_ = {};
  }
  free_.notify_one();
}

}  // namespace kube::cache
