// SPDX-License-Identifier: Apache-2.0
//
// Volumes, claims and storage classes.
#include <algorithm>
#include <string>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/names/quantity.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

// A volume says since when it has its phase.
void prepare_volume(json::Value& volume, const json::Value* before, const std::string& now) {
  json::Object& status = child(*volume.if_object(), "status");
  constexpr std::string_view kSince = "lastPhaseTransitionTime";
  if (before == nullptr) {
    if (volume.string_at({"status", "phase"}) == "Pending") set_default(status, kSince, now);
    return;
  }
  const bool same_phase = same_member(volume, *before, {"status", "phase"});
  const bool same_time = same_member(volume, *before, {"status", kSince});
  const bool has_time = status.find(kSince) != nullptr;
  if (same_phase && !has_time) {
    if (const json::Value* since = before->at_path({"status", kSince})) status.set(kSince, *since);
  }
  if (!same_phase && (!has_time || same_time)) status.set(kSince, now);
}

// Whether a claim may name the source of its data in its older field.
bool is_claim_or_snapshot(const json::Value& source) {
  const std::string_view group = source.string_at({"apiGroup"});
  const std::string_view kind = source.string_at({"kind"});
  return (group.empty() && kind == "PersistentVolumeClaim") ||
         (group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot");
}

// The health of a volume is a feature that is off. Templates of claims keep what is written there.
void drop_health(json::Value& claim) {
  json::Value* status = claim.if_object()->find("status");
  if (status != nullptr && status->is_object()) status->if_object()->erase("healthStatus");
}

// Two fields of one meaning: dataSource and dataSourceRef, which takes more kinds and namespaces.
void prepare_claim(json::Value& claim, const json::Value* before, const std::string& /*now*/) {
  drop_health(claim);
  json::Object& spec = spec_in(claim);
  const auto is_set = [&spec](std::string_view key) {
    const json::Value* value = spec.find(key);
    return value != nullptr && value->is_object();
  };
  // References to other namespaces are a feature that is off.
  if (!claim.string_at({"spec", "dataSourceRef", "namespace"}).empty()) spec.erase("dataSourceRef");
  const bool had_source = before != nullptr && before->at_path({"spec", "dataSource"}) != nullptr;
  if (!had_source && !is_set("dataSourceRef") && is_set("dataSource") &&
      !is_claim_or_snapshot(*spec.find("dataSource"))) {
    spec.erase("dataSource");
  }
  const auto copy = [&spec](std::string_view from, std::string_view to) {
    json::Object source{{"apiGroup", nullptr}};
    for (const std::string_view key : {"apiGroup", "kind", "name"}) {
      if (const json::Value* value = spec.find(from)->if_object()->find(key))
        source.set(key, *value);
    }
    spec.set(to, std::move(source));
  };
  if (is_set("dataSource") && !is_set("dataSourceRef")) copy("dataSource", "dataSourceRef");
  if (is_set("dataSourceRef") && !is_set("dataSource")) copy("dataSourceRef", "dataSource");
}

void level_claims(json::Object& next, json::Object& old, const json::Value& before) {
  // These are set once, when the claim is bound or gets the default class.
  if (old.find("volumeName") == nullptr) copy_member(next, old, "volumeName");
  const json::Value* class_name = next.find("storageClassName");
  const json::Value* annotation =
      before.at_path({"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  if (class_name != nullptr && old.find("storageClassName") == nullptr &&
      (annotation == nullptr || *annotation == *class_name))
    next.erase("storageClassName");
  if (before.string_at({"status", "phase"}) != "Bound") return;
  copy_member(old, next, "volumeAttributesClassName");
  const json::Value* had = before.at_path({"spec", "resources", "requests", "storage"});
  json::Object& resources = child(next, "resources");
  json::Value* requests = resources.find("requests");
  if (requests != nullptr && requests->is_object() && had != nullptr)
    requests->if_object()->set("storage", *had);
}

// A claim can become smaller, down to what its volume has.
meta::FieldErrors validate_claim(const json::Value& after, const json::Value* before,
                                 std::span<const std::string> /*emptied*/) {
  meta::FieldErrors errors;
  if (before == nullptr) return errors;
  const meta::Quantity size = size_of_claim(after);
  if (size < size_of_claim(*before) &&
      size <= meta::Quantity::parse(before->string_at({"status", "capacity", "storage"}))
                  .value_or(meta::Quantity{})) {
    errors.push_back(meta::FieldError::forbidden(
        meta::FieldPath("spec").child("resources").child("requests").child("storage"),
        "field can not be less than status.capacity"));
  }
  const json::Value* mode = after.at_path({"spec", "volumeMode"});
  if (!same_member(after, *before, {"spec", "volumeMode"})) {
    errors.push_back(meta::FieldError::invalid(meta::FieldPath("volumeMode"),
                                               mode == nullptr ? json::Value() : *mode,
                                               "field is immutable"));
  }
  // An attributes class that the volume has can be replaced alone.
  constexpr std::string_view kClass = "volumeAttributesClassName";
  const bool has_class = !before->string_at({"status", "currentVolumeAttributesClassName"}).empty();
  if (has_class && !same_member(after, *before, {"spec", kClass}) &&
      after.string_at({"spec", kClass}).empty()) {
    const bool is_set = after.at_path({"spec", kClass}) != nullptr;
    errors.push_back(meta::FieldError::forbidden(
        meta::FieldPath("spec").child(kClass),
        std::string(is_set ? "update to empty string" : "update to nil") +
            " is forbidden when status.currentVolumeAttributesClassName is not nil"));
  }
  return errors;
}

json::Value access_modes(const CellInput& input) {
  const std::vector<std::string> modes = all_texts(input);
  std::vector<std::string> out;
  constexpr std::string_view kOrder[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                         "ReadWriteOncePod"};
  constexpr std::string_view kShorts[] = {"RWO", "ROX", "RWX", "RWOP"};
  for (std::size_t i = 0; i < std::size(kOrder); ++i) {
    if (std::ranges::find(modes, kOrder[i]) != modes.end()) out.emplace_back(kShorts[i]);
  }
  return join(out, ",");
}

bool has_volume(const CellInput& input) {
  return !input.object.string_at({"spec", "volumeName"}).empty();
}

json::Value bound_access_modes(const CellInput& input) {
  return has_volume(input) ? access_modes(input) : json::Value("");
}

json::Value bound_capacity(const CellInput& input) {
  if (!has_volume(input)) return "";
  json::Value capacity = first_text(input);
  return capacity.string_or_empty().empty() ? "0" : std::move(capacity);
}

json::Value volume_status(const CellInput& input) {
  return metadata_text(input.object, "deletionTimestamp").empty() ? first_text(input)
                                                                  : "Terminating";
}

// Prefers the beta annotation.
json::Value storage_class(const CellInput& input) {
  const json::Value* annotation =
      input.object.at_path({"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return annotation != nullptr ? cell_text(*annotation) : first_text(input);
}

json::Value volume_claim(const CellInput& input) {
  return pair_at(input.object, {"spec", "claimRef"}, "namespace", "name");
}

// Marks each class that has the annotation; the default is chosen elsewhere.
json::Value class_name(const CellInput& input) {
  std::string out(metadata_text(input.object, "name"));
  const json::Value* annotation = input.object.at_path(
      {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"});
  if (annotation != nullptr && annotation->string_or_empty() == "true") out += " (default)";
  return out;
}

constexpr Cell kVolumeCells[] = {
    {"Access Modes", access_modes},
    {"Status", volume_status},
    {"Claim", volume_claim},
    {"StorageClass", storage_class},
    {"VolumeAttributesClass", cells::text, "<unset>"},
    {"VolumeMode", cells::text, "<unset>"},
};
constexpr Cell kClaimCells[] = {
    {"Status", volume_status},
    {"Capacity", bound_capacity},
    {"Access Modes", bound_access_modes},
    {"StorageClass", storage_class},
    {"VolumeAttributesClass", cells::text, "<unset>"},
    {"VolumeMode", cells::text, "<unset>"},
};
constexpr Cell kClassCells[] = {
    {"Name", class_name},
    {"ReclaimPolicy", cells::text, "Delete"},
    {"VolumeBindingMode", cells::text, "Immediate"},
    {"AllowVolumeExpansion", cells::flag, "false"},
};
constexpr Cell kNodeDriverCells[] = {
    {"Drivers", cells::count},
};
constexpr Cell kDriverCells[] = {
    {"AttachRequired", cells::flag, "true"},     {"PodInfoOnMount", cells::flag, "false"},
    {"StorageCapacity", cells::flag, "false"},   {"TokenRequests", cells::list, "<unset>"},
    {"RequiresRepublish", cells::flag, "false"}, {"Modes", cells::list, "<none>"},
};

constexpr Cell kCapacityCells[] = {
    {"Capacity", cells::text, "<unset>"},
};

constexpr KindRules kVolumeRules[] = {
    {.group = "",
     .resource = "persistentvolumes",
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .cells = kVolumeCells,
     .prepare_create = set_pending,
     .prepare = prepare_volume},
    {.group = "",
     .resource = "persistentvolumeclaims",
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .stored_unfinished = true,  // its phase
     .cells = kClaimCells,
     .prepare_create = set_pending,
     .prepare = prepare_claim,
     .validate = validate_claim,
     .level_specs = level_claims,
     .fixed_spec =
         "spec is immutable after creation except resources.requests and volumeAttributesClassName "
         "for bound claims"},
    {.group = "storage.k8s.io",
     .resource = "storageclasses",
     .returns_deleted_object = true,
     .cells = kClassCells},
    {.group = "storage.k8s.io",
     .resource = "csinodes",
     .generation = Generation::Never,
     .status_metadata = {},
     .unconditional_update = false,
     .returns_deleted_object = true,
     .cells = kNodeDriverCells},
    {.group = "storage.k8s.io",
     .resource = "csidrivers",
     .generation = Generation::Changes,
     .unconditional_update = false,
     .returns_deleted_object = true,
     .cells = kDriverCells},
    {.group = "storage.k8s.io",
     .resource = "volumeattachments",
     .generation = Generation::Never,
     .status_metadata = {},
     .unconditional_update = false,
     .returns_deleted_object = true},
    {.group = "storage.k8s.io",
     .resource = "csistoragecapacities",
     .unconditional_update = false,
     .plain_table = true,
     .cells = kCapacityCells},
};

}  // namespace

Kinds volume_kinds() {
  return kVolumeRules;
}

}  // namespace kube::serving
