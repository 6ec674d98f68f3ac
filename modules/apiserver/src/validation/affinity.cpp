// SPDX-License-Identifier: Apache-2.0
//
// Where pods may run: affinity, tolerations, spread over topologies.
#include <algorithm>
#include <map>
#include <utility>

#include <kube/base/join.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kTaintEffects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::string_view kSpreadActions[] = {"DoNotSchedule", "ScheduleAnyway"};
constexpr std::string_view kInclusionPolicies[] = {"Honor", "Ignore"};

void check_keys_of_labels(const Place& place, std::string_view field) {
  const json::Array& keys = place.list(field);
  if (keys.empty()) return;
  if (!place.has("labelSelector")) {
    place.forbidden(field, "must not be specified when labelSelector is not set");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys[i].string_or_empty();
    report_problems(place, place.path(field, i), key, meta::validate_qualified_name(key));
  }
}

void check_match_label_keys(const Place& place) {
  check_keys_of_labels(place, "matchLabelKeys");
  check_keys_of_labels(place, "mismatchLabelKeys");
  std::map<std::string_view, std::size_t> keys;
  const json::Array& match = place.list("matchLabelKeys");
  for (std::size_t i = 0; i < match.size(); ++i) keys[match[i].string_or_empty()] = i;
  const json::Value* selector = place.find("labelSelector");
  if (selector != nullptr) {
    std::set<std::string_view> selected;
    const json::Value* labels = selector->at_path({"matchLabels"});
    if (labels != nullptr && labels->is_object())
      for (const auto& [key, value] : *labels->if_object()) selected.insert(key);
    for (const json::Value& each : selector->array_at({"matchExpressions"})) {
      const std::string_view key = each.string_at({"key"});
      const auto found = keys.find(key);
      if (found != keys.end() && selected.contains(key))
        place.report(FieldError::invalid(place.path().index(found->second), key,
                                         "exists in both matchLabelKeys and labelSelector"));
      selected.insert(key);
    }
  }
  std::set<std::string_view> mismatch;
  for (const json::Value& each : place.list("mismatchLabelKeys"))
    mismatch.insert(each.string_or_empty());
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (mismatch.contains(match[i].string_or_empty()))
      place.report(FieldError::invalid(place.path("matchLabelKeys", i), match[i],
                                       "exists in both matchLabelKeys and mismatchLabelKeys"));
  }
}

void check_affinity_namespaces(const Place& term) {
  for (const json::Value& each : term.list("namespaces")) {
    const std::string_view name = each.string_or_empty();
    report_problems(term, term.path("namespace"), name, meta::validate_dns1123_label(name));
  }
}

void check_topology_key(const Place& term) {
  if (term.is_empty("topologyKey")) term.required("topologyKey", "can not be empty");
  check_label_key(term, "topologyKey");
}

void check_required_node_terms(const Place& affinity) {
  affinity.into("requiredDuringSchedulingIgnoredDuringExecution");
}

void check_comparison(const Place& place) {
  // Gt and Lt are not supported unless a feature is on.
  place.not_supported("operator",
                      std::initializer_list<std::string_view>{"Equal", "Exists", "Lt", "Gt"});
}

void check_toleration(const Place& place) {
  const std::string_view op = place.text("operator");
  const std::string_view value = place.text("value");
  if (!place.is_empty("key")) check_label_key(place, "key");
  if (place.is_empty("key") && op != "Exists")
    place.invalid("operator", op,
                  "operator must be Exists when `key` is empty, which means \"match all values "
                  "and all keys\"");
  if (place.has("tolerationSeconds") && place.text("effect") != "NoExecute")
    place.invalid("effect", place.text("effect"),
                  "effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (op.empty() || op == "Equal") {
    const meta::Problems problems = meta::validate_label_value(value);
    if (!problems.empty()) place.invalid("operator", value, join(problems, ";"));
  } else if (op == "Exists") {
    if (!value.empty())
      place.invalid("operator", value, "value must be empty when `operator` is 'Exists'");
  } else if (op == "Lt" || op == "Gt") {
    check_comparison(place);
  } else {
    place.not_supported("operator", std::initializer_list<std::string_view>{"Equal", "Exists"});
  }
}

void check_taint(const Place& place) {
  check_label_key(place, "key");
  const meta::Problems problems = meta::validate_label_value(place.text("value"));
  if (!problems.empty()) place.invalid("value", place.text("value"), join(problems, ";"));
}

void check_spread_positive(const Place& place, std::string_view field) {
  const std::int64_t number = place.number(field).value_or(0);
  if (number <= 0) place.invalid(field, number, "must be greater than zero");
}

void check_spread_action(const Place& place) {
  const std::string_view action = place.text("whenUnsatisfiable");
  if (std::ranges::find(kSpreadActions, action) == std::end(kSpreadActions))
    place.report(FieldError::not_supported(place.path("whenUnsatisfiable"), action,
                                           texts_of(kSpreadActions)));
}

// A later constraint of the same key and action is reported at the first.
std::set<const json::Value*> repeated_constraints(const json::Array& list) {
  std::set<std::pair<std::string_view, std::string_view>> later;
  std::set<const json::Value*> out;
  for (auto each = list.rbegin(); each != list.rend(); ++each) {
    const std::pair key(each->string_at({"topologyKey"}), each->string_at({"whenUnsatisfiable"}));
    if (!later.insert(key).second) out.insert(&*each);
  }
  return out;
}

void check_spread_domains(const Place& place) {
  const auto domains = place.number("minDomains");
  const std::string_view action = place.text("whenUnsatisfiable");
  if (!domains) return;
  check_spread_positive(place, "minDomains");
  if (action != "DoNotSchedule")
    place.invalid("minDomains", "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                                    std::string(action));
}

void check_spread_constraint(const Place& place) {
  check_spread_positive(place, "maxSkew");
  if (place.is_empty("topologyKey")) place.required("topologyKey", "can not be empty");
  check_spread_action(place);
}

void check_spread_rest(const Place& place) {
  check_spread_domains(place);
  for (const std::string_view field : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
    if (place.has(field) &&
        std::ranges::find(kInclusionPolicies, place.text(field)) == std::end(kInclusionPolicies))
      place.not_supported(field, kInclusionPolicies);
  }
  check_match_label_keys(place);
  place.into("labelSelector");
}

constexpr Rule kNodeAffinityRules[] = {
    rules::call("requiredDuringSchedulingIgnoredDuringExecution", check_required_node_terms),
    rules::into("preferredDuringSchedulingIgnoredDuringExecution")};
constexpr Rule kPreferredTermRules[] = {
    rules::range("weight", 1, 100, "must be in the range 1-100"), rules::into("preference")};
constexpr Rule kAffinityTermRules[] = {
    rules::into("labelSelector"), rules::into("namespaceSelector"),
    rules::call(check_affinity_namespaces), rules::call(check_match_label_keys),
    rules::call(check_topology_key)};
constexpr Rule kWeightedTermRules[] = {rules::range("weight", 1, 100, "must be in the range 1-100"),
                                       rules::into("podAffinityTerm")};
constexpr Rule kTolerationRules[] = {rules::call(check_toleration),
                                     rules::one_of("effect", kTaintEffects)};
constexpr Rule kTaintRules[] = {rules::call(check_taint), rules::any_of("effect", kTaintEffects)};
constexpr Rule kSpreadRules[] = {rules::call(check_spread_constraint),
                                 rules::skip("labelSelector")};

constexpr TypeRules kAffinityTypes[] = {
    {"core.v1.NodeAffinity", kNodeAffinityRules},
    {"core.v1.PreferredSchedulingTerm", kPreferredTermRules},
    {"core.v1.PodAffinityTerm", kAffinityTermRules},
    {"core.v1.WeightedPodAffinityTerm", kWeightedTermRules},
    {"core.v1.Toleration", kTolerationRules},
    {"core.v1.Taint", kTaintRules},
    {"core.v1.TopologySpreadConstraint", kSpreadRules},
};

}  // namespace

void check_spread_constraints(const Place& pod_spec) {
  const auto repeated = repeated_constraints(pod_spec.list("topologySpreadConstraints"));
  pod_spec.each("topologySpreadConstraints", [&](const Place& place) {
    place.apply();
    if (repeated.contains(&place.value())) {
      place.report(FieldError::duplicate(place.path("{topologyKey, whenUnsatisfiable}"),
                                         "{" + std::string(place.text("topologyKey")) + ", " +
                                             std::string(place.text("whenUnsatisfiable")) + "}"));
    }
    check_spread_rest(place);
  });
}

std::span<const TypeRules> affinity_types() {
  return kAffinityTypes;
}

}  // namespace kube::apiserver
