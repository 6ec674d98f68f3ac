// SPDX-License-Identifier: Apache-2.0
//
// Fields that no update may change, beside those that kinds check themselves.
#include <algorithm>

#include "validation/place.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

using Exception = bool (*)(const json::Value& before);

/// A field of a kind, or of its spec.
struct FixedField {
  std::string_view kind;
  std::string_view field;
  bool in_spec = true;
  std::string_view path{};       ///< Where the server reports it, if elsewhere.
  std::string_view forbidden{};  ///< The error is Forbidden, with this text.
  Exception may_change = nullptr;
};

bool is_indexed(const json::Value& job) {
  return job.string_at({"spec", "completionMode"}) == "Indexed";
}

bool is_suspended(const json::Value& job) {
  return job.true_at({"spec", "suspend"});
}

constexpr FixedField kFixedFields[] = {
    {"apps.v1.Deployment", "selector"},
    {"apps.v1.ReplicaSet", "selector"},
    {"apps.v1.DaemonSet", "selector"},
    {"apps.v1.StatefulSet", "selector"},
    {"apps.v1.StatefulSet", "volumeClaimTemplates"},
    {"apps.v1.StatefulSet", "serviceName"},
    {"apps.v1.StatefulSet", "podManagementPolicy"},
    {.kind = "apps.v1.ControllerRevision", .field = "data", .in_spec = false},
    {.kind = "batch.v1.Job", .field = "completions", .may_change = is_indexed},
    {"batch.v1.Job", "selector"},
    {.kind = "batch.v1.Job", .field = "template", .may_change = is_suspended},
    {"batch.v1.Job", "completionMode"},
    {"batch.v1.Job", "podFailurePolicy"},
    {"batch.v1.Job", "backoffLimitPerIndex"},
    {"batch.v1.Job", "managedBy"},
    {"batch.v1.Job", "successPolicy"},
    {.kind = "core.v1.PersistentVolume", .field = "volumeMode", .path = "volumeMode"},
    {"core.v1.ResourceQuota", "scopes"},
    {.kind = "core.v1.Secret", .field = "type", .in_spec = false},
    {.kind = "discovery.v1.EndpointSlice", .field = "addressType", .in_spec = false},
    {"networking.v1.IngressClass", "controller"},
    {.kind = "node.v1.RuntimeClass", .field = "handler", .in_spec = false},
    {.kind = "rbac.v1.ClusterRoleBinding", .field = "roleRef", .in_spec = false},
    {.kind = "rbac.v1.RoleBinding", .field = "roleRef", .in_spec = false},
    {.kind = "scheduling.v1.PriorityClass",
     .field = "value",
     .in_spec = false,
     .forbidden = "may not be changed in an update."},
    {.kind = "scheduling.v1.PriorityClass", .field = "preemptionPolicy", .in_spec = false},
    {.kind = "storage.v1.CSIDriver", .field = "attachRequired", .path = "spec.attachedRequired"},
    {"storage.v1.CSIDriver", "volumeLifecycleModes"},
    {.kind = "storage.v1.CSIStorageCapacity", .field = "nodeTopology", .in_spec = false},
    {.kind = "storage.v1.CSIStorageCapacity", .field = "storageClassName", .in_spec = false},
    {.kind = "storage.v1.StorageClass", .field = "parameters", .in_spec = false},
    {.kind = "storage.v1.StorageClass", .field = "provisioner", .in_spec = false},
    {.kind = "storage.v1.StorageClass", .field = "reclaimPolicy", .in_spec = false},
    {.kind = "storage.v1.StorageClass", .field = "volumeBindingMode", .in_spec = false},
    {.kind = "storage.v1.VolumeAttachment", .field = "spec", .in_spec = false},
    {.kind = "storage.v1.VolumeAttributesClass",
     .field = "driverName",
     .in_spec = false,
     .forbidden = "updates to driverName are forbidden."},
    {.kind = "storage.v1.VolumeAttributesClass",
     .field = "parameters",
     .in_spec = false,
     .forbidden = "updates to parameters are forbidden."},
};

bool same_value(const json::Value* one, const json::Value* other) {
  static const json::Value absent;
  return (one == nullptr ? absent : *one) == (other == nullptr ? absent : *other);
}

void check_fixed(const Place& owner, const FixedField& fixed, const json::Value* before) {
  if (same_value(owner.find(fixed.field), before)) return;
  const FieldPath path = fixed.path.empty() ? owner.path(fixed.field) : FieldPath(fixed.path);
  owner.report(fixed.forbidden.empty()
                   ? FieldError::invalid(path, owner.shown_own(fixed.field), "field is immutable")
                   : FieldError::forbidden(path, std::string(fixed.forbidden)));
}

// A Job's number of indexes follows its parallelism.
void check_indexes(const Place& job, const json::Value& before) {
  const auto next = job.value().int_at({"spec", "completions"});
  if (job.type().name != "batch.v1.Job" || !is_indexed(before) || !next ||
      next == before.int_at({"spec", "completions"}) ||
      next == job.value().int_at({"spec", "parallelism"}))
    return;
  job.report(FieldError::invalid(job.path("spec").child("completions"), *next,
                                 "can only be modified in tandem with spec.parallelism"));
}

}  // namespace

meta::FieldErrors validate_type_update(const meta::TypeDescriptor& type, const json::Value& object,
                                       const json::Value& before) {
  Walk walk;
  const Place root(walk, type, object);
  for (const FixedField& fixed : kFixedFields) {
    if (fixed.kind != type.name) continue;
    if (fixed.may_change != nullptr && fixed.may_change(before)) continue;
    if (!fixed.in_spec) {
      check_fixed(root, fixed, before.at_path({fixed.field}));
    } else {
      root.each("spec", [&](const Place& spec) {
        check_fixed(spec, fixed, before.at_path({"spec", fixed.field}));
      });
    }
  }
  check_indexes(root, before);
  return std::move(walk.errors);
}

}  // namespace kube::apiserver
