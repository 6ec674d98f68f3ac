// SPDX-License-Identifier: Apache-2.0
#include "start_reminder.hpp"

namespace kube::cache {
namespace {

constexpr const char* kForgotten = "waited for, but not started: was start() forgotten?";

}  // namespace

void StartReminder::waited_for() {
  if (over_ || waiting_.exchange(true)) return;
  strand_.submit([self = shared_from_this()] {
    if (self->over_) return;
    self->timer_ = self->strand_.submit_after(kPatience, [weak = self->weak_from_this()] {
      if (const auto reminder = weak.lock()) reminder->remind();
    });
  });
}

void StartReminder::remind() {
  if (over_) return;
  reminded_ = true;
  KUBE_LOG(logger_, LogLevel::Warning, "informer", kForgotten, {"resource", subject_});
}

void StartReminder::over() {
  if (over_.exchange(true) || !waiting_) return;
  strand_.submit([self = shared_from_this()] { self->timer_.cancel(); });
}

std::optional<Error> StartReminder::problem() const {
  if (over_ || !reminded_) return std::nullopt;
  return Error(ErrorCode::InvalidArgument, kForgotten).with_context(subject_);
}

}  // namespace kube::cache
