// SPDX-License-Identifier: Apache-2.0
//
// Roles and their bindings.
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kAccessGroup[] = {"rbac.authorization.k8s.io"};
constexpr std::string_view kNoGroup[] = {""};
constexpr std::string_view kRoleKinds[] = {"Role", "ClusterRole"};
constexpr std::string_view kClusterRoleKinds[] = {"ClusterRole"};
constexpr std::string_view kSubjectKinds[] = {"ServiceAccount", "User", "Group"};

bool is_cluster_wide(const Place& place) {
  return !place.root().type().namespaced;
}

void check_policy_rule(const Place& rule) {
  if (rule.is_empty("verbs")) rule.required_late("verbs");
  if (!rule.is_empty("nonResourceURLs")) {
    if (!is_cluster_wide(rule))
      rule.invalid("nonResourceURLs", "namespaced rules cannot apply to non-resource URLs");
    if (!rule.is_empty("apiGroups") || !rule.is_empty("resources") ||
        !rule.is_empty("resourceNames"))
      rule.invalid("nonResourceURLs",
                   "rules cannot apply to both regular resources and non-resource URLs");
    return;
  }
  if (rule.is_empty("apiGroups"))
    rule.required("apiGroups", "resource rules must supply at least one api group");
  if (rule.is_empty("resources"))
    rule.required("resources", "resource rules must supply at least one resource");
}

void check_role_reference(const Place& reference) {
  // An absent group is the default.
  if (reference.text_or("apiGroup", kAccessGroup[0]) != kAccessGroup[0])
    reference.not_supported("apiGroup", kAccessGroup);
  const std::string_view kind = reference.text("kind");
  const bool cluster = is_cluster_wide(reference);
  if (kind != "ClusterRole" && (cluster || kind != "Role"))
    reference.report(FieldError::not_supported(
        reference.path("kind"), kind,
        texts_of(cluster ? Words(kClusterRoleKinds) : Words(kRoleKinds))));
  if (!reference.is_empty("name"))
    reference.problems("name", meta::validate_path_segment_name(reference.text("name")));
}

// After the subjects' names.
void check_role_name(const Place& binding) {
  binding.each("roleRef", [](const Place& reference) {
    if (reference.is_empty("name")) reference.required_late("name");
  });
}

void check_subject(const Place& subject) {
  const std::string_view kind = subject.text("kind");
  if (subject.is_empty("name")) subject.required_late("name");
  if (kind == "ServiceAccount") {
    if (!subject.is_empty("name"))
      subject.problems("name", meta::validate_dns1123_subdomain(subject.text("name")));
    if (!subject.is_empty("apiGroup")) subject.not_supported("apiGroup", kNoGroup);
    if (is_cluster_wide(subject) && subject.is_empty("namespace")) subject.required("namespace");
  } else if (kind == "User" || kind == "Group") {
    if (subject.text_or("apiGroup", kAccessGroup[0]) != kAccessGroup[0])
      subject.not_supported("apiGroup", kAccessGroup);
  } else {
    subject.report(FieldError::not_supported(subject.path("kind"), kind, texts_of(kSubjectKinds)));
  }
}

// A selector that can't be read is reported twice.
void check_aggregated(const Place& rule) {
  rule.each("clusterRoleSelectors", [](const Place& selector) {
    const std::size_t before = selector.walk().errors.size();
    selector.apply();
    if (selector.walk().errors.size() != before)
      selector.report(meta::FieldError::invalid(selector.path(), {}, "invalid label selector."));
  });
}

constexpr Rule kPolicyRuleRules[] = {rules::call(check_policy_rule)};
constexpr Rule kAggregationRules[] = {
    rules::required("clusterRoleSelectors",
                    "at least one clusterRoleSelector required if aggregationRule is non-nil"),
    rules::call("clusterRoleSelectors", check_aggregated)};
constexpr Rule kBindingRules[] = {rules::into("roleRef"), rules::into("subjects"),
                                  rules::call(check_role_name)};
constexpr Rule kRoleReferenceRules[] = {rules::call(check_role_reference)};
constexpr Rule kSubjectRules[] = {rules::call(check_subject)};

constexpr TypeRules kAccessTypes[] = {
    {"rbac.v1.PolicyRule", kPolicyRuleRules}, {"rbac.v1.AggregationRule", kAggregationRules},
    {"rbac.v1.RoleBinding", kBindingRules},   {"rbac.v1.ClusterRoleBinding", kBindingRules},
    {"rbac.v1.RoleRef", kRoleReferenceRules}, {"rbac.v1.Subject", kSubjectRules},
};

}  // namespace

std::span<const TypeRules> access_types() {
  return kAccessTypes;
}

}  // namespace kube::apiserver
