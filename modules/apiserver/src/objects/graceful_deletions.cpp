// SPDX-License-Identifier: Apache-2.0
#include "objects/graceful_deletions.hpp"

namespace kube::apiserver {

GracefulDeletions::GracefulDeletions(Store& store, ResourceRegistry& registry,
                                     ObjectService& objects, Executor& executor)
    : objects_(objects),
      pods_(store.collection(builtin::kPods.storage())),
      resource_(registry.table()->find(builtin::kPods)),
      removals_(executor, [this](const std::string& key) { finish(key); }) {}

void GracefulDeletions::observe(const Committed& committed) {
  if (&committed.collection != &pods_) return;
  const StoredObject& pod = *committed.event->object;
  if (committed.event->type == EventType::Deleted) return removals_.forget(pod.key());
  if (!pod.terminating) return;
  const auto content = decode_stored(pod, *resource_);
  if (!content) return;
  const std::int64_t grace =
      content->int_at({"metadata", "deletionGracePeriodSeconds"}).value_or(0);
  // A later deletion may only shorten the time; other writes do not restart it.
  if (grace > 0) removals_.add(pod.key(), clamped(std::chrono::seconds(grace)));
}

void GracefulDeletions::finish(const std::string& key) {
  const ObjectPtr pod = pods_.get(key);
  if (!pod || !pod->terminating) return;
  DeleteOptions request;
  request.grace_period_seconds = 0;
  request.preconditions = Preconditions{.uid = pod->uid};
  // A failure means that the pod is gone or held by a finalizer: there is nothing left to do.
  static_cast<void>(objects_.remove(*resource_, {pod->namespace_, pod->name}, request).has_value());
}

}  // namespace kube::apiserver
