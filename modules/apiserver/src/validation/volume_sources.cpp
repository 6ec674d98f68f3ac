// SPDX-License-Identifier: Apache-2.0
//
// The sources of volumes, in pods and in persistent volumes.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::size_t kMaxDriver = 63;

constexpr std::string_view kHostPathTypes[] = {
    "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
    "File", "FileOrCreate", "Socket"};
constexpr std::string_view kDiskCaching[] = {"None", "ReadOnly", "ReadWrite"};
constexpr std::string_view kDiskKinds[] = {"Dedicated", "Managed", "Shared"};
constexpr std::string_view kPartitionText = "must be between 1 and 255, inclusive";

void check_empty_dir(const Place& dir) {
  const json::Value* limit = dir.find("sizeLimit");
  const auto size = limit == nullptr ? std::nullopt : quantity_of(*limit);
  if (size && size->sign() < 0)
    dir.forbidden("sizeLimit", "SizeLimit field must be a valid resource quantity");
}

void check_host_path(const Place& host) {
  if (host.is_empty("path")) {
    host.required("path");
    return;
  }
  host.problems("path", formats::path_without_backsteps(host.text("path")));
  if (std::ranges::find(kHostPathTypes, host.text("type")) == std::end(kHostPathTypes))
    host.not_supported("type", kHostPathTypes);
}

void check_nfs_path(const Place& nfs) {
  if (!nfs.text("path").starts_with('/'))
    nfs.invalid("path", nfs.text("path"), "must be an absolute path");
}

bool is_iscsi_name(std::string_view name) {
  return name.starts_with("iqn") || name.starts_with("eui") || name.starts_with("naa");
}

// "iqn.2001-04.com.example:storage"
bool is_qualified_iscsi_name(std::string_view name) {
  constexpr std::string_view kForm = "iqn.dddd-dd.";
  if (name.size() <= kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = ascii::is_digit(name[i]);
    if (i > 3 && kForm[i] == 'd' ? !is_digit : name[i] != kForm[i]) return false;
  }
  name.remove_prefix(kForm.size());
  const std::size_t colon = name.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == name.size()) return false;
  const std::string_view text = name.substr(colon + 1);
  return text.find_first_of(",;*&$| \t\n\f\r") == std::string_view::npos &&
         std::ranges::all_of(name.substr(0, colon),
                             [](char c) { return ascii::is_alnum(c) || c == '-' || c == '.'; });
}

// What is wrong with the name of a target or an initiator; empty for a right one.
std::string_view iscsi_problem(const Place& iscsi, std::string_view name) {
  constexpr std::string_view kForm = "must be valid format";
  constexpr std::size_t kEuiSize = 16;
  constexpr std::size_t kNaaSize = 32;
  if (!is_iscsi_name(name))
    return iscsi.type().name == "core.v1.ISCSIVolumeSource"
               ? "must be valid format starting with iqn, eui, or naa"
               : kForm;
  if (name.starts_with("iqn")) return is_qualified_iscsi_name(name) ? std::string_view{} : kForm;
  const std::size_t size = name.starts_with("eui") ? kEuiSize : kNaaSize;
  const std::string_view number = name.substr(std::min<std::size_t>(4, name.size()));
  return number.size() == size && std::ranges::all_of(number, ascii::is_alnum) ? std::string_view{}
                                                                               : kForm;
}

// Of a persistent volume, the initiator's interface is named after it and the portal.
void check_iscsi_portal(const Place& iscsi) {
  constexpr std::size_t kMaxInterface = 64;
  const std::string_view portal = iscsi.text("targetPortal");
  const std::string_view volume = iscsi.root().value().string_at({"metadata", "name"});
  if (iscsi.type().name == "core.v1.ISCSIPersistentVolumeSource" && iscsi.has("initiatorName") &&
      volume.size() + 1 + portal.size() > kMaxInterface)
    iscsi.report(FieldError::invalid(
        iscsi.path("targetportal"), portal,
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
        "iscsi.initiatorName is specified."));
}

void check_iscsi(const Place& iscsi) {
  const std::string_view name = iscsi.text("iqn");
  check_iscsi_portal(iscsi);
  if (name.empty()) {
    iscsi.required("iqn");
  } else if (const std::string_view problem = iscsi_problem(iscsi, name); !problem.empty()) {
    iscsi.invalid("iqn", std::string(problem));
  }
  const std::int64_t unit = iscsi.number("lun").value_or(0);
  if (unit < 0 || unit > 255) iscsi.invalid("lun", "must be between 0 and 255, inclusive");
  if ((iscsi.is_true("chapAuthDiscovery") || iscsi.is_true("chapAuthSession")) &&
      !iscsi.has("secretRef"))
    iscsi.required("secretRef");
  if (!iscsi.has("initiatorName")) return;
  const std::string_view initiator = iscsi.text("initiatorName");
  if (const std::string_view problem = iscsi_problem(iscsi, initiator); !problem.empty())
    iscsi.report(FieldError::invalid(iscsi.path("initiatorname"), initiator, std::string(problem)));
}

void check_fibre_channel(const Place& channel) {
  const bool names = !channel.is_empty("targetWWNs");
  const bool ids = !channel.is_empty("wwids");
  if (!names && !ids)
    channel.required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  if (names && ids)
    channel.invalid("targetWWNs", "targetWWNs and wwids can not be specified simultaneously");
  if (!names) return;
  const auto unit = channel.number("lun");
  if (!unit) {
    channel.required("lun", "lun is required if targetWWNs is specified");
  } else if (*unit < 0 || *unit > 255) {
    channel.invalid("lun", "must be between 0 and 255, inclusive");
  }
}

void check_flocker(const Place& flocker) {
  const bool name = !flocker.is_empty("datasetName");
  const bool uuid = !flocker.is_empty("datasetUUID");
  if (!name && !uuid)
    flocker.report(
        FieldError::required(flocker.path(), "one of datasetName and datasetUUID is required"));
  if (name && uuid)
    flocker.report(
        FieldError::invalid(flocker.path(), "resource",
                            "datasetName and datasetUUID can not be specified simultaneously"));
  if (flocker.text("datasetName").find('/') != std::string_view::npos)
    flocker.invalid("datasetName", "must not contain '/'");
}

// "host:port" or "[::1]:port"
bool is_host_and_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return false;
  }
  return host.find_first_of("[]") == std::string_view::npos &&
         text.find_first_of("[]", colon) == std::string_view::npos;
}

void check_quobyte(const Place& quobyte) {
  constexpr std::string_view kRegistry =
      "must be a host:port pair or multiple pairs separated by commas";
  if (quobyte.is_empty("registry")) {
    quobyte.required("registry", std::string(kRegistry));
  } else if (quobyte.text("tenant").size() >= 65) {
    quobyte.required("tenant", "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const std::string_view pair : go::split(quobyte.text("registry"), ','))
      if (!is_host_and_port(pair)) quobyte.invalid("registry", std::string(kRegistry));
  }
  if (quobyte.is_empty("volume")) quobyte.required("volume");
}

// The address of a disk is of a blob, or of a managed disk.
void check_azure_address(const Place& disk) {
  constexpr std::string_view kManaged[] = {
      "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
      "{disk-id}"};
  constexpr std::string_view kBlob[] = {
      "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"};
  if (!disk.has("kind")) return;
  const bool managed = disk.text("kind") == "Managed";
  if (!disk.text("diskURI").starts_with(managed ? "/subscriptions/" : "https://"))
    disk.report(FieldError::not_supported(disk.path("diskURI"), disk.text("diskURI"),
                                          texts_of(managed ? Words(kManaged) : Words(kBlob))));
}

void check_flex_options(const Place& flex) {
  for (const auto& [key, value] : flex.map("options")) {
    const std::string domain =
        "." + ascii::to_lower(std::string_view(key).substr(0, key.find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io"))
      flex.report(FieldError::invalid(flex.path("options").key(key), key,
                                      "kubernetes.io and k8s.io namespaces are reserved"));
  }
}

// The secret of a volume of a provider: a name, and where there is no pod, a namespace.
void check_secret_name(const Place& source) {
  source.each("secretRef", [](const Place& secret) {
    if (secret.is_empty("name")) secret.required("name");
  });
}

void check_secret_place(const Place& source) {
  source.each("secretRef", [](const Place& secret) {
    for (const std::string_view field : {"name", "namespace"})
      if (secret.is_empty(field)) secret.required(field);
  });
}

void check_storage_os_names(const Place& source) {
  check_name(source, "volumeName", meta::validate_dns1123_label);
  source.problems("volumeNamespace",
                  source.is_empty("volumeNamespace")
                      ? meta::Problems{}
                      : meta::validate_dns1123_label(source.text("volumeNamespace")));
}

void check_secret_namespace(const Place& source) {
  if (source.has("secretNamespace") && source.is_empty("secretNamespace"))
    source.required("secretNamespace");
}

void check_volume_secret(const Place& source) {
  source.each("nodePublishSecretRef", [&](const Place& secret) {
    const std::string_view name = secret.text("name");
    if (name.empty()) {
      secret.required("name");
    } else {
      report_problems(source, source.path("name"), name, meta::validate_dns1123_subdomain(name));
    }
  });
}

void check_persistent_secrets(const Place& source) {
  for (const std::string_view field : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                       "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    source.each(field, [](const Place& secret) {
      check_name(secret, "name", meta::validate_dns1123_subdomain);
      check_name(secret, "namespace", meta::validate_dns1123_label);
    });
  }
}

void check_volume_driver(const Place& source) {
  check_driver_name(source, "driver");
}

void check_ephemeral_template(const Place& source) {
  if (!source.has("volumeClaimTemplate")) source.required("volumeClaimTemplate");
}

void check_glusterfs_namespace(const Place& source) {
  if (!source.has("endpointsNamespace")) return;
  const std::string_view name = source.text("endpointsNamespace");
  if (name.empty()) {
    source.invalid("endpointsNamespace",
                   "if the endpointnamespace is set, it must be a valid namespace name");
  } else {
    source.problems("endpointsNamespace", meta::validate_dns1123_label(name));
  }
}

constexpr Rule kEmptyDirRules[] = {rules::call(check_empty_dir)};
constexpr Rule kHostPathRules[] = {rules::call(check_host_path)};
constexpr Rule kGitRules[] = {rules::required("repository"),
                              rules::text("directory", formats::descending_path)};
constexpr Rule kGoogleDiskRules[] = {rules::required("pdName"),
                                     rules::range("partition", 0, 255, kPartitionText)};
constexpr Rule kBlockStoreRules[] = {rules::required("volumeID"),
                                     rules::range("partition", 0, 255, kPartitionText)};
constexpr Rule kNfsRules[] = {rules::required("server"), rules::required("path"),
                              rules::call(check_nfs_path)};
constexpr Rule kIscsiRules[] = {rules::required("targetPortal"), rules::call(check_iscsi)};
constexpr Rule kIscsiVolumeRules[] = {rules::required("targetPortal"), rules::call(check_iscsi),
                                      rules::call("secretRef", check_secret_name)};
constexpr Rule kGlusterRules[] = {rules::required("endpoints"), rules::required("path")};
constexpr Rule kGlusterVolumeRules[] = {rules::required("endpoints"), rules::required("path"),
                                        rules::call(check_glusterfs_namespace)};
constexpr Rule kFlockerRules[] = {rules::call(check_flocker)};
constexpr Rule kClaimVolumeRules[] = {rules::required("claimName")};
constexpr Rule kRbdRules[] = {rules::required("monitors"), rules::required("image")};
constexpr Rule kCinderRules[] = {rules::required("volumeID"),
                                 rules::call("secretRef", check_secret_name)};
constexpr Rule kCinderVolumeRules[] = {rules::required("volumeID"),
                                       rules::call("secretRef", check_secret_place)};
constexpr Rule kCephRules[] = {rules::required("monitors")};
constexpr Rule kQuobyteRules[] = {rules::call(check_quobyte)};
constexpr Rule kFibreChannelRules[] = {rules::call(check_fibre_channel)};
constexpr Rule kFlexRules[] = {rules::required("driver"), rules::call(check_flex_options)};
constexpr Rule kAzureFileRules[] = {rules::required("secretName"), rules::required("shareName")};
constexpr Rule kAzureVolumeRules[] = {rules::required("secretName"), rules::required("shareName"),
                                      rules::call(check_secret_namespace)};
constexpr Rule kVsphereRules[] = {rules::required("volumePath")};
constexpr Rule kPhotonRules[] = {rules::required("pdID")};
constexpr Rule kPortworxRules[] = {rules::required("volumeID")};
constexpr Rule kAzureDiskRules[] = {rules::required("diskName"), rules::required("diskURI"),
                                    rules::one_of_set("cachingMode", kDiskCaching),
                                    rules::one_of_set("kind", kDiskKinds),
                                    rules::call(check_azure_address)};
constexpr Rule kStorageOsRules[] = {rules::call(check_storage_os_names),
                                    rules::call("secretRef", check_secret_name)};
constexpr Rule kStorageOsVolumeRules[] = {rules::call(check_storage_os_names),
                                          rules::call("secretRef", check_secret_place)};
constexpr Rule kScaleIoRules[] = {rules::required("gateway"), rules::required("system"),
                                  rules::required("volumeName")};
constexpr Rule kCsiRules[] = {rules::call(check_volume_driver),
                              rules::call("nodePublishSecretRef", check_volume_secret)};
constexpr Rule kCsiVolumeRules[] = {rules::call(check_volume_driver),
                                    rules::required("volumeHandle"),
                                    rules::call(check_persistent_secrets)};
constexpr Rule kEphemeralRules[] = {rules::call(check_ephemeral_template),
                                    rules::into("volumeClaimTemplate")};
constexpr Rule kImageRules[] = {rules::required("reference"),
                                rules::one_of("pullPolicy", kPullPolicies)};

constexpr TypeRules kVolumeSourceTypes[] = {
    {"core.v1.EmptyDirVolumeSource", kEmptyDirRules},
    {"core.v1.HostPathVolumeSource", kHostPathRules},
    {"core.v1.GitRepoVolumeSource", kGitRules},
    {"core.v1.GCEPersistentDiskVolumeSource", kGoogleDiskRules},
    {"core.v1.AWSElasticBlockStoreVolumeSource", kBlockStoreRules},
    {"core.v1.NFSVolumeSource", kNfsRules},
    {"core.v1.ISCSIVolumeSource", kIscsiRules},
    {"core.v1.ISCSIPersistentVolumeSource", kIscsiVolumeRules},
    {"core.v1.GlusterfsVolumeSource", kGlusterRules},
    {"core.v1.GlusterfsPersistentVolumeSource", kGlusterVolumeRules},
    {"core.v1.FlockerVolumeSource", kFlockerRules},
    {"core.v1.PersistentVolumeClaimVolumeSource", kClaimVolumeRules},
    {"core.v1.RBDVolumeSource", kRbdRules},
    {"core.v1.RBDPersistentVolumeSource", kRbdRules},
    {"core.v1.CinderVolumeSource", kCinderRules},
    {"core.v1.CinderPersistentVolumeSource", kCinderVolumeRules},
    {"core.v1.CephFSVolumeSource", kCephRules},
    {"core.v1.CephFSPersistentVolumeSource", kCephRules},
    {"core.v1.QuobyteVolumeSource", kQuobyteRules},
    {"core.v1.FCVolumeSource", kFibreChannelRules},
    {"core.v1.FlexVolumeSource", kFlexRules},
    {"core.v1.FlexPersistentVolumeSource", kFlexRules},
    {"core.v1.AzureFileVolumeSource", kAzureFileRules},
    {"core.v1.AzureFilePersistentVolumeSource", kAzureVolumeRules},
    {"core.v1.VsphereVirtualDiskVolumeSource", kVsphereRules},
    {"core.v1.PhotonPersistentDiskVolumeSource", kPhotonRules},
    {"core.v1.PortworxVolumeSource", kPortworxRules},
    {"core.v1.AzureDiskVolumeSource", kAzureDiskRules},
    {"core.v1.StorageOSVolumeSource", kStorageOsRules},
    {"core.v1.StorageOSPersistentVolumeSource", kStorageOsVolumeRules},
    {"core.v1.ScaleIOVolumeSource", kScaleIoRules},
    {"core.v1.ScaleIOPersistentVolumeSource", kScaleIoRules},
    {"core.v1.CSIVolumeSource", kCsiRules},
    {"core.v1.CSIPersistentVolumeSource", kCsiVolumeRules},
    {"core.v1.EphemeralVolumeSource", kEphemeralRules},
    {"core.v1.ImageVolumeSource", kImageRules},
};

}  // namespace

void check_driver_name(const Place& place, std::string_view field) {
  const std::string_view name = place.text(field);
  if (name.empty()) {
    place.required(field);
    return;
  }
  if (name.size() > kMaxDriver) place.report(FieldError::too_long(place.path(field), kMaxDriver));
  place.problems(field, formats::caseless_subdomain(name));
}

void check_declared_driver(const Place& place, std::string_view field) {
  const std::string_view name = place.text(field);
  if (name.empty()) return place.required_late(field);
  if (!formats::caseless_subdomain(name).empty())
    place.report_late(FieldError::invalid(
        place.path(field), name,
        formats::pattern_problem(
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character",
            R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)",
            {"Example.com"})));
  if (name.size() <= kMaxDriver) return;
  FieldError error = FieldError::too_long(place.path(field), kMaxDriver);
  error.detail = "may not be more than " + std::to_string(kMaxDriver) + " characters";
  place.report_late(std::move(error));
}

std::span<const TypeRules> volume_source_types() {
  return kVolumeSourceTypes;
}

}  // namespace kube::apiserver
