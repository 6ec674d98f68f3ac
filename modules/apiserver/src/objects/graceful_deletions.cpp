// SPDX-License-Identifier: Apache-2.0
#include "objects/graceful_deletions.hpp"

#include <utility>

#include "documents/metadata.hpp"

namespace kube::apiserver {

GracefulDeletions::GracefulDeletions(Store& store, ResourceRegistry& registry,
                                     ObjectService& objects, Executor& executor)
    : objects_(objects),
      executor_(executor),
      pods_(store.collection("/pods")),
      resource_(registry.table()->find("", "v1", "pods")) {}

void GracefulDeletions::observe(const Committed& committed) {
  if (&committed.collection != &pods_) return;
  const StoredObject& pod = *committed.event->object;
  if (committed.event->type == EventType::Deleted) {
    Timer over;  // cancelled without the lock
    const MutexLock lock(mutex_);
    const auto found = pending_.find(pod.uid);
    if (found == pending_.end()) return;
    over = std::move(found->second.timer);
    pending_.erase(found);
    return;
  }
  if (!pod.terminating) return;
  const auto content = decode_stored(pod, *resource_);
  if (!content) return;
  const std::int64_t grace =
      content->int_at({"metadata", "deletionGracePeriodSeconds"}).value_or(0);
  if (grace <= 0) return;
  const MutexLock lock(mutex_);
  const auto found = pending_.find(pod.uid);
  if (found != pending_.end() && found->second.grace == grace) return;
  Timer timer = executor_.submit_after(
      saturated(std::chrono::seconds(grace)),
      [this, key = ObjectKey{pod.namespace_, pod.name}, uid = pod.uid] { finish(key, uid); });
  pending_.insert_or_assign(pod.uid, Pending{grace, std::move(timer)});
}

void GracefulDeletions::finish(const ObjectKey& key, const std::string& uid) {
  DeleteOptions request;
  request.grace_period_seconds = 0;
  request.preconditions = Preconditions{.uid = uid};
  // Gone already, or held by a finalizer: nothing more to do.
  static_cast<void>(objects_.remove(*resource_, key, request).has_value());
}

}  // namespace kube::apiserver
