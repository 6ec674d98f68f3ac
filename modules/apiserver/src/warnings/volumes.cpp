// SPDX-License-Identifier: Apache-2.0
//
// Volumes of pods, persistent volumes and claims.
#include <algorithm>

#include <kube/names/go_text.hpp>

#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kGoneIn116 = "deprecated in v1.11, non-functional in v1.16+";
constexpr std::string_view kGoneIn122 = "deprecated in v1.16, non-functional in v1.22+";
constexpr std::string_view kGoneIn125 = "deprecated in v1.22, non-functional in v1.25+";
constexpr std::string_view kGoneIn126 = "deprecated in v1.25, non-functional in v1.26+";
constexpr std::string_view kGoneIn131 = "deprecated in v1.28, non-functional in v1.31+";
constexpr std::string_view kOffSince133 = "deprecated in v1.11, and disabled by default in v1.33+";

/// A file of a volume. `source` names where it comes from, when the volume has several sources.
struct VolumeFile {
  std::string path{};
  std::string source{};

  std::string shown() const {
    return source.empty() ? go::quote(path) : go::quote(path) + " (" + source + ")";
  }
};

// One path is the other, or is below it.
bool overlap(const std::string& one, const std::string& other) {
  if (one.empty() || other.empty()) return false;
  return (one + "/").starts_with(other + "/") || (other + "/").starts_with(one + "/");
}

class VolumeFiles {
 public:
  VolumeFiles(std::string volume, Warnings& out) : volume_(std::move(volume)), out_(out) {}

  void add(std::string_view path, const std::string& source) {
    VolumeFile file{std::string(path), source};
    while (file.path.ends_with('/')) file.path.pop_back();
    for (const VolumeFile& other : files_) {
      if (overlap(file.path, other.path))
        out_.push_back(volume_ + ": overlapping paths: " + file.shown() + " with " + other.shown());
    }
    files_.push_back(std::move(file));
  }
  void add_items(const Place& source, const std::string& name) {
    for (const json::Value& item : source.list("items")) add(item.string_at({"path"}), name);
  }

 private:
  std::string volume_;
  Warnings& out_;
  std::vector<VolumeFile> files_{};
};

std::string volume_title(const Place& volume, std::string_view source) {
  return "volume " + go::quote(volume.text("name")) + " (" + std::string(source) + ")";
}

std::string named(std::string_view source, std::string_view name) {
  return std::string(source) + " " + go::quote(name);
}

void add_projection(const Place& source, VolumeFiles& files) {
  source.each("configMap", [&](const Place& map) {
    files.add_items(map, named("ConfigMap", map.text("name")));
  });
  source.each("secret", [&](const Place& secret) {
    files.add_items(secret, named("Secret", secret.text("name")));
  });
  source.each("downwardAPI", [&](const Place& api) { files.add_items(api, "DownwardAPI"); });
  source.each("serviceAccountToken",
              [&](const Place& token) { files.add(token.text("path"), "ServiceAccountToken"); });
  source.each("clusterTrustBundle", [&](const Place& bundle) {
    const std::string_view name = bundle.text(bundle.has("name") ? "name" : "signerName");
    files.add(bundle.text("path"), named("ClusterTrustBundle", name));
  });
  source.each("podCertificate", [&](const Place& certificate) {
    files.add(certificate.text("credentialBundlePath"), "PodCertificate credential bundle");
    files.add(certificate.text("certificateChainPath"), "PodCertificate chain");
    files.add(certificate.text("keyPath"), "PodCertificate key");
  });
}

void warn_of_projections(const Place& volume, const Place& projected, Warnings& out) {
  VolumeFiles files(volume_title(volume, "Projected"), out);
  projected.each("sources", [&](const Place& source) {
    const json::Object* members = source.value().if_object();
    if (members == nullptr || members->empty()) {
      out.push_back(volume_title(volume, "Projected") + " has no sources provided");
    } else {
      add_projection(source, files);
    }
  });
}

void warn_of_files(const Place& volume, Warnings& out) {
  volume.each("configMap", [&](const Place& map) {
    VolumeFiles(volume_title(volume, named("ConfigMap", map.text("name"))), out).add_items(map, {});
  });
  volume.each("secret", [&](const Place& secret) {
    VolumeFiles(volume_title(volume, named("Secret", secret.text("secretName"))), out)
        .add_items(secret, {});
  });
  volume.each("downwardAPI", [&](const Place& api) {
    VolumeFiles(volume_title(volume, "DownwardAPI"), out).add_items(api, {});
  });
  volume.each("projected",
              [&](const Place& projected) { warn_of_projections(volume, projected, out); });
}

void warn_of_recycling(const Place& spec, Warnings& out) {
  if (spec.text("persistentVolumeReclaimPolicy") == "Recycle")
    out.push_back(warning_at(spec.path("persistentVolumeReclaimPolicy"),
                             "The Recycle reclaim policy is deprecated. Instead, the recommended "
                             "approach is to use dynamic provisioning."));
}

void warn_of_volume_nodes(const Place& spec, Warnings& out) {
  spec.each("nodeAffinity", [&](const Place& affinity) {
    affinity.each("required", [&](const Place& required) {
      required.each("nodeSelectorTerms",
                    [&](const Place& term) { warn_of_node_expressions(term, out); });
    });
  });
}

void warn_of_claim_sizes(const Place& amounts, Warnings& out) {
  for (const std::string_view field : {"requests", "limits"})
    warn_of_fraction(amounts, field, "storage", out);
}

void warn_of_class_annotation(const Place& object, Warnings& out) {
  constexpr std::string_view kClass = "volume.beta.kubernetes.io/storage-class";
  if (object.value().at_path({"metadata", "annotations", kClass}) != nullptr)
    out.push_back(warning_at(object.path("metadata").child("annotations").key(kClass),
                             R"(deprecated since v1.8; use "storageClassName" attribute instead)"));
}

void warn_of_mount_annotation(const Place& object, Warnings& out) {
  constexpr std::string_view kOptions = "volume.beta.kubernetes.io/mount-options";
  if (object.value().at_path({"metadata", "annotations", kOptions}) != nullptr)
    out.push_back(warning_at(object.path("metadata").child("annotations").key(kOptions),
                             R"(deprecated since v1.31; use "mountOptions" attribute instead)"));
}

constexpr Warning kPodVolume[] = {{"photonPersistentDisk", kGoneIn116},
                                  {"gitRepo", kOffSince133},
                                  {"scaleIO", kGoneIn122},
                                  {"flocker", kGoneIn125},
                                  {"storageos", kGoneIn125, "storageOS"},
                                  {"quobyte", kGoneIn125},
                                  {"glusterfs", kGoneIn126},
                                  {"cephfs", kGoneIn131},
                                  {"rbd", kGoneIn131},
                                  warn_with(warn_of_files)};
constexpr Warning kPersistentVolume[] = {warn_with(warn_of_class_annotation),
                                         warn_with(warn_of_mount_annotation)};
constexpr Warning kPersistentVolumeSpec[] = {
    warn_with(warn_of_recycling), warn_with(warn_of_volume_nodes),
    {"cephfs", kGoneIn131},       {"photonPersistentDisk", kGoneIn116},
    {"scaleIO", kGoneIn122},      {"storageos", kGoneIn125, "storageOS"},
    {"glusterfs", kGoneIn126},    {"rbd", kGoneIn131}};
constexpr Warning kClaim[] = {warn_with(warn_of_class_annotation)};
constexpr Warning kClaimSizes[] = {warn_with(warn_of_claim_sizes)};

constexpr TypeWarnings kVolumeWarnings[] = {
    {"core.v1.Volume", kPodVolume},
    {"core.v1.PersistentVolume", kPersistentVolume},
    {"core.v1.PersistentVolumeSpec", kPersistentVolumeSpec},
    {"core.v1.PersistentVolumeClaim", kClaim},
    {"core.v1.VolumeResourceRequirements", kClaimSizes},
};

}  // namespace

std::span<const TypeWarnings> volume_warnings() {
  return kVolumeWarnings;
}

}  // namespace kube::apiserver
