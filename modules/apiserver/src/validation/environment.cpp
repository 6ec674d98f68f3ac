// SPDX-License-Identifier: Apache-2.0
//
// The environment of containers: variables, their sources, references to fields and resources.
#include "validation/environment.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kEnvFields[] = {"metadata.name",
                                           "metadata.namespace",
                                           "metadata.uid",
                                           "spec.nodeName",
                                           "spec.serviceAccountName",
                                           "status.hostIP",
                                           "status.hostIPs",
                                           "status.podIP",
                                           "status.podIPs"};
constexpr std::string_view kVolumeFields[] = {"metadata.annotations", "metadata.labels",
                                              "metadata.name", "metadata.namespace",
                                              "metadata.uid"};
// What a reference may name at all, before the use is looked at.
constexpr std::string_view kKnownFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs",   "spec.host"};
constexpr std::string_view kContainerFields[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
constexpr std::string_view kEnvSources[] = {"fieldRef", "resourceFieldRef", "configMapKeyRef",
                                            "secretKeyRef", "fileKeyRef"};
constexpr std::string_view kByteDivisors[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                              "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
constexpr std::string_view kCpuDivisors[] = {"1m", "1"};

bool is_among(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

struct Subscript {
  std::string_view path;
  std::string_view key;
};

std::optional<Subscript> subscript_of(std::string_view field) {
  if (!field.ends_with("']")) return std::nullopt;
  field.remove_suffix(2);
  const std::size_t at = field.find("['");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  return Subscript{field.substr(0, at), field.substr(at + 2)};
}

std::optional<std::string> conversion_problem(std::string_view version, std::string_view field) {
  if (version != "v1") return "unsupported pod version: " + std::string(version);
  if (const auto subscript = subscript_of(field)) {
    if (subscript->path == "metadata.annotations" || subscript->path == "metadata.labels")
      return std::nullopt;
    return "field label does not support subscript: " + std::string(field);
  }
  if (is_among(kKnownFields, field)) return std::nullopt;
  return "field label not supported: " + std::string(field);
}

void check_divisor(const Place& place, const FieldPath& path, std::string_view resource) {
  const json::Value* divisor = place.find("divisor");
  const auto quantity = divisor == nullptr ? std::nullopt : quantity_of(*divisor);
  if (!quantity || quantity->is_zero()) return;
  const std::string text = quantity->to_string();
  const auto wrong = [&](std::string_view values, std::string_view kind) {
    place.report(FieldError::invalid(path.child("divisor"), resource,
                                     "only divisor's values " + std::string(values) +
                                         " are supported with the " + std::string(kind) +
                                         " resource"));
  };
  constexpr std::string_view kBytes = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (!is_among(kCpuDivisors, text)) wrong("1m and 1", "cpu");
  } else if (is_among(kByteDivisors, text)) {
    return;
  } else if (resource == "limits.memory" || resource == "requests.memory") {
    wrong(kBytes, "memory");
  } else if (resource.ends_with(".ephemeral-storage")) {
    wrong(kBytes, "local ephemeral storage");
  } else if (resource.starts_with("requests.hugepages-") ||
             resource.starts_with("limits.hugepages-")) {
    wrong(kBytes, "hugepages");
  }
}

void check_sources(const Place& from) {
  std::size_t found = 0;
  for (const std::string_view source : kEnvSources) {
    if (!from.has(source)) continue;
    ++found;
    from.into(source);
  }
  const auto report = [&](std::string detail) {
    from.report(FieldError::invalid(from.path(), "", std::move(detail)));
  };
  if (found == 0) {
    report(
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "
        "or `fileKeyRef`");
  } else if (!from.parent()->is_empty("value")) {
    report("may not be specified when `value` is not empty");
  } else if (found > 1) {
    report("may not have more than one field specified at a time");
  }
}

void check_env_name(const Place& variable) {
  check_name(variable, "name", formats::env_name);
}

void check_env_from(const Place& source) {
  const bool map = source.has("configMapRef");
  const bool secret = source.has("secretRef");
  // The server reports these at the list.
  const FieldPath path = source.parent()->path(source.name());
  if (!map && !secret) {
    source.report(
        FieldError::invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
  } else if (map && secret) {
    source.report(
        FieldError::invalid(path, "", "may not have more than one field specified at a time"));
  }
}

void check_source_name(const Place& source) {
  check_name(source, "name", meta::validate_dns1123_subdomain);
}

void check_key_reference(const Place& reference) {
  reference.problems("name", meta::validate_dns1123_subdomain(reference.text("name")));
  check_name(reference, "key", meta::validate_config_map_key);
}

void check_file_reference(const Place& reference) {
  check_name(reference, "key", formats::env_name);
  check_name(reference, "volumeName", meta::validate_dns1123_label);
  check_name(reference, "path", formats::path_without_backsteps);
}

// References of volumes are checked by the volume, which knows their use.
void check_env_field(const Place& reference) {
  check_field_reference(reference, reference.path(), kEnvFields);
}

void check_env_resource(const Place& reference) {
  check_resource_reference(reference, false);
}

constexpr Rule kEnvRules[] = {rules::call(check_env_name), rules::into("valueFrom")};
constexpr Rule kEnvSourceRules[] = {rules::call(check_sources),      rules::skip("fieldRef"),
                                    rules::skip("resourceFieldRef"), rules::skip("configMapKeyRef"),
                                    rules::skip("secretKeyRef"),     rules::skip("fileKeyRef")};
constexpr Rule kEnvFromRules[] = {rules::text("prefix", formats::env_name),
                                  rules::into("configMapRef"), rules::into("secretRef"),
                                  rules::call(check_env_from)};
constexpr Rule kSourceNameRules[] = {rules::call(check_source_name)};
constexpr Rule kKeyReferenceRules[] = {rules::call(check_key_reference)};
constexpr Rule kFileReferenceRules[] = {rules::call(check_file_reference)};
constexpr Rule kFieldReferenceRules[] = {rules::call(check_env_field)};
constexpr Rule kResourceReferenceRules[] = {rules::call(check_env_resource)};

constexpr TypeRules kEnvironmentTypes[] = {
    {"core.v1.EnvVar", kEnvRules},
    {"core.v1.EnvVarSource", kEnvSourceRules},
    {"core.v1.EnvFromSource", kEnvFromRules},
    {"core.v1.ConfigMapEnvSource", kSourceNameRules},
    {"core.v1.SecretEnvSource", kSourceNameRules},
    {"core.v1.ConfigMapKeySelector", kKeyReferenceRules},
    {"core.v1.SecretKeySelector", kKeyReferenceRules},
    {"core.v1.FileKeySelector", kFileReferenceRules},
    {"core.v1.ObjectFieldSelector", kFieldReferenceRules},
    {"core.v1.ResourceFieldSelector", kResourceReferenceRules},
};

}  // namespace

void check_field_reference(const Place& reference, const FieldPath& path, Words fields) {
  const std::string_view field = reference.text("fieldPath");
  if (field.empty()) {
    reference.report(FieldError::required(path.child("fieldPath"), {}));
    return;
  }
  if (auto problem = conversion_problem(reference.text_or("apiVersion", "v1"), field)) {
    reference.report(FieldError::invalid(path.child("fieldPath"), field,
                                         "error converting fieldPath: " + *problem));
    return;
  }
  if (const auto subscript = subscript_of(field)) {
    const std::string key = subscript->path == "metadata.annotations"
                                ? ascii::to_lower(subscript->key)
                                : std::string(subscript->key);
    report_problems(reference, path, key, meta::validate_qualified_name(key));
    return;
  }
  const std::string_view known = field == "spec.host" ? "spec.nodeName" : field;
  if (!is_among(fields, known))
    reference.report(FieldError::not_supported(path.child("fieldPath"), known, texts_of(fields)));
}

void check_volume_field(const Place& reference, const FieldPath& path) {
  check_field_reference(reference, path, kVolumeFields);
}

void check_resource_reference(const Place& reference, bool in_volume, const FieldPath* list) {
  const std::string_view resource = reference.text("resource");
  const FieldPath path = list == nullptr ? reference.path() : list->child("resourceFieldRef");
  if (in_volume && reference.is_empty("containerName")) {
    reference.report(FieldError::required(path.child("containerName"), {}));
  } else if (resource.empty()) {
    reference.report(FieldError::required(path.child("resource"), {}));
  } else if (!is_among(kContainerFields, resource) &&
             !resource.starts_with("requests.hugepages-") &&
             !resource.starts_with("limits.hugepages-")) {
    reference.report(
        FieldError::not_supported(path.child("resource"), resource, texts_of(kContainerFields)));
  }
  check_divisor(reference, path, resource);
}

std::span<const TypeRules> environment_types() {
  return kEnvironmentTypes;
}

}  // namespace kube::apiserver
