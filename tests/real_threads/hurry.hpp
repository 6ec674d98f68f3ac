// SPDX-License-Identifier: Apache-2.0
//
// Time that runs faster, so that a backoff of half a minute takes half a second.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

#include <kube/base/clock.hpp>

namespace real_threads {

/// @par Thread safety   As Clock.
class HurriedClock final : public kube::Clock {
 public:
  /// So many times as fast as the real one.
  explicit HurriedClock(int pace) : pace_(pace) {}

  kube::TimePoint now() const override;
  kube::WallTime wall_now() const override;
  kube::WaitStatus wait_until(kube::MutexLock& lock, kube::CondVar& cv, kube::TimePoint deadline,
                              std::stop_token stop, const std::function<bool()>& ready) override;
  int pace() const { return pace_; }
  /// How long it really takes.
  std::chrono::milliseconds real(kube::Duration time) const {
    return std::chrono::ceil<std::chrono::milliseconds>(time / pace_);
  }

 private:
  const int pace_;
  const kube::TimePoint begin_ = std::chrono::steady_clock::now();
  const kube::WallTime wall_begin_ = std::chrono::system_clock::now();
};

}  // namespace real_threads
