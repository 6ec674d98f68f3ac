// SPDX-License-Identifier: Apache-2.0
#include "validation/type_validation.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using Group = std::span<const TypeRules> (*)();

constexpr Group kGroups[] = {
    access_types,         affinity_types,     amount_types,      autoscaler_types,
    certificate_types,    claim_types,        cluster_types,     cluster_network_types,
    config_types,         container_types,    device_types,      device_slice_types,
    device_status_types,  endpoint_types,     environment_types, event_types,
    flow_types,           ingress_types,      job_status_types,  job_types,
    network_policy_types, node_types,         pod_status_types,  pod_types,
    policy_types,         probe_types,        quota_types,       review_types,
    security_types,       selector_types,     service_types,     status_types,
    storage_types,        trust_bundle_types, volume_types,      volume_source_types,
    webhook_types,        workload_types};

using RulesByType = std::unordered_map<std::string_view, std::span<const Rule>>;

RulesByType index_rules() {
  RulesByType out;
  for (const TypeRules& each : all_type_rules()) out.emplace(each.type, each.rules);
  return out;
}

// The groups whose kinds have finalizers with a domain.
constexpr std::string_view kFinalizerGroups[] = {"",
                                                 "apps",
                                                 "autoscaling",
                                                 "batch",
                                                 "certificates.k8s.io",
                                                 "discovery.k8s.io",
                                                 "flowcontrol.apiserver.k8s.io",
                                                 "networking.k8s.io",
                                                 "rbac.authorization.k8s.io",
                                                 "scheduling.k8s.io",
                                                 "storage.k8s.io"};

void check_finalizers(const Place& object) {
  if (std::ranges::find(kFinalizerGroups, object.type().group) == std::end(kFinalizerGroups))
    return;
  const json::Array& finalizers = object.value().array_at({"metadata", "finalizers"});
  for (std::size_t i = 0; i < finalizers.size() && !object.walk().is_full(); ++i) {
    const std::string_view name = finalizers[i].string_or_empty();
    report_problems(object, object.path("metadata").child("finalizers").index(i), name,
                    finalizer_problems(name));
  }
}

TypeErrors walk_object(const meta::TypeDescriptor& type, const WrittenObject& written) {
  Walk walk;
  walk.before = written.before;
  walk.emptied = written.emptied;
  const Place place(walk, type, written.object);
  check_finalizers(place);
  place.apply();
  return {std::move(walk.errors), std::move(walk.late_errors)};
}

}  // namespace

std::span<const Rule> find_rules(std::string_view type) {
  static const RulesByType by_type = index_rules();
  const auto found = by_type.find(type);
  return found == by_type.end() ? std::span<const Rule>{} : found->second;
}

std::vector<TypeRules> all_type_rules() {
  std::vector<TypeRules> out;
  for (const Group group : kGroups) std::ranges::copy(group(), std::back_inserter(out));
  return out;
}

TypeErrors find_type_errors(const meta::TypeDescriptor& type, const WrittenObject& written) {
  std::set<std::string> known;
  TypeErrors found = walk_object(type, written);
  if (found.own.empty() && found.late.empty()) return found;
  if (written.before != nullptr) {
    const TypeErrors old = walk_object(type, {*written.before, written.before});
    for (const meta::FieldErrors* errors : {&old.own, &old.late})
      for (const meta::FieldError& error : *errors) known.insert(error.to_string());
  }
  for (meta::FieldErrors* errors : {&found.own, &found.late}) {
    std::erase_if(*errors, [&](const meta::FieldError& error) {
      return !known.insert(error.to_string()).second;
    });
  }
  return found;
}

meta::FieldErrors validate_type(const meta::TypeDescriptor& type, const WrittenObject& written) {
  TypeErrors found = find_type_errors(type, written);
  std::ranges::move(found.late, std::back_inserter(found.own));
  return std::move(found.own);
}

}  // namespace kube::apiserver
