// SPDX-License-Identifier: Apache-2.0
//
// Namespaces, classes of runtimes, leases, aggregated APIs.
#include <algorithm>
#include <array>
#include <set>

#include <kube/base/join.hpp>
#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

void check_handler(const Place& runtime) {
  const std::string_view handler = runtime.text("handler");
  if (!handler.empty()) {
    for (const std::string& problem : meta::validate_dns1123_label(handler))
      runtime.report_late(FieldError::invalid(runtime.path("handler"), handler, problem));
  }
  const json::Value* before = runtime.walk().before;
  if (before != nullptr && before->string_at({"handler"}) != handler)
    runtime.report_late(
        FieldError::invalid(runtime.path("handler"), json::Value(), "field is immutable"));
  if (handler.empty()) runtime.required_late("handler");
}

void check_fixed_overhead(const Place& runtime) {
  runtime.each("overhead", [](const Place& overhead) {
    check_limits_alone(overhead, overhead.map("podFixed"), overhead.path());
  });
}

// Tolerations are the same that differ in their seconds alone.
void check_runtime_nodes(const Place& scheduling) {
  check_labels(scheduling, "nodeSelector");
  scheduling.each("tolerations", [](const Place& toleration) { toleration.apply(); });
  std::set<std::array<std::string_view, 4>> known;
  scheduling.each("tolerations", [&](const Place& toleration) {
    if (!known
             .insert({toleration.text("key"), toleration.text("operator"), toleration.text("value"),
                      toleration.text("effect")})
             .second)
      toleration.report(FieldError::duplicate(toleration.path(), toleration.shown_whole()));
  });
}

// The namespace's finalizers are words of Kubernetes, or have a domain.
void check_namespace_finalizers(const Place& spec) {
  for (const json::Value& each : spec.list("finalizers")) {
    const std::string_view name = each.string_or_empty();
    report_problems(spec, spec.path("finalizers"), name, meta::validate_qualified_name(name));
    report_problems(spec, spec.path("finalizers"), name, finalizer_problems(name));
  }
}

void check_api_service(const Place& service) {
  const Place& root = service.root();
  const std::string_view group = service.text("group");
  const std::string_view version = service.text("version");
  const std::string name = std::string(version) + "." + std::string(group);
  for (const std::string_view field : {"generateName", "name"}) {
    const std::string_view given = root.value().string_at({"metadata", field});
    if (!given.empty() && given != name)
      service.report(
          FieldError::invalid(root.path("metadata").child(field), given,
                              "must be `spec.version+\".\"+spec.group`: " + go::quote(name)));
  }
  if (!group.empty()) {
    service.problems("group", meta::validate_dns1123_subdomain(group));
  } else if (version != "v1") {
    service.required("group", "only v1 may have an empty group and it better be legacy kube");
  }
  service.problems("version", meta::validate_dns1035_label(version));
}

void check_api_priorities(const Place& service) {
  const std::int64_t group = service.number("groupPriorityMinimum").value_or(0);
  const std::int64_t version = service.number("versionPriority").value_or(0);
  if (group <= 0 || group > 20'000)
    service.invalid("groupPriorityMinimum", group, "must be positive and less than 20000");
  if (version <= 0 || version > 1000)
    service.invalid("versionPriority", version, "must be positive and less than 1000");
}

void check_api_target(const Place& service) {
  static constexpr std::int64_t kHttpsPort = 443;
  const bool insecure = service.is_true("insecureSkipTLSVerify");
  if (!service.has("service")) {
    if (!service.is_empty("caBundle")) {
      const auto bundle = json::read_base64(service.text("caBundle"));
      service.invalid("caBundle", std::to_string(bundle ? bundle->size() : 0) + " bytes",
                      "local APIServices may not have a caBundle");
    }
    if (insecure)
      service.invalid("insecureSkipTLSVerify",
                      "local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  service.each("service", [](const Place& target) {
    for (const std::string_view field : {"namespace", "name"})
      if (target.is_empty(field)) target.required(field);
    const std::int64_t port = target.number("port").value_or(kHttpsPort);
    for (const std::string& problem : formats::port_number(port))
      target.invalid("port", port, "port is not valid: " + problem);
  });
  if (insecure && !service.is_empty("caBundle"))
    service.invalid("insecureSkipTLSVerify", "may not be true if caBundle is present");
}

void check_migrated(const Place& spec) {
  const FieldPath path = spec.path("resource");
  const std::string_view resource = spec.value().string_at({"resource", "resource"});
  const std::string_view group = spec.value().string_at({"resource", "group"});
  if (resource.empty()) {
    spec.report(FieldError::required(path.child("resource"), "resource is required to be set"));
  } else if (const auto problems = meta::validate_dns1035_label(resource); !problems.empty()) {
    spec.report(FieldError::invalid(path.child("resource"), resource, join(problems, ",")));
  }
  if (group.empty()) return;
  if (const auto problems = meta::validate_dns1123_subdomain(group); !problems.empty())
    spec.report(FieldError::invalid(path.child("group"), group, join(problems, ",")));
}

constexpr Rule kMigrationRules[] = {rules::call("resource", check_migrated)};
constexpr Rule kNamespaceRules[] = {rules::call(check_namespace_finalizers)};
constexpr Rule kApiServiceRules[] = {rules::call(check_api_service),
                                     rules::call(check_api_priorities),
                                     rules::call("service", check_api_target)};
constexpr Rule kRuntimeRules[] = {rules::call(check_handler), rules::call(check_fixed_overhead),
                                  rules::into("scheduling")};
constexpr Rule kRuntimeSchedulingRules[] = {rules::call("tolerations", check_runtime_nodes)};
constexpr Rule kLeaseRules[] = {
    rules::at_least("leaseDurationSeconds", 1, "must be greater than 0"),
    rules::not_negative("leaseTransitions")};

constexpr TypeRules kClusterTypes[] = {
    {"core.v1.NamespaceSpec", kNamespaceRules},
    {"apiregistration.v1.APIServiceSpec", kApiServiceRules},
    {"node.v1.RuntimeClass", kRuntimeRules},
    {"node.v1.Scheduling", kRuntimeSchedulingRules},
    {"coordination.v1.LeaseSpec", kLeaseRules},
    {"storagemigration.v1.StorageVersionMigrationSpec", kMigrationRules},
};

}  // namespace

std::span<const TypeRules> cluster_types() {
  return kClusterTypes;
}

}  // namespace kube::apiserver
