// SPDX-License-Identifier: Apache-2.0
//
// Selectors of labels and of nodes.
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

void check_match_labels(const Place& selector) {
  check_labels(selector, "matchLabels");
}

void check_label_requirement(const Place& place) {
  const std::string_view op = place.text("operator");
  if (!check_operator_values(place)) place.invalid("operator", op, "not a valid selector operator");
  check_label_key(place, "key");
  check_label_values(place);
}

void check_node_requirement(const Place& place) {
  const std::string_view op = place.text("operator");
  const bool compares = op == "Gt" || op == "Lt";
  if (compares && place.list("values").size() != 1)
    place.required("values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
  if (!check_operator_values(place) && !compares)
    place.invalid("operator", op, "not a valid selector operator");
  check_label_key(place, "key");
  // A preference may have any values.
  if (place.parent()->name() != "preference") check_label_values(place);
}

void check_node_field(const Place& place) {
  const std::string_view op = place.text("operator");
  if (op != "In" && op != "NotIn") {
    place.invalid("operator", op, "not a valid selector operator");
  } else if (place.list("values").size() != 1) {
    place.required("values",
                   "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                   "selector");
  }
  if (place.text("key") != "metadata.name") {
    place.invalid("key", place.text("key"), "not a valid field selector key");
    return;
  }
  const json::Array& values = place.list("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view value = values[i].string_or_empty();
    report_problems(place, place.path("values", i), value, meta::validate_dns1123_subdomain(value));
  }
}

void check_node_term(const Place& term) {
  term.each("matchExpressions", check_node_requirement);
  term.each("matchFields", check_node_field);
}

void check_topology_requirement(const Place& place) {
  if (place.is_empty("values")) place.required("values");
  std::set<std::string_view> seen;
  const json::Array& values = place.list("values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!seen.insert(values[i].string_or_empty()).second)
      place.report(meta::FieldError::duplicate(place.path("values", i), values[i]));
  }
  check_label_key(place, "key");
}

constexpr Rule kLabelSelectorRules[] = {rules::call(check_match_labels),
                                        rules::into("matchExpressions")};
constexpr Rule kLabelRequirementRules[] = {rules::call(check_label_requirement)};
constexpr Rule kNodeSelectorRules[] = {
    rules::required("nodeSelectorTerms", "must have at least one node selector term"),
    rules::into("nodeSelectorTerms")};
constexpr Rule kNodeTermRules[] = {rules::call(check_node_term), rules::skip("matchExpressions"),
                                   rules::skip("matchFields")};
constexpr Rule kTopologyTermRules[] = {rules::into("matchLabelExpressions", "key")};
constexpr Rule kTopologyRequirementRules[] = {rules::call(check_topology_requirement)};

constexpr TypeRules kSelectorTypes[] = {
    {"meta.v1.LabelSelector", kLabelSelectorRules},
    {"meta.v1.LabelSelectorRequirement", kLabelRequirementRules},
    {"core.v1.NodeSelector", kNodeSelectorRules},
    {"core.v1.NodeSelectorTerm", kNodeTermRules},
    {"core.v1.TopologySelectorTerm", kTopologyTermRules},
    {"core.v1.TopologySelectorLabelRequirement", kTopologyRequirementRules},
};

}  // namespace

std::span<const TypeRules> selector_types() {
  return kSelectorTypes;
}

}  // namespace kube::apiserver
