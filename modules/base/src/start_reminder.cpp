// SPDX-License-Identifier: Apache-2.0
#include <kube/base/start_reminder.hpp>

#include <kube/base/call_user_code.hpp>

namespace kube {

void StartReminder::used() {
  // Test before exchanging: a caller that polls must not write to a shared cache line each time.
  if (over_ || used_ || used_.exchange(true)) return;
  static_cast<void>(call_user_code(
      "the executor", [&] { strand_.submit([self = shared_from_this()] { self->arm(); }); }));
}

void StartReminder::arm() {
  if (over_) return;
  static_cast<void>(call_user_code("the executor", [&] {
    timer_ = strand_.submit_after(kPatience, [weak = weak_from_this()] {
      if (const auto reminder = weak.lock()) reminder->remind();
    });
  }));
}

void StartReminder::remind() {
  if (over_) return;
  reminded_ = true;
  KUBE_LOG(logger_, LogLevel::Warning, subject_.component, subject_.problem,
           {subject_.kind, subject_.name});
}

void StartReminder::over() {
  if (over_.exchange(true) || !used_) return;
  static_cast<void>(call_user_code("the executor", [&] {
    strand_.submit([self = shared_from_this()] { self->timer_.cancel(); });
  }));
}

Optional<Error> StartReminder::problem() const {
  if (over_ || !reminded_) return std::nullopt;
  return Error(ErrorCode::InvalidArgument, subject_.problem).with_context(subject_.name);
}

}  // namespace kube
