// SPDX-License-Identifier: Apache-2.0
#include "validation/volumes.hpp"

#include <algorithm>

#include "validation/checks.hpp"
#include "validation/environment.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::int64_t kMaxMode = 0777;
constexpr std::string_view kModeText =
    "must be a number between 0 and 0777 (octal), both inclusive";
constexpr std::string_view kSeveral = "may not specify more than 1 volume type";

constexpr Member kVolumeSources[] = {{"emptyDir"},
                                     {"hostPath"},
                                     {"gitRepo"},
                                     {"gcePersistentDisk", "persistentDisk"},
                                     {"awsElasticBlockStore"},
                                     {"secret"},
                                     {"nfs"},
                                     {"iscsi"},
                                     {"glusterfs"},
                                     {"flocker"},
                                     {"persistentVolumeClaim"},
                                     {"rbd"},
                                     {"cinder"},
                                     {"cephfs", {}, "cephFS"},
                                     {"quobyte"},
                                     {"downwardAPI", {}, "downwarAPI"},
                                     {"fc"},
                                     {"flexVolume"},
                                     {"configMap"},
                                     {"azureFile"},
                                     {"vsphereVolume"},
                                     {"photonPersistentDisk"},
                                     {"portworxVolume"},
                                     {"azureDisk"},
                                     {"storageos"},
                                     {"projected"},
                                     {"scaleIO"},
                                     {"csi"},
                                     {"ephemeral"},
                                     {"image"}};

// The claims of a StatefulSet are volumes of its pods, instead of the template's of the same name.
std::set<std::string_view> claimed_volumes(const Place& spec) {
  std::set<std::string_view> names;
  const Place* owner = stateful_set_of(spec);
  if (owner == nullptr) return names;
  for (const json::Value& claim : owner->list("volumeClaimTemplates"))
    names.insert(claim.string_at({"metadata", "name"}));
  return names;
}

// The server names such a volume after its claim.
void check_claimed_volumes(const Place& spec) {
  const Place* owner = stateful_set_of(spec);
  if (owner == nullptr) return;
  const json::Array& claims = owner->list("volumeClaimTemplates");
  for (std::size_t i = 0; i < claims.size() && !spec.walk().is_full(); ++i) {
    const std::string_view name = claims[i].string_at({"metadata", "name"});
    const FieldPath volume = spec.path("volumes", i);
    if (name.empty()) {
      const FieldPath claim = volume.child("persistentVolumeClaim");
      spec.report(FieldError::required(claim.child("claimName"), {}));
      spec.report(FieldError::required(volume.child("name"), {}));
    } else {
      report_problems(spec, volume.child("name"), name, meta::validate_dns1123_label(name));
    }
  }
}

void check_volume_name(const Place& volume) {
  check_name(volume, "name", meta::validate_dns1123_label);
}

// The claim of an ephemeral volume is named after the pod.
void check_ephemeral_name(const Place& volume) {
  const Place* pod = volume.parent()->parent();
  const std::string_view name = volume.text("name");
  if (!volume.has("ephemeral") || name.empty() || pod == nullptr || pod->parent() != nullptr)
    return;
  const std::string_view pod_name = pod->value().string_at({"metadata", "name"});
  if (pod_name.empty()) return;
  const std::string claim = std::string(pod_name) + "-" + std::string(name);
  for (const std::string& problem : meta::validate_dns1123_subdomain(claim))
    volume.invalid("name", name, "PVC name \"" + claim + "\": " + problem);
}

// The names of the claims that are made for ephemeral volumes of the pod.
std::set<std::string> created_claims(const Place& spec) {
  std::set<std::string> out;
  const Place* pod = spec.parent();
  if (pod == nullptr || pod->parent() != nullptr) return out;
  const std::string_view name = pod->value().string_at({"metadata", "name"});
  if (name.empty()) return out;
  for (const json::Value& volume : spec.list("volumes")) {
    if (volume.at_path({"ephemeral"}) != nullptr)
      out.insert(std::string(name) + "-" + std::string(volume.string_at({"name"})));
  }
  return out;
}

void check_item_path(const Place& item) {
  if (item.is_empty("path")) item.required("path");
  item.problems("path", formats::local_path(item.text("path")));
}

// The server reports a file of the downward API at the list's owner.
void check_downward_file(const Place& file, const FieldPath& path) {
  const std::string_view name = file.text("path");
  if (name.empty()) file.report(FieldError::required(path.child("path"), {}));
  report_problems(file, path.child("path"), name, formats::local_path(name));
  if (file.has("fieldRef")) {
    file.each("fieldRef", [&](const Place& reference) {
      check_volume_field(reference, path.child("fieldRef"));
    });
    if (file.has("resourceFieldRef"))
      file.report(FieldError::invalid(
          path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (file.has("resourceFieldRef")) {
    file.each("resourceFieldRef",
              [&](const Place& reference) { check_resource_reference(reference, true, &path); });
  } else {
    file.report(FieldError::required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  const auto mode = file.number("mode");
  if (mode && (*mode < 0 || *mode > kMaxMode))
    file.report(FieldError::invalid(path.child("mode"), *mode, std::string(kModeText)));
}

void check_downward_files(const Place& source) {
  source.each("items", [&](const Place& file) { check_downward_file(file, source.path()); });
}

void check_projected_items(const Place& projected, const Place& source,
                           std::set<std::string_view>& paths, bool downward) {
  source.each("items", [&](const Place& item) {
    if (downward) {
      check_downward_file(item, source.path());
    } else {
      item.apply();
    }
    const std::string_view path = item.text("path");
    if (path.empty() || paths.insert(path).second) return;
    projected.report(FieldError::invalid(projected.path(), downward ? path : source.text("name"),
                                         "conflicting duplicate paths"));
  });
}

void check_projected_token(const Place& projected, const Place& token) {
  check_token_seconds(token, "expirationSeconds");
  const std::string_view path = token.text("path");
  if (path.empty()) {
    projected.required("path");
  } else {
    report_problems(token, projected.path("path"), path, formats::local_path(path));
  }
}

void check_trust_bundle(const Place& projected, const Place& bundle,
                        std::set<std::string_view>& paths) {
  const bool named = bundle.has("name");
  const bool signed_ = bundle.has("signerName");
  if (named && signed_) {
    bundle.report(FieldError::invalid(bundle.path(), bundle.shown_whole(),
                                      "only one of name and signerName may be used"));
  } else if (named) {
    if (bundle.is_empty("name")) bundle.required("name", "must be a valid object name");
    // What is before the last colon names the signer.
    const std::string_view name = bundle.text("name");
    const std::size_t colon = name.rfind(':');
    const std::string_view own = colon == std::string_view::npos ? name : name.substr(colon + 1);
    const meta::Problems problems =
        colon == 0 ? meta::Problems{"ClusterTrustBundle without signer name must not have \":\" in "
                                    "its name"}
                   : meta::validate_dns1123_subdomain(own);
    for (const std::string& problem : problems)
      bundle.invalid("name", name, "not a valid clustertrustbundlename: " + problem);
    if (bundle.has("labelSelector"))
      bundle.invalid("labelSelector", "labelSelector must be unset if name is specified");
  } else if (signed_) {
    if (bundle.is_empty("signerName")) bundle.required("signerName", "must be a valid signer name");
    check_signer_name(bundle, "signerName");
    bundle.into("labelSelector");
  } else {
    bundle.report(
        FieldError::required(bundle.path(), "either name or signerName must be specified"));
  }
  check_item_path(bundle);
  if (!paths.insert(bundle.text("path")).second)
    projected.report(
        FieldError::invalid(projected.path(), bundle.text("path"), "conflicting duplicate paths"));
}

void check_pod_certificate(const Place& projected, const Place& certificate,
                           std::set<std::string_view>& paths) {
  constexpr std::int64_t kMinSeconds = 3600;
  constexpr std::string_view kKeyTypes[] = {"RSA3072",   "RSA4096",   "ECDSAP256",
                                            "ECDSAP384", "ECDSAP521", "ED25519"};
  constexpr std::string_view kFiles[] = {"credentialBundlePath", "keyPath", "certificateChainPath"};
  check_signer_name(certificate, "signerName");
  if (std::ranges::find(kKeyTypes, certificate.text("keyType")) == std::end(kKeyTypes))
    certificate.report(FieldError::not_supported(certificate.path("keyType"),
                                                 certificate.text("keyType"), texts_of(kKeyTypes)));
  const auto seconds = certificate.number("maxExpirationSeconds");
  const std::int64_t most = max_certificate_seconds(certificate.text("signerName"));
  if (seconds && *seconds < kMinSeconds)
    certificate.invalid("maxExpirationSeconds",
                        "if provided, maxExpirationSeconds must be >= 3600");
  if (seconds && *seconds > most)
    certificate.invalid("maxExpirationSeconds",
                        "if provided, maxExpirationSeconds must be <= " + std::to_string(most));
  bool found = false;
  for (const std::string_view field : kFiles) {
    const std::string_view path = certificate.text(field);
    if (path.empty()) continue;
    found = true;
    certificate.problems(field, formats::local_path(path));
    if (!paths.insert(path).second)
      projected.report(FieldError::invalid(projected.path(), path, "conflicting duplicate paths"));
  }
  if (!found)
    certificate.report(FieldError::required(
        certificate.path(),
        "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"));
  check_domain_keys(certificate, "userAnnotations");
}

constexpr std::string_view kProjections[] = {
    "secret",        "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle",
    "podCertificate"};

void check_projection(const Place& projected, const Place& source,
                      std::set<std::string_view>& paths) {
  for (const std::string_view kind : {"secret", "configMap"}) {
    source.each(kind, [&](const Place& each) {
      if (each.is_empty("name")) each.required("name");
      check_projected_items(projected, each, paths, false);
    });
  }
  source.each("downwardAPI",
              [&](const Place& each) { check_projected_items(projected, each, paths, true); });
  source.each("serviceAccountToken",
              [&](const Place& token) { check_projected_token(projected, token); });
  source.each("clusterTrustBundle",
              [&](const Place& bundle) { check_trust_bundle(projected, bundle, paths); });
  source.each("podCertificate", [&](const Place& certificate) {
    check_pod_certificate(projected, certificate, paths);
  });
  std::size_t found = 0;
  for (const std::string_view kind : kProjections) found += source.has(kind) ? 1 : 0;
  if (found > 1)
    source.report(
        FieldError::forbidden(source.path(), "may not specify more than 1 volume type per source"));
}

void check_projections(const Place& projected) {
  std::set<std::string_view> paths;
  projected.each("sources",
                 [&](const Place& source) { check_projection(projected, source, paths); });
}

constexpr Rule kVolumeRules[] = {rules::only(kVolumeSources, kSeveral),
                                 rules::call(check_ephemeral_name), rules::call(check_volume_name)};
constexpr Rule kKeyToPathRules[] = {rules::required("key"), rules::call(check_item_path),
                                    rules::range("mode", 0, kMaxMode, kModeText)};
constexpr Rule kSecretVolumeRules[] = {rules::required("secretName"),
                                       rules::range("defaultMode", 0, kMaxMode, kModeText),
                                       rules::into("items")};
constexpr Rule kMapVolumeRules[] = {rules::required("name"),
                                    rules::range("defaultMode", 0, kMaxMode, kModeText),
                                    rules::into("items")};
constexpr Rule kDownwardRules[] = {rules::range("defaultMode", 0, kMaxMode, kModeText),
                                   rules::call("items", check_downward_files)};
constexpr Rule kProjectedRules[] = {rules::range("defaultMode", 0, kMaxMode, kModeText),
                                    rules::call("sources", check_projections)};

constexpr TypeRules kVolumeTypes[] = {
    {"core.v1.Volume", kVolumeRules},
    {"core.v1.KeyToPath", kKeyToPathRules},
    {"core.v1.SecretVolumeSource", kSecretVolumeRules},
    {"core.v1.ConfigMapVolumeSource", kMapVolumeRules},
    {"core.v1.DownwardAPIVolumeSource", kDownwardRules},
    {"core.v1.ProjectedVolumeSource", kProjectedRules},
};

}  // namespace

void check_volumes(const Place& spec) {
  PodFacts& pod = spec.walk().pod;
  pod = {};
  pod.volumes = claimed_volumes(spec);
  pod.claim_volumes = pod.volumes;
  const std::set<std::string_view> claimed = pod.volumes;
  std::set<std::string_view> names;
  const std::set<std::string> created = created_claims(spec);
  // The claims come before the template's volumes that they do not replace.
  std::size_t first = claimed.size();
  const auto check = [&](const Place& volume) {
    const std::string_view name = volume.text("name");
    if (claimed.contains(name)) {
      --first;
      return;
    }
    const std::size_t before = volume.walk().errors.size();
    volume.apply();
    if (names.contains(name)) volume.duplicate("name");
    const bool is_right = volume.walk().errors.size() == before;
    volume.each("persistentVolumeClaim", [&](const Place& claim) {
      if (created.contains(std::string(claim.text("claimName"))))
        claim.invalid("claimName",
                      "must not reference a PVC that gets created for an ephemeral volume");
    });
    if (!is_right) return;
    names.insert(name);
    pod.volumes.insert(name);
    if (volume.has("persistentVolumeClaim") || volume.has("ephemeral"))
      pod.claim_volumes.insert(name);
    if (volume.has("image")) pod.image_volumes.insert(name);
  };
  check_claimed_volumes(spec);
  spec.each("volumes", check, nullptr, &first);
  for (const json::Value& claim : spec.list("resourceClaims")) {
    const std::string_view name = claim.string_at({"name"});
    if (!name.empty()) pod.resource_claims.insert(name);
  }
}

std::span<const TypeRules> volume_types() {
  return kVolumeTypes;
}

}  // namespace kube::apiserver
