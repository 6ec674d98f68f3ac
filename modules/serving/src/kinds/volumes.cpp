// SPDX-License-Identifier: Apache-2.0
//
// Volumes, claims and storage classes.
#include <algorithm>
#include <string>
#include <utility>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

void default_claim(json::Value& claim) {
  set_default(spec_in(claim), "volumeMode", "Filesystem");
}

void default_volume(json::Value& volume) {
  set_default(spec_in(volume), "volumeMode", "Filesystem");
  set_default(spec_in(volume), "persistentVolumeReclaimPolicy", "Retain");
}

meta::FieldErrors validate_claim(const json::Value& after, const json::Value* before) {
  if (before == nullptr) return {};
  json::Object old = spec_of(*before);
  json::Object next = spec_of(after);
  // These are set once, when the claim is bound or gets the default class.
  for (const std::string_view member : {"volumeName", "storageClassName"}) {
    if (old.find(member) == nullptr) copy_member(next, old, member);
  }
  copy_member(next, old, "volumeAttributesClassName");
  if (before->string_at({"status", "phase"}) == "Bound") copy_member(next, old, "resources");
  if (json::Value(std::move(next)) == json::Value(std::move(old))) return {};
  return {
      meta::FieldError::forbidden(meta::FieldPath("spec"),
                                  "spec is immutable after creation except resources.requests and "
                                  "volumeAttributesClassName for bound claims")};
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
  return has_volume(input) ? first_text(input) : "";
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
     .defaults = default_volume,
     .prepare_create = set_pending},
    {.group = "",
     .resource = "persistentvolumeclaims",
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .cells = kClaimCells,
     .defaults = default_claim,
     .prepare_create = set_pending,
     .validate = validate_claim},
    {.group = "storage.k8s.io",
     .resource = "storageclasses",
     .returns_deleted_object = true,
     .cells = kClassCells},
    {.group = "storage.k8s.io",
     .resource = "csinodes",
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .cells = kNodeDriverCells},
    {.group = "storage.k8s.io",
     .resource = "csidrivers",
     .returns_deleted_object = true,
     .cells = kDriverCells},
    {.group = "storage.k8s.io",
     .resource = "volumeattachments",
     .generation = Generation::Never,
     .returns_deleted_object = true},
    {.group = "storage.k8s.io", .resource = "csistoragecapacities", .cells = kCapacityCells},
};

}  // namespace

Kinds volume_kinds() {
  return kVolumeRules;
}

}  // namespace kube::serving
