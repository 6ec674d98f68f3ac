// SPDX-License-Identifier: Apache-2.0
#include "storage/held_states.hpp"

#include <iterator>
#include <utility>

namespace kube::serving {

HeldStatePtr HeldStates::hold(std::uint64_t revision, SharedObjects objects) {
  auto out = std::make_shared<HeldState>(shared_from_this(), std::move(objects));
  const MutexLock lock(mutex_);
  if (out->objects_) out->place_ = places_.emplace(revision, out.get());
  return out;
}

HeldStates::Released HeldStates::release_below(std::uint64_t revision) {
  Released out;
  const MutexLock lock(mutex_);
  const auto end = places_.lower_bound(revision);
  for (auto at = places_.begin(); at != end; ++at) {
    out.push_back(std::exchange(at->second->objects_, nullptr));
  }
  places_.erase(places_.begin(), end);
  return out;
}

HeldStates::Released HeldStates::restart(std::uint64_t revision) {
  Released out;
  const MutexLock lock(mutex_);
  for (const auto& [before, state] : std::exchange(places_, {})) {
    if (std::exchange(state->was_before_restart_, true)) {
      out.push_back(std::exchange(state->objects_, nullptr));
    } else {
      state->place_ = places_.emplace(revision, state);
    }
  }
  return out;
}

std::size_t HeldStates::size() const {
  const MutexLock lock(mutex_);
  return places_.size();
}

HeldState::~HeldState() {
  const MutexLock lock(all_->mutex_);
  if (objects_) all_->places_.erase(place_);
  // The objects themselves are destroyed after the lock, with the members.
}

SharedObjects HeldState::objects() const {
  const MutexLock lock(all_->mutex_);
  return objects_;
}

}  // namespace kube::serving
