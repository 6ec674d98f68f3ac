// SPDX-License-Identifier: Apache-2.0
#include "objects/object_deletion.hpp"

#include <algorithm>
#include <utility>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"

namespace kube::apiserver {

Result<void> refuse_protected(const Resource& resource, const ObjectKey& key) {
  const auto& names = resource.kind->protected_names;
  if (std::ranges::find(names, key.name) == names.end()) return {};
  return meta::forbidden_error(resource.group_resource(), key.name,
                               "this namespace may not be deleted");
}

Result<void> check_preconditions(const Resource& resource, const json::Value& object,
                                 const DeleteOptions& request) {
  if (!request.preconditions) return {};
  const auto& [uid, version] = *request.preconditions;
  const std::string name_of_object(metadata_text(object, "name"));
  const std::string own_uid(metadata_text(object, "uid"));
  const std::string revision(metadata_text(object, "resourceVersion"));
  const auto conflict = [&](std::string_view what, const std::string& wanted,
                            const std::string& current, std::string_view guess) {
    const std::string name(what);
    // Kinds that mark what is deleted in a way of their own have other words.
    if (resource.kind->mark_deleted != nullptr) {
      return meta::conflict_error(resource.group_resource(), name_of_object,
                                  "Precondition failed: " + name + " in precondition: " + wanted +
                                      ", " + name + " in object meta: " + current);
    }
    return meta::conflict_error({resource.stored_gvk.group, resource.gvk.kind}, name_of_object,
                                "the " + name + " in the precondition (" + wanted +
                                    ") does not match the " + name + " in record (" + current +
                                    "). The object might have been " + std::string(guess));
  };
  if (uid && *uid != own_uid) return conflict("UID", *uid, own_uid, "deleted and then recreated");
  if (version && *version != revision)
    return conflict("ResourceVersion", *version, revision, "modified");
  return {};
}

std::optional<json::Value> mark_terminating(const Resource& resource, const json::Value& current,
                                            const DeleteOptions& request, WallTime now) {
  const bool terminating = !metadata_text(current, "deletionTimestamp").empty();
  const KindRules& kind = *resource.kind;
  const std::int64_t grace =
      kind.grace == nullptr ? 0 : kind.grace(current, request.grace_period_seconds);
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
  if (policy.empty() && kind.orphans_dependents) policy = "Orphan";
  if (kind.ignores_dependents) policy.clear();
  if (!policy.empty() && !terminating) {
    std::erase_if(finalizers, [](const std::string& name) {
      return name == "orphan" || name == "foregroundDeletion";
    });
    if (policy == "Orphan") finalizers.emplace_back("orphan");
    if (policy == "Foreground") finalizers.emplace_back("foregroundDeletion");
    set_finalizers(next, finalizers);
  }
  json::Object& metadata = metadata_of(next);
  metadata.set("deletionTimestamp",
               format_time(deadline_after(now, clamped(std::chrono::seconds(grace)))));
  if (kind.mark_deleted != nullptr) {
    kind.mark_deleted(next);
    return next;
  }
  metadata.set("deletionGracePeriodSeconds", grace);
  const std::int64_t generation = current.int_at({"metadata", "generation"}).value_or(0);
  if (!terminating && generation > 0) metadata.set("generation", generation + 1);
  return next;
}

}  // namespace kube::apiserver
