// SPDX-License-Identifier: Apache-2.0
//
// Fields that no update may change, beside those that kinds check themselves.
#include <algorithm>
#include <iterator>

#include "validation/changes.hpp"
#include "validation/own_diff.hpp"
#include "validation/place.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

/// A field of a kind, or of its spec.
struct FixedField {
  std::string_view kind;
  std::string_view field{};
  bool in_spec = true;
  std::string_view path{};       ///< Where the server reports it, if elsewhere.
  std::string_view forbidden{};  ///< The error is Forbidden, with this text.
  bool shows_null = false;  ///< The rule is a declarative one of the server, which shows no value.
  bool late = false;        ///< It follows the errors of declarative rules.
  ChangeCheck check = nullptr;  ///< What is checked instead of a field.
};

constexpr FixedField kFixedFields[] = {
    {"apps.v1.Deployment", "selector"},
    {"apps.v1.ReplicaSet", "selector"},
    {"apps.v1.DaemonSet", "selector"},
    {"apps.v1.StatefulSet", "selector"},
    {"apps.v1.StatefulSet", "volumeClaimTemplates"},
    {"apps.v1.StatefulSet", "serviceName"},
    {"apps.v1.StatefulSet", "podManagementPolicy"},
    {.kind = "apps.v1.ControllerRevision", .field = "data", .in_spec = false},
    {.kind = "batch.v1.Job", .check = check_completions_change},
    {"batch.v1.Job", "selector"},
    {.kind = "batch.v1.Job", .check = check_job_template_change},
    {"batch.v1.Job", "completionMode"},
    {"batch.v1.Job", "podFailurePolicy"},
    {"batch.v1.Job", "backoffLimitPerIndex"},
    {"batch.v1.Job", "managedBy"},
    {"batch.v1.Job", "successPolicy"},
    {.kind = "core.v1.ConfigMap", .in_spec = false, .check = check_frozen},
    {.kind = "core.v1.Node", .check = check_node_change},
    {.kind = "core.v1.Node", .field = "externalID", .forbidden = "may not be updated"},
    {.kind = "core.v1.PersistentVolume", .check = check_volume_source},
    {.kind = "core.v1.PersistentVolume", .field = "volumeMode", .path = "volumeMode"},
    {.kind = "core.v1.PersistentVolume", .check = check_volume_placement},
    {.kind = "core.v1.PersistentVolumeClaim", .in_spec = false, .check = check_claim_annotation},
    {.kind = "core.v1.Pod", .in_spec = false, .check = check_pod_annotations_change},
    {.kind = "core.v1.ResourceQuota", .check = check_quota_scopes},
    {.kind = "core.v1.Secret", .field = "type", .in_spec = false},
    {.kind = "core.v1.Secret", .in_spec = false, .check = check_frozen},
    {.kind = "core.v1.Service", .check = check_service_change},
    {.kind = "discovery.v1.EndpointSlice",
     .field = "addressType",
     .in_spec = false,
     .shows_null = true},
    {"networking.v1.IngressClass", "controller"},
    {.kind = "rbac.v1.ClusterRoleBinding", .field = "roleRef", .in_spec = false, .late = true},
    {.kind = "rbac.v1.RoleBinding", .field = "roleRef", .in_spec = false, .late = true},
    {.kind = "scheduling.v1.PriorityClass",
     .field = "value",
     .in_spec = false,
     .forbidden = "may not be changed in an update."},
    {.kind = "scheduling.v1.PriorityClass", .field = "preemptionPolicy", .in_spec = false},
    {.kind = "certificates.v1.ClusterTrustBundle", .field = "signerName"},
    {.kind = "certificates.v1.PodCertificateRequest", .field = "spec", .in_spec = false},
    {.kind = "events.v1.Event", .field = "regarding", .in_spec = false, .path = "involvedObject"},
    {.kind = "events.v1.Event", .field = "note", .in_spec = false, .path = "message"},
    {.kind = "events.v1.Event", .field = "deprecatedSource", .in_spec = false, .path = "source"},
    {.kind = "events.v1.Event",
     .field = "deprecatedFirstTimestamp",
     .in_spec = false,
     .path = "firstTimestamp"},
    {.kind = "events.v1.Event",
     .field = "deprecatedLastTimestamp",
     .in_spec = false,
     .path = "lastTimestamp"},
    {.kind = "events.v1.Event", .field = "deprecatedCount", .in_spec = false, .path = "count"},
    {.kind = "events.v1.Event", .field = "reason", .in_spec = false},
    {.kind = "events.v1.Event", .field = "type", .in_spec = false},
    {.kind = "events.v1.Event", .field = "eventTime", .in_spec = false},
    {.kind = "events.v1.Event", .field = "action", .in_spec = false},
    {.kind = "events.v1.Event", .field = "related", .in_spec = false},
    {.kind = "events.v1.Event", .field = "reportingController", .in_spec = false},
    {.kind = "events.v1.Event", .field = "reportingInstance", .in_spec = false},
    {.kind = "networking.v1.IPAddress", .field = "parentRef", .shows_null = true},
    {.kind = "resource.v1.ResourceClaim", .field = "spec", .in_spec = false, .shows_null = true},
    {.kind = "resource.v1.ResourceClaimTemplate", .field = "spec", .in_spec = false},
    {.kind = "storagemigration.v1.StorageVersionMigration", .field = "spec", .in_spec = false},
    {.kind = "storage.v1.CSIDriver", .field = "attachRequired", .path = "spec.attachedRequired"},
    {"storage.v1.CSIDriver", "volumeLifecycleModes"},
    {.kind = "storage.v1.CSINode", .check = check_node_drivers_change},
    {.kind = "storage.v1.CSIStorageCapacity", .field = "nodeTopology", .in_spec = false},
    {.kind = "storage.v1.CSIStorageCapacity", .field = "storageClassName", .in_spec = false},
    {.kind = "storage.v1.StorageClass",
     .field = "provisioner",
     .in_spec = false,
     .shows_null = true},
    {.kind = "storage.v1.StorageClass",
     .field = "parameters",
     .in_spec = false,
     .shows_null = true},
    {.kind = "storage.v1.StorageClass",
     .field = "reclaimPolicy",
     .in_spec = false,
     .shows_null = true},
    {.kind = "storage.v1.StorageClass",
     .field = "volumeBindingMode",
     .in_spec = false,
     .shows_null = true},
    {.kind = "storage.v1.VolumeAttachment", .field = "spec", .in_spec = false, .shows_null = true},
    {.kind = "storage.v1.VolumeAttributesClass",
     .field = "driverName",
     .in_spec = false,
     .forbidden = "updates to driverName are forbidden."},
    {.kind = "storage.v1.VolumeAttributesClass",
     .field = "parameters",
     .in_spec = false,
     .forbidden = "updates to parameters are forbidden."},
};

// An absent number or text is zero or empty.
bool is_zero(const json::Value* value) {
  return value == nullptr || value->is_null() || *value == json::Value("") ||
         *value == json::Value(0) || *value == json::Value(false);
}

bool same_value(const json::Value* one, const json::Value* other) {
  static const json::Value absent;
  if (is_zero(one) && is_zero(other)) return true;
  return (one == nullptr ? absent : *one) == (other == nullptr ? absent : *other);
}

void check_fixed(const Place& owner, const FixedField& fixed, const json::Value* before) {
  if (same_value(owner.find(fixed.field), before)) return;
  const FieldPath path = fixed.path.empty() ? owner.path(fixed.field) : FieldPath(fixed.path);
  owner.report(fixed.forbidden.empty()
                   ? FieldError::invalid(
                         path, fixed.shows_null ? json::Value{} : owner.shown_own(fixed.field),
                         "field is immutable")
                   : FieldError::forbidden(path, std::string(fixed.forbidden)));
}

void check_row(const Place& owner, const FixedField& fixed, const json::Value& before,
               const json::Value* field_before) {
  if (fixed.check != nullptr) {
    fixed.check(owner, before);
  } else {
    check_fixed(owner, fixed, field_before);
  }
}

json::Value shown_spec(const Place& root) {
  json::Value out;
  root.each("spec", [&out](const Place& spec) { out = spec.shown_whole(); });
  return out;
}

// The kinds whose fixed fields the server checks before the object.
constexpr std::string_view kFixedFirst[] = {
    "apps.v1.DaemonSet", "core.v1.ConfigMap",          "core.v1.Secret",
    "core.v1.Service",   "networking.v1.IngressClass", "storage.v1.VolumeAttributesClass"};

// Those that declarative rules find, or the others.
meta::FieldErrors fixed_field_errors(const meta::TypeDescriptor& type, const WrittenObject& written,
                                     bool late) {
  const json::Value& before = *written.before;
  Walk walk;
  walk.emptied = written.emptied;
  const Place root(walk, type, written.object);
  for (const FixedField& fixed : kFixedFields) {
    if (fixed.kind != type.name || (fixed.shows_null || fixed.late) != late) continue;
    if (!fixed.in_spec) {
      check_row(root, fixed, before, before.at_path({fixed.field}));
    } else {
      root.each("spec", [&](const Place& spec) {
        check_row(spec, fixed, before, before.at_path({"spec", fixed.field}));
      });
    }
  }
  return std::move(walk.errors);
}

}  // namespace

meta::FieldErrors validate_type_change(const meta::TypeDescriptor& type,
                                       const WrittenObject& written) {
  TypeErrors found = find_type_errors(type, written);
  meta::FieldErrors& errors = found.own;
  meta::FieldErrors fixed = fixed_field_errors(type, written, false);
  const bool first = std::ranges::find(kFixedFirst, type.name) != std::end(kFixedFirst);
  errors.insert(first ? errors.begin() : errors.end(), std::make_move_iterator(fixed.begin()),
                std::make_move_iterator(fixed.end()));
  std::ranges::move(found.late, std::back_inserter(errors));
  meta::FieldErrors fixed_late = fixed_field_errors(type, written, true);
  errors.insert(first ? errors.begin() : errors.end(), std::make_move_iterator(fixed_late.begin()),
                std::make_move_iterator(fixed_late.end()));
  return errors;
}

meta::FieldErrors validate_spec_change(const meta::TypeDescriptor& type,
                                       const WrittenObject& written, std::string_view why) {
  constexpr std::string_view kSpec = "spec";
  if (same_value(written.object.at_path({kSpec}), written.before->at_path({kSpec}))) return {};
  Walk walk;
  walk.emptied = written.emptied;
  Walk walk_before;
  const Place now(walk, type, written.object);
  const Place old(walk_before, type, *written.before);
  // A large one would be many times larger with all its unset fields.
  const bool is_small = now.shown(kSpec).is_object() && old.shown(kSpec).is_object();
  std::string text(why);
  if (is_small) text += "\n" + own_diff(shown_spec(old), shown_spec(now));
  now.forbidden(kSpec, std::move(text));
  return std::move(walk.errors);
}

}  // namespace kube::apiserver
