// SPDX-License-Identifier: Apache-2.0
#include "hurry.hpp"

#include <optional>
#include <utility>

namespace real_threads {

using kube::Duration;
using kube::TimePoint;

TimePoint HurriedClock::now() const {
  return begin_ + (std::chrono::steady_clock::now() - begin_) * pace_;
}

kube::WallTime HurriedClock::wall_now() const {
  return wall_begin_ + (now() - begin_);
}

kube::WaitStatus HurriedClock::wait_until(kube::MutexLock& lock, kube::CondVar& cv,
                                          TimePoint deadline, std::stop_token stop,
                                          const std::function<bool()>& ready) {
  if (deadline != TimePoint::max()) {
    const Duration left = deadline - begin_;
    deadline = begin_ + (left + Duration(pace_ - 1)) / pace_;
  }
  return kube::real_clock()->wait_until(lock, cv, deadline, std::move(stop), ready);
}

namespace {

class HurriedTimeouts final : public kube::transport::RoundTripper {
 public:
  HurriedTimeouts(std::shared_ptr<kube::transport::RoundTripper> inner,
                  std::shared_ptr<const HurriedClock> clock)
      : inner_(std::move(inner)), clock_(std::move(clock)) {}

  std::shared_ptr<kube::transport::Exchange> start(
      kube::transport::HttpRequest request,
      std::shared_ptr<kube::transport::ResponseHandler> handler, std::stop_token stop) override {
    for (auto* timeout : {&request.timeout, &request.idle_timeout, &request.head_timeout}) {
      if (*timeout) *timeout = clock_->real(**timeout);
    }
    return inner_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const std::shared_ptr<kube::transport::RoundTripper> inner_;
  const std::shared_ptr<const HurriedClock> clock_;
};

}  // namespace

kube::transport::Wrapper hurried_timeouts(std::shared_ptr<const HurriedClock> clock) {
  return [clock = std::move(clock)](std::shared_ptr<kube::transport::RoundTripper> inner) {
    return std::make_shared<HurriedTimeouts>(std::move(inner), clock);
  };
}

}  // namespace real_threads
