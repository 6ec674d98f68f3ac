// SPDX-License-Identifier: Apache-2.0
//
// StorageClasses, CSI drivers and nodes, attachments.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kClassReclaims[] = {"Delete", "Retain"};
constexpr std::string_view kBindingModes[] = {"Immediate", "WaitForFirstConsumer"};
constexpr std::string_view kGroupRules[] = {"File", "None", "ReadWriteOnceWithFSType"};
constexpr std::string_view kLifecycleModes[] = {"Persistent", "Ephemeral"};

void check_provisioner_of(const Place& object, std::string_view field) {
  if (object.is_empty(field)) {
    object.required_late(field);
  } else {
    object.problems(field, formats::caseless_qualified_name(object.text(field)));
  }
}

void check_provisioner(const Place& storage) {
  check_provisioner_of(storage, "provisioner");
}

void check_attributes_driver(const Place& storage) {
  if (storage.is_empty("driverName")) {
    storage.required("driverName");
  } else {
    check_provisioner_of(storage, "driverName");
  }
}

void check_parameters(const Place& storage) {
  constexpr std::size_t kMaxCount = 512;
  constexpr std::size_t kMaxBytes = 256 * 1024;
  const json::Object& parameters = storage.map("parameters");
  if (parameters.size() > kMaxCount)
    return storage.report(FieldError::too_long(storage.path("parameters"), kMaxCount));
  std::size_t bytes = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) storage.invalid("parameters", key, "field can not be empty.");
    bytes += key.size() + value.string_or_empty().size();
  }
  if (bytes > kMaxBytes)
    storage.report(FieldError::too_long(storage.path("parameters"), kMaxBytes));
}

using TopologyLabels = std::map<std::string_view, std::set<std::string_view>>;

TopologyLabels topology_labels(const Place& term) {
  TopologyLabels out;
  for (const json::Value& each : term.list("matchLabelExpressions")) {
    std::set<std::string_view>& values = out[each.string_at({"key"})];
    for (const json::Value& value : each.array_at({"values"}))
      values.insert(value.string_or_empty());
  }
  return out;
}

// A term without labels is always one too many: the server compares it with those that it has not
// read yet, too.
void check_topologies(const Place& storage) {
  std::vector<TopologyLabels> known;
  storage.each("allowedTopologies", [&](const Place& term) {
    term.apply();
    TopologyLabels labels = topology_labels(term);
    if (labels.empty() || std::ranges::find(known, labels) != known.end())
      term.report(FieldError::duplicate(term.path("matchLabelExpressions"), ""));
    known.push_back(std::move(labels));
  });
}

void check_lifecycle_modes(const Place& spec) {
  for (const json::Value& mode : spec.list("volumeLifecycleModes")) {
    if (std::ranges::find(kLifecycleModes, mode.string_or_empty()) == std::end(kLifecycleModes))
      spec.report(FieldError::not_supported(spec.path("volumeLifecycleModes"), mode,
                                            texts_of(kLifecycleModes)));
  }
}

void check_token_requests(const Place& spec) {
  std::set<std::string_view> audiences;
  spec.each("tokenRequests", [&](const Place& request) {
    const std::string_view audience = request.text("audience");
    if (!audiences.insert(audience).second) {
      request.report(FieldError::duplicate(request.path("audience"), audience));
    } else {
      check_token_seconds(request, "expirationSeconds");
    }
  });
  if (spec.has("serviceAccountTokenInSecrets") && spec.is_empty("tokenRequests"))
    spec.invalid("serviceAccountTokenInSecrets",
                 "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
}

void check_node_driver(const Place& driver) {
  constexpr std::size_t kMaxNodeId = 256;
  check_driver_name(driver, "name");
  if (driver.is_empty("nodeID")) driver.required("nodeID");
  if (driver.text("nodeID").size() > kMaxNodeId)
    driver.invalid("nodeID", "must be 256 characters or less");
  const auto count = driver.value().int_at({"allocatable", "count"});
  if (count && *count < 0)
    driver.report(FieldError::invalid(driver.path("allocatable").child("count"), *count,
                                      "must be greater than or equal to 0"));
}

void check_topology_keys(const Place& driver) {
  std::set<std::string_view> seen;
  for (const json::Value& each : driver.list("topologyKeys")) {
    const std::string_view key = each.string_or_empty();
    if (key.empty()) driver.report(FieldError::required(driver.path(), {}));
    if (!seen.insert(key).second) driver.report(FieldError::duplicate(driver.path(), key));
    report_problems(driver, driver.path(), key, meta::validate_qualified_name(key));
  }
}

void check_node_drivers(const Place& spec) {
  std::set<std::string_view> names;
  spec.each("drivers", [&](const Place& driver) {
    check_node_driver(driver);
    if (!names.insert(driver.text("name")).second) driver.duplicate("name");
    check_topology_keys(driver);
  });
}

void check_volume_of_attachment(const Place& source) {
  const std::string_view name = source.text("persistentVolumeName");
  for (const std::string& problem : meta::validate_dns1123_subdomain(name))
    source.report_late(FieldError::invalid(source.path("persistentVolumeName"), name, problem));
}

void check_attachment_source(const Place& source) {
  constexpr std::string_view kText =
      "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const bool inlined = source.has("inlineVolumeSpec");
  const bool named = source.has("persistentVolumeName");
  if (!inlined && !named) {
    source.report(FieldError::required(source.path(), std::string(kText)));
  } else if (inlined && named) {
    source.report(FieldError::forbidden(source.path(), std::string(kText)));
    check_volume_of_attachment(source);
  } else if (named && source.is_empty("persistentVolumeName")) {
    source.required("persistentVolumeName", "must specify non empty persistentVolumeName");
    check_volume_of_attachment(source);
  } else if (named) {
    check_volume_of_attachment(source);
  } else {
    source.into("inlineVolumeSpec");
  }
}

// Declarative rules find that the attacher is missing; of a changed spec, which is refused as a
// whole, they look at no field.
void check_attacher(const Place& spec) {
  const std::string_view name = spec.text("attacher");
  const bool is_new = spec.walk().before == nullptr;
  if (!is_new && name.empty()) spec.required("attacher");
  if (!is_new && !name.empty()) spec.problems("attacher", formats::caseless_subdomain(name));
  spec.into("source");
  if (is_new) check_declared_driver(spec, "attacher");
  spec.problems("nodeName", meta::validate_dns1123_subdomain(spec.text("nodeName")));
}

void check_capacity_class(const Place& capacity) {
  capacity.into("nodeTopology");
  capacity.problems("storageClassName",
                    meta::validate_dns1123_subdomain(capacity.text("storageClassName")));
  const json::Value* amount = capacity.find("capacity");
  const auto size = amount == nullptr ? std::nullopt : quantity_of(*amount);
  if (size && size->sign() < 0)
    capacity.invalid("capacity", size->to_string(), "must be greater than or equal to 0");
}

constexpr Rule kStorageClassRules[] = {rules::call(check_provisioner),
                                       rules::call(check_parameters),
                                       rules::one_of("reclaimPolicy", kClassReclaims),
                                       rules::one_of_set("volumeBindingMode", kBindingModes),
                                       rules::call("allowedTopologies", check_topologies)};
constexpr Rule kAttributesClassRules[] = {
    rules::call(check_attributes_driver), rules::call(check_parameters),
    rules::required("parameters", "must contain at least one key/value pair")};
constexpr Rule kDriverSpecRules[] = {
    rules::one_of_set("fsGroupPolicy", kGroupRules),
    rules::call("tokenRequests", check_token_requests), rules::call(check_lifecycle_modes),
    rules::at_least("nodeAllocatableUpdatePeriodSeconds", 10,
                    "must be greater than or equal to 10 seconds")};
constexpr Rule kNodeSpecRules[] = {rules::call("drivers", check_node_drivers)};
constexpr Rule kAttachmentRules[] = {rules::call("source", check_attacher)};
constexpr Rule kAttachmentSourceRules[] = {
    rules::call("inlineVolumeSpec", check_attachment_source)};
constexpr Rule kStorageCapacityRules[] = {rules::call("nodeTopology", check_capacity_class)};

constexpr TypeRules kStorageTypes[] = {
    {"storage.v1.StorageClass", kStorageClassRules},
    {"storage.v1.VolumeAttributesClass", kAttributesClassRules},
    {"storage.v1.CSIDriverSpec", kDriverSpecRules},
    {"storage.v1.CSINodeSpec", kNodeSpecRules},
    {"storage.v1.VolumeAttachmentSpec", kAttachmentRules},
    {"storage.v1.VolumeAttachmentSource", kAttachmentSourceRules},
    {"storage.v1.CSIStorageCapacity", kStorageCapacityRules},
};

}  // namespace

std::span<const TypeRules> storage_types() {
  return kStorageTypes;
}

}  // namespace kube::apiserver
