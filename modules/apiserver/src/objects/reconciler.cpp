// SPDX-License-Identifier: Apache-2.0
#include "objects/reconciler.hpp"

namespace kube::apiserver {

void Reconciler::add(const std::string& key, Duration delay) {
  const TimePoint due = deadline_after(executor_.clock()->now(), delay);
  Timer replaced;  // cancelled without the lock
  const MutexLock lock(mutex_);
  const auto found = pending_.find(key);
  if (found != pending_.end()) {
    if (found->second.due <= due) return;
    replaced = std::move(found->second.timer);
  }
  Timer timer = executor_.submit_at(due, [this, key] {
    forget(key);
    reconcile_(key);
  });
  pending_.insert_or_assign(key, Pending{due, std::move(timer)});
}

void Reconciler::forget(const std::string& key) {
  Timer over;  // cancelled without the lock
  const MutexLock lock(mutex_);
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  over = std::move(found->second.timer);
  pending_.erase(found);
}

}  // namespace kube::apiserver
