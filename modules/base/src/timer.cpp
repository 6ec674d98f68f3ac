// SPDX-License-Identifier: Apache-2.0
//
// Timer: the handle of a task that runs later.
#include <kube/base/executor.hpp>

namespace kube {

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    cancel();
    state_ = std::move(other.state_);
  }
  return *this;
}

void Timer::cancel() {
  // Reset the state too, so that a cancelled handle keeps nothing alive.
  if (const std::shared_ptr<State> state = std::exchange(state_, nullptr)) state->cancel();
}

}  // namespace kube
