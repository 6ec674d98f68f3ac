// SPDX-License-Identifier: Apache-2.0
//
// PersistentVolumes and claims of them.
#include <algorithm>
#include <filesystem>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kAccessModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                             "ReadWriteOncePod"};
constexpr std::string_view kVolumeModes[] = {"Block", "Filesystem"};
constexpr std::string_view kReclaimPolicies[] = {"Delete", "Recycle", "Retain"};

constexpr Member kPersistentSources[] = {{"hostPath"},
                                         {"gcePersistentDisk", "persistentDisk"},
                                         {"awsElasticBlockStore"},
                                         {"glusterfs"},
                                         {"flocker"},
                                         {"nfs"},
                                         {"rbd"},
                                         {"quobyte"},
                                         {"cephfs", {}, "cephFS"},
                                         {"iscsi"},
                                         {"cinder"},
                                         {"fc"},
                                         {.field = "flexVolume", .beside = true},
                                         {"azureFile"},
                                         {"vsphereVolume"},
                                         {"photonPersistentDisk"},
                                         {"portworxVolume"},
                                         {"azureDisk"},
                                         {"scaleIO"},
                                         {"local"},
                                         {"storageos"},
                                         {"csi"}};

void check_access_modes(const Place& spec) {
  bool alone = false;
  bool others = false;
  for (const json::Value& each : spec.list("accessModes")) {
    const std::string_view mode = each.string_or_empty();
    const bool known = std::ranges::find(kAccessModes, mode) != std::end(kAccessModes);
    if (!known)
      spec.report(
          FieldError::not_supported(spec.path("accessModes"), mode, texts_of(kAccessModes)));
    if (mode == "ReadWriteOncePod") {
      alone = true;
    } else if (known) {
      others = true;
    }
  }
  if (alone && others)
    spec.forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
}

void check_claim_size(const Place& spec) {
  const FieldPath path = spec.path("resources").key("storage");
  const json::Value* amount = spec.value().at_path({"resources", "requests", "storage"});
  const auto size = amount == nullptr ? std::nullopt : quantity_of(*amount);
  if (amount == nullptr) {
    spec.report(FieldError::required(path, {}));
  } else if (size && size->sign() <= 0) {
    spec.report(FieldError::invalid(path, size->to_string(), "must be greater than zero"));
  }
}

void check_class_of_claim(const Place& spec) {
  for (const std::string_view field : {"storageClassName"}) {
    if (!spec.is_empty(field))
      spec.problems(field, meta::validate_dns1123_subdomain(spec.text(field)));
  }
}

void check_data_source(const Place& source) {
  for (const std::string_view field : {"name", "kind"})
    if (source.is_empty(field)) source.required(field);
  const std::string_view group = source.text("apiGroup");
  if (group.empty()) {
    if (source.text("kind") != "PersistentVolumeClaim")
      source.report(FieldError::invalid(
          source.path(), source.text("kind"),
          "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  } else {
    source.problems("apiGroup", meta::validate_dns1123_subdomain(group));
  }
  if (!source.is_empty("namespace"))
    source.problems("namespace", meta::validate_dns1123_label(source.text("namespace")));
}

void check_data_sources(const Place& spec) {
  spec.each("dataSource", check_data_source);
  spec.each("dataSourceRef", check_data_source);
  if (!spec.has("dataSource") || !spec.has("dataSourceRef")) return;
  const auto differs = [&](std::string_view field) {
    return spec.value().string_at({"dataSource", field}) !=
           spec.value().string_at({"dataSourceRef", field});
  };
  // The server shows the path of the field, of which nothing can be seen.
  const auto report = [&spec](std::string_view why) {
    spec.report(FieldError::invalid(spec.path(), json::Object{}, std::string(why)));
  };
  const auto has_group = [&spec](std::string_view field) {
    const json::Value* group = spec.value().at_path({field, "apiGroup"});
    return group != nullptr && !group->is_null();
  };
  if (!spec.value().string_at({"dataSourceRef", "namespace"}).empty()) {
    report("may not be specified when dataSourceRef.namespace is specified");
  } else if (differs("apiGroup") || differs("kind") || differs("name") ||
             has_group("dataSource") != has_group("dataSourceRef")) {
    report("must match dataSourceRef");
  }
}

void check_attributes_class(const Place& spec) {
  if (!spec.is_empty("volumeAttributesClassName"))
    spec.problems("volumeAttributesClassName",
                  meta::validate_dns1123_subdomain(spec.text("volumeAttributesClassName")));
}

void check_volume_capacity(const Place& spec) {
  const json::Object& capacity = spec.map("capacity");
  if (capacity.empty()) spec.required("capacity");
  if (!capacity.contains("storage") || capacity.size() > 1)
    spec.report(
        FieldError::not_supported(spec.path("capacity"), spec.shown("capacity"), {"storage"}));
  for (const auto& [name, amount] : capacity) {
    const auto size = quantity_of(amount);
    const FieldPath path = spec.path("capacity").key(name);
    if (size && size->sign() < 0)
      spec.report(FieldError::invalid(path, size->value(), "must be a valid resource quantity"));
    if (size && size->sign() <= 0)
      spec.report(FieldError::invalid(path, size->to_string(), "must be greater than zero"));
  }
}

// The volume that an attachment describes, instead of naming a PersistentVolume.
bool is_inline(const Place& spec) {
  return spec.parent() != nullptr &&
         spec.parent()->type().name == "storage.v1.VolumeAttachmentSource";
}

constexpr std::string_view kNotInline = "may not be specified in the context of inline volumes";

void check_volume_affinity(const Place& spec) {
  if (is_inline(spec)) {
    if (spec.has("nodeAffinity")) spec.forbidden("nodeAffinity", std::string(kNotInline));
    return;
  }
  spec.each("nodeAffinity", [](const Place& affinity) {
    if (!affinity.has("required"))
      affinity.required("required", "must specify required node constraints");
    affinity.into("required");
  });
}

// "/", "//", "/a/..": paths are compared in their shortest form.
bool is_root(std::string_view path) {
  return std::filesystem::path(path).lexically_normal() == "/";
}

void check_recycled_root(const Place& spec) {
  if (is_root(spec.value().string_at({"hostPath", "path"})) &&
      spec.text("persistentVolumeReclaimPolicy") == "Recycle")
    spec.forbidden("persistentVolumeReclaimPolicy",
                   "may not be 'recycle' for a hostPath mount of '/'");
}

// Options of mounts were in an annotation first, for volumes that can have some.
void check_old_mount_options(const Place& spec) {
  constexpr std::string_view kKey = "volume.beta.kubernetes.io/mount-options";
  constexpr std::string_view kMounted[] = {"gcePersistentDisk",
                                           "awsElasticBlockStore",
                                           "glusterfs",
                                           "nfs",
                                           "rbd",
                                           "quobyte",
                                           "iscsi",
                                           "cinder",
                                           "cephfs",
                                           "azureFile",
                                           "vsphereVolume",
                                           "azureDisk",
                                           "photonPersistentDisk"};
  const json::Value& volume = spec.root().value();
  if (volume.at_path({"metadata", "annotations", kKey}) == nullptr ||
      std::ranges::any_of(kMounted, [&](std::string_view source) { return spec.has(source); }))
    return;
  spec.report(FieldError::forbidden(FieldPath("metadata").child("annotations").child(kKey),
                                    "may not specify mount options for this volume type"));
}

void check_class_of_volume(const Place& spec) {
  if (spec.is_empty("storageClassName")) return;
  if (is_inline(spec))
    spec.forbidden("storageClassName", std::string(kNotInline));
  else
    spec.problems("storageClassName",
                  meta::validate_dns1123_subdomain(spec.text("storageClassName")));
}

void check_persistent_volume(const Place& spec) {
  const bool inlined = is_inline(spec);
  if (inlined) {
    if (spec.has("claimRef")) spec.forbidden("claimRef", std::string(kNotInline));
    if (!spec.is_empty("capacity")) spec.forbidden("capacity", std::string(kNotInline));
    if (!spec.has("csi"))
      spec.required("csi", "has to be specified in the context of inline volumes");
  }
  if (spec.is_empty("accessModes")) spec.required("accessModes");
  check_access_modes(spec);
  if (!inlined) check_volume_capacity(spec);
}

void check_reclaim_policy(const Place& spec) {
  const std::string_view policy = spec.text("persistentVolumeReclaimPolicy");
  if (policy.empty()) return;
  if (is_inline(spec)) {
    if (policy != "Retain")
      spec.forbidden("persistentVolumeReclaimPolicy",
                     "may only be Retain in the context of inline volumes");
  } else if (std::ranges::find(kReclaimPolicies, policy) == std::end(kReclaimPolicies)) {
    spec.not_supported("persistentVolumeReclaimPolicy", kReclaimPolicies);
  }
}

void check_volume_mode(const Place& spec) {
  if (!spec.has("volumeMode")) return;
  const std::string_view mode = spec.text("volumeMode");
  if (is_inline(spec)) {
    if (mode != "Filesystem")
      spec.forbidden("volumeMode",
                     "may not specify volumeMode other than Filesystem in the context of inline "
                     "volumes");
  } else if (std::ranges::find(kVolumeModes, mode) == std::end(kVolumeModes)) {
    spec.not_supported("volumeMode", kVolumeModes);
  }
}

void check_attributes_class_of_volume(const Place& spec) {
  constexpr std::string_view kField = "volumeAttributesClassName";
  if (!spec.has(kField) || is_inline(spec)) return;
  if (spec.is_empty(kField)) {
    spec.required(kField, "an empty string is disallowed");
  } else {
    spec.problems(kField, meta::validate_dns1123_subdomain(spec.text(kField)));
  }
  if (!spec.has("csi"))
    spec.required("csi", "has to be specified when using volumeAttributesClassName");
}

void check_local_volume(const Place& local) {
  if (local.is_empty("path")) {
    local.required("path");
  } else if (local.text("path").find("..") != std::string_view::npos) {
    const std::string_view path = local.text("path");
    if (path == ".." || path.starts_with("../") || path.ends_with("/..") ||
        path.find("/../") != std::string_view::npos)
      local.invalid("path", "must not contain '..'");
  }
  if (!local.parent()->has("nodeAffinity"))
    local.parent()->required("nodeAffinity", "Local volume requires node affinity");
}

constexpr Rule kClaimRules[] = {
    rules::required("accessModes", "at least 1 access mode is required"),
    rules::into("selector"),
    rules::call(check_access_modes),
    rules::call("resources", check_claim_size),
    rules::call(check_class_of_claim),
    rules::one_of_set("volumeMode", kVolumeModes),
    rules::call("dataSource", check_data_sources),
    rules::skip("dataSourceRef"),
    rules::call(check_attributes_class)};
constexpr Rule kPersistentVolumeRules[] = {
    rules::call(check_persistent_volume),
    rules::call(check_reclaim_policy),
    rules::call("nodeAffinity", check_volume_affinity),
    rules::exactly(kPersistentSources, "may not specify more than 1 volume type",
                   "must specify a volume type"),
    rules::call(check_recycled_root),
    rules::call(check_class_of_volume),
    rules::call(check_old_mount_options),
    rules::call(check_volume_mode),
    rules::call(check_attributes_class_of_volume),
    rules::skip("claimRef")};
constexpr Rule kLocalVolumeRules[] = {rules::call(check_local_volume)};
constexpr Rule kClaimTemplateRules[] = {rules::call("metadata", check_template_meta),
                                        rules::into("spec")};

constexpr TypeRules kClaimTypes[] = {
    {"core.v1.PersistentVolumeClaimSpec", kClaimRules},
    {"core.v1.PersistentVolumeSpec", kPersistentVolumeRules},
    {"core.v1.LocalVolumeSource", kLocalVolumeRules},
    {"core.v1.PersistentVolumeClaimTemplate", kClaimTemplateRules},
};

}  // namespace

std::span<const TypeRules> claim_types() {
  return kClaimTypes;
}

}  // namespace kube::apiserver
