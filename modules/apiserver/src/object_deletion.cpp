// SPDX-License-Identifier: Apache-2.0
//
// The part of ObjectService that ends objects: preconditions, finalizers, grace.
#include <algorithm>
#include <utility>

#include "errors.hpp"
#include "metadata.hpp"
#include "object_service.hpp"

namespace kube::apiserver {

Result<void> ObjectService::refuse_protected(const Resource& resource, const ObjectKey& key) const {
  if (!is_namespace(resource)) return {};
  for (const std::string_view name : {"default", "kube-system", "kube-public"}) {
    if (key.name == name) {
      return meta::forbidden_error(resource.group_resource(), key.name,
                                   "this namespace may not be deleted");
    }
  }
  return {};
}

Result<void> ObjectService::check_preconditions(const Resource& resource,
                                                const StoredObject& object,
                                                const DeleteOptions& request) const {
  if (!request.preconditions) return {};
  const auto& [uid, version] = *request.preconditions;
  const meta::GroupResource kind{resource.gvk.group, resource.gvk.kind};
  if (uid && *uid != object.uid) {
    return meta::conflict_error(kind, object.name,
                                "the UID in the precondition (" + *uid +
                                    ") does not match the UID in record (" + object.uid +
                                    "). The object might have been deleted and then recreated");
  }
  const std::string revision = std::to_string(object.revision);
  if (version && *version != revision) {
    return meta::conflict_error(kind, object.name,
                                "the ResourceVersion in the precondition (" + *version +
                                    ") does not match the ResourceVersion in record (" + revision +
                                    "). The object might have been modified");
  }
  return {};
}

std::optional<json::Value> ObjectService::mark_terminating(const Resource& resource,
                                                           const json::Value& current,
                                                           const DeleteOptions& request) const {
  const bool terminating = !metadata_text(current, "deletionTimestamp").empty();
  std::int64_t grace = 0;
  if (resource.policy.graceful_deletion) {
    grace = request.grace_period_seconds.value_or(
        current.int_at({"spec", "terminationGracePeriodSeconds"}).value_or(30));
    const std::string_view phase = current.string_at({"status", "phase"});
    // Nothing runs that could be ended gracefully.
    if (current.string_at({"spec", "nodeName"}).empty() || phase == "Succeeded" ||
        phase == "Failed") {
      grace = 0;
    }
    // Such a period was valid once and means the shortest that there is.
    if (grace < 0) grace = 1;
  }
  if (terminating) {
    const std::int64_t left =
        current.int_at({"metadata", "deletionGracePeriodSeconds"}).value_or(0);
    // A second deletion may only shorten the time.
    if (!request.grace_period_seconds && grace != 0) return std::nullopt;
    if (grace >= left) return std::nullopt;
  }
  json::Value next = current;
  std::vector<std::string> finalizers = finalizers_of(next);
  std::string policy = request.propagation_policy.value_or("");
  if (policy.empty() && request.orphan_dependents) {
    policy = *request.orphan_dependents ? "Orphan" : "Background";
  }
  // Jobs and replication controllers keep their pods unless told otherwise.
  const bool orphans = (resource.gvk.group == "batch" && resource.plural == "jobs") ||
                       (resource.gvk.group.empty() && resource.plural == "replicationcontrollers");
  if (policy.empty() && orphans) policy = "Orphan";
  if (!policy.empty() && !terminating) {
    std::erase_if(finalizers, [](const std::string& name) {
      return name == "orphan" || name == "foregroundDeletion";
    });
    if (policy == "Orphan") finalizers.emplace_back("orphan");
    if (policy == "Foreground") finalizers.emplace_back("foregroundDeletion");
    set_finalizers(next, finalizers);
  }
  json::Object& metadata = metadata_of(next);
  metadata.set(
      "deletionTimestamp",
      format_time(deadline_after(clock_->wall_now(), saturated(std::chrono::seconds(grace)))));
  if (is_namespace(resource)) {
    next.ensure_path({"status", "phase"}) = "Terminating";
  } else {
    metadata.set("deletionGracePeriodSeconds", grace);
  }
  if (!terminating && counts_generation(resource)) {
    metadata.set("generation", current.int_at({"metadata", "generation"}).value_or(0) + 1);
  }
  return next;
}

Result<ObjectService::Removal> ObjectService::remove(const Resource& resource, const ObjectKey& key,
                                                     const DeleteOptions& request) {
  if (auto allowed = refuse_protected(resource, key); !allowed) return allowed.error();
  for (int attempt = 0; attempt < update_attempts; ++attempt) {
    const auto found = get(resource, key);
    if (!found) return found.error();
    const ObjectPtr& before = *found;
    if (auto holds = check_preconditions(resource, *before, request); !holds) return holds.error();
    auto current = decode_object(*before, resource);
    if (!current) return current.error();
    auto next = mark_terminating(resource, *current, request);
    if (!next && !may_vanish(resource, *current)) return Removal{before, false};
    const json::Value& last = next ? *next : *current;
    if (may_vanish(resource, last)) {
      if (!request.dry_run.empty()) return Removal{before, true};
      const auto revision = store_.remove(collection(resource), before);
      if (!revision) return revision.error();
      if (*revision != 0) return Removal{before, true};
      continue;
    }
    if (!request.dry_run.empty()) {
      return Removal{pretend(resource, *std::move(next), before->revision), false};
    }
    const auto stored =
        store_.put(collection(resource), before, prepare(resource, *std::move(next)));
    if (!stored) return stored.error();
    if (*stored) return Removal{*stored, false};
  }
  return meta::optimistic_lock_error(resource.group_resource(), key.name);
}

}  // namespace kube::apiserver
