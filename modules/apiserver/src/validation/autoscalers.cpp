// SPDX-License-Identifier: Apache-2.0
//
// HorizontalPodAutoscalers and PodDisruptionBudgets.
#include <algorithm>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;

constexpr std::string_view kMetricTypes[] = {"ContainerResource", "External", "Object", "Pods",
                                             "Resource"};
constexpr std::string_view kSelectPolicies[] = {"Disabled", "Max", "Min"};
constexpr std::string_view kScalingTypes[] = {"Percent", "Pods"};
constexpr std::string_view kEvictionPolicies[] = {"AlwaysAllow", "IfHealthyBudget"};

struct MetricSource {
  std::string_view type;
  std::string_view field;
};

// In the order in which the server looks at them.
constexpr MetricSource kMetricSources[] = {{"Object", "object"},
                                           {"External", "external"},
                                           {"Pods", "pods"},
                                           {"Resource", "resource"},
                                           {"ContainerResource", "containerResource"}};

void check_scale_reference(const Place& reference) {
  check_name(reference, "kind", meta::validate_path_segment_name);
  check_name(reference, "name", meta::validate_path_segment_name);
  const std::string_view version = reference.text("apiVersion");
  const auto slashes = std::ranges::count(version, '/');
  // Only ReplicationControllers have a scale and no group.
  const bool needs_group =
      reference.name() == "scaleTargetRef" && reference.text("kind") != "ReplicationController";
  if (slashes > 1) {
    reference.invalid("apiVersion", "unexpected GroupVersion string: " + std::string(version));
  } else if (needs_group && (slashes == 0 || version.starts_with('/'))) {
    reference.invalid("apiVersion", version, "apiVersion must specify API group");
  }
}

void check_replica_bounds(const Place& spec) {
  const auto max = spec.number("maxReplicas");
  const std::int64_t min = spec.number("minReplicas").value_or(1);
  if (min < 0)
    spec.report_late(
        FieldError::invalid(spec.path("minReplicas"), min, "must be greater than or equal to 0"));
  if (max.value_or(0) == 0) {
    spec.required_late("maxReplicas");
  } else if (*max < 0) {
    spec.report_late(
        FieldError::invalid(spec.path("maxReplicas"), *max, "must be greater than or equal to 1"));
  }
  if (max.value_or(0) < min)
    spec.invalid("maxReplicas", max.value_or(0), "must be greater than or equal to `minReplicas`");
}

void check_scale_to_zero(const Place& spec) {
  if (spec.number("minReplicas") != 0) return;
  for (const json::Value& metric : spec.list("metrics")) {
    const std::string_view type = metric.string_at({"type"});
    if (type == "Object" || type == "External") return;
  }
  spec.forbidden("metrics",
                 "must specify at least one Object or External metric to support scaling to zero "
                 "replicas");
}

void check_metric(const Place& metric) {
  const std::string_view type = metric.text("type");
  const bool known = std::ranges::find(kMetricTypes, type) != std::end(kMetricTypes);
  const auto wrong_type = [&] {
    metric.report(FieldError::not_supported(metric.path("type"), type, texts_of(kMetricTypes)));
  };
  if (type.empty()) metric.required("type", "must specify a metric source type");
  if (!known) wrong_type();
  std::vector<std::string_view> found;
  std::string_view expected;
  for (const MetricSource& source : kMetricSources) {
    if (source.type == type) expected = source.field;
    if (!metric.has(source.field)) continue;
    found.push_back(source.field);
    if (found.size() == 1) metric.into(source.field);
  }
  if (!known) {
    wrong_type();
  } else if (!metric.has(expected)) {
    metric.required(expected, "must populate information for the given metric source");
  }
  if (found.size() == 1) return;
  for (const std::string_view field : found) {
    if (field != expected) metric.forbidden(field, "must populate the given metric source only");
  }
}

bool has_target(const Place& source, std::string_view field) {
  return source.value().at_path({"target", field}) != nullptr;
}

void check_target(const Place& target) {
  const std::string_view type = target.text("type");
  if (type.empty()) target.required("type", "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    target.invalid("type", type, "must be either Utilization, Value, or AverageValue");
  for (const std::string_view field : {"value", "averageValue"}) {
    const json::Value* given = target.find(field);
    const auto amount = given == nullptr ? std::nullopt : quantity_of(*given);
    if (amount && amount->sign() != 1) target.invalid(field, "must be positive");
  }
  if (target.number("averageUtilization").value_or(1) < 1)
    target.invalid("averageUtilization", "must be greater than 0");
}

void check_metric_name(const Place& identifier) {
  if (identifier.is_empty("name")) {
    identifier.required("name", "must specify a metric name");
  } else {
    identifier.problems("name", meta::validate_path_segment_name(identifier.text("name")));
  }
}

void check_object_target(const Place& source) {
  if (!has_target(source, "value") && !has_target(source, "averageValue"))
    source.report(FieldError::required(source.path("target").child("averageValue"),
                                       "must set either a target value or averageValue"));
}

void check_external_target(const Place& source) {
  const bool value = has_target(source, "value");
  const bool average = has_target(source, "averageValue");
  if (!value && !average)
    source.report(
        FieldError::required(source.path("target").child("averageValue"),
                             "must set either a target value for metric or a per-pod target"));
  if (value && average)
    source.report(
        FieldError::forbidden(source.path("target").child("value"),
                              "may not set both a target value for metric and a per-pod target"));
}

void check_pods_target(const Place& source) {
  if (!has_target(source, "averageValue"))
    source.report(FieldError::required(source.path("target").child("averageValue"),
                                       "must specify a positive target averageValue"));
}

void check_resource_target(const Place& source) {
  const bool utilization = has_target(source, "averageUtilization");
  const bool average = has_target(source, "averageValue");
  if (!utilization && !average)
    source.report(
        FieldError::required(source.path("target").child("averageUtilization"),
                             "must set either a target raw value or a target utilization"));
  if (utilization && average)
    source.report(
        FieldError::forbidden(source.path("target").child("averageValue"),
                              "may not set both a target raw value and a target utilization"));
}

void check_metric_container(const Place& source) {
  if (!source.is_empty("name"))
    check_container_resource(source, source.path("name"), source.text("name"));
  if (source.is_empty("container")) {
    source.required("container", "must specify a container");
  } else {
    source.problems("container", meta::validate_dns1123_label(source.text("container")));
  }
}

void check_scaling_rules(const Place& scaling) {
  constexpr std::int64_t kMaxWindow = 3600;
  const auto window = scaling.number("stabilizationWindowSeconds");
  if (window && *window < 0)
    scaling.invalid("stabilizationWindowSeconds", "must be greater than or equal to zero");
  if (window && *window > kMaxWindow)
    scaling.invalid("stabilizationWindowSeconds", "must be less than or equal to 3600");
  if (scaling.is_emptied("policies") || scaling.is_empty("policies"))
    scaling.required("policies", "must specify at least one Policy");
  const json::Value* tolerance = scaling.find("tolerance");
  const auto amount = tolerance == nullptr ? std::nullopt : quantity_of(*tolerance);
  if (amount && amount->sign() < 0)
    scaling.invalid("tolerance", amount->to_string(), "must be greater than or equal to 0");
}

void check_scaling_policy(const Place& policy) {
  constexpr std::int64_t kMaxPeriod = 1800;
  if (std::ranges::find(kScalingTypes, policy.text("type")) == std::end(kScalingTypes))
    policy.report(FieldError::not_supported(policy.path("type"), policy.text("type"),
                                            texts_of(kScalingTypes)));
  for (const std::string_view field : {"value", "periodSeconds"}) {
    const std::int64_t number = policy.number(field).value_or(0);
    if (number <= 0) policy.invalid(field, number, "must be greater than zero");
  }
  if (policy.number("periodSeconds").value_or(0) > kMaxPeriod)
    policy.invalid("periodSeconds", "must be less than or equal to 1800");
}

void check_budget(const Place& spec) {
  if (spec.has("minAvailable") && spec.has("maxUnavailable"))
    spec.report(FieldError::invalid(spec.path(), spec.shown_whole(),
                                    "minAvailable and maxUnavailable cannot be both set"));
  for (const std::string_view field : {"minAvailable", "maxUnavailable"}) {
    check_count_or_percent(spec, field);
    check_at_most_all(spec, field);
  }
}

constexpr Rule kAutoscalerRules[] = {rules::call(check_replica_bounds),
                                     rules::into("scaleTargetRef"), rules::into("metrics"),
                                     rules::call(check_scale_to_zero), rules::into("behavior")};
constexpr Rule kScaleReferenceRules[] = {rules::call(check_scale_reference)};
constexpr Rule kMetricRules[] = {rules::call("object", check_metric), rules::skip("external"),
                                 rules::skip("pods"), rules::skip("resource"),
                                 rules::skip("containerResource")};
constexpr Rule kTargetRules[] = {rules::call(check_target)};
constexpr Rule kMetricNameRules[] = {rules::call(check_metric_name), rules::skip("selector")};
constexpr Rule kObjectMetricRules[] = {rules::into("describedObject"), rules::into("metric"),
                                       rules::into("target"), rules::call(check_object_target)};
constexpr Rule kExternalMetricRules[] = {rules::into("metric"), rules::into("target"),
                                         rules::call(check_external_target)};
constexpr Rule kPodsMetricRules[] = {rules::into("metric"), rules::into("target"),
                                     rules::call(check_pods_target)};
constexpr Rule kResourceMetricRules[] = {rules::required("name", "must specify a resource name"),
                                         rules::into("target"), rules::call(check_resource_target)};
constexpr Rule kContainerMetricRules[] = {
    rules::required("name", "must specify a resource name"), rules::call(check_metric_container),
    rules::into("target"), rules::call(check_resource_target)};
constexpr Rule kBehaviorRules[] = {rules::into("scaleUp"), rules::into("scaleDown")};
constexpr Rule kScalingRules[] = {rules::call(check_scaling_rules),
                                  rules::one_of_set("selectPolicy", kSelectPolicies),
                                  rules::into("policies")};
constexpr Rule kScalingPolicyRules[] = {rules::call(check_scaling_policy)};
constexpr Rule kBudgetRules[] = {
    rules::call(check_budget), rules::into("selector"),
    rules::one_of_set("unhealthyPodEvictionPolicy", kEvictionPolicies)};

constexpr TypeRules kAutoscalerTypes[] = {
    {"autoscaling.v2.HorizontalPodAutoscalerSpec", kAutoscalerRules},
    {"autoscaling.v2.CrossVersionObjectReference", kScaleReferenceRules},
    {"autoscaling.v2.MetricSpec", kMetricRules},
    {"autoscaling.v2.MetricTarget", kTargetRules},
    {"autoscaling.v2.MetricIdentifier", kMetricNameRules},
    {"autoscaling.v2.ObjectMetricSource", kObjectMetricRules},
    {"autoscaling.v2.ExternalMetricSource", kExternalMetricRules},
    {"autoscaling.v2.PodsMetricSource", kPodsMetricRules},
    {"autoscaling.v2.ResourceMetricSource", kResourceMetricRules},
    {"autoscaling.v2.ContainerResourceMetricSource", kContainerMetricRules},
    {"autoscaling.v2.HorizontalPodAutoscalerBehavior", kBehaviorRules},
    {"autoscaling.v2.HPAScalingRules", kScalingRules},
    {"autoscaling.v2.HPAScalingPolicy", kScalingPolicyRules},
    {"policy.v1.PodDisruptionBudgetSpec", kBudgetRules},
};

}  // namespace

std::span<const TypeRules> autoscaler_types() {
  return kAutoscalerTypes;
}

}  // namespace kube::apiserver
