// SPDX-License-Identifier: Apache-2.0
#include "kinds/autoscaler_conversion.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/codec/normalize.hpp>
#include <kube/names/quantity.hpp>

#include "documents/metadata.hpp"
#include "kinds/fields.hpp"

namespace kube::serving {
namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
// Of versions before there were fields for them.
constexpr std::string_view kTolerances[] = {"autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                            "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};

/// A member of a metric in v1, and where v2 has it.
struct Member {
  std::string_view old;
  std::string_view outer;
  std::string_view inner{};  ///< Empty: it is `outer` itself.
  bool always = false;       ///< An amount that v1 writes even if there is none.
};

struct MetricForm {
  std::string_view source;
  std::span<const Member> spec;
  std::span<const Member> status;
};

constexpr Member kObjectSpec[] = {{"target", "describedObject"},
                                  {"metricName", "metric", "name"},
                                  {"targetValue", "target", "value", true},
                                  {"selector", "metric", "selector"},
                                  {"averageValue", "target", "averageValue"}};
constexpr Member kObjectStatus[] = {{"target", "describedObject"},
                                    {"metricName", "metric", "name"},
                                    {"currentValue", "current", "value", true},
                                    {"selector", "metric", "selector"},
                                    {"averageValue", "current", "averageValue"}};
constexpr Member kPodsSpec[] = {{"metricName", "metric", "name"},
                                {"targetAverageValue", "target", "averageValue", true},
                                {"selector", "metric", "selector"}};
constexpr Member kPodsStatus[] = {{"metricName", "metric", "name"},
                                  {"currentAverageValue", "current", "averageValue", true},
                                  {"selector", "metric", "selector"}};
constexpr Member kResourceSpec[] = {{"name", "name"},
                                    {"targetAverageUtilization", "target", "averageUtilization"},
                                    {"targetAverageValue", "target", "averageValue"}};
constexpr Member kResourceStatus[] = {
    {"name", "name"},
    {"currentAverageUtilization", "current", "averageUtilization"},
    {"currentAverageValue", "current", "averageValue", true}};
constexpr Member kContainerSpec[] = {{"name", "name"},
                                     {"targetAverageUtilization", "target", "averageUtilization"},
                                     {"targetAverageValue", "target", "averageValue"},
                                     {"container", "container"}};
constexpr Member kContainerStatus[] = {
    {"name", "name"},
    {"currentAverageUtilization", "current", "averageUtilization"},
    {"currentAverageValue", "current", "averageValue", true},
    {"container", "container"}};
constexpr Member kExternalSpec[] = {{"metricName", "metric", "name"},
                                    {"metricSelector", "metric", "selector"},
                                    {"targetValue", "target", "value"},
                                    {"targetAverageValue", "target", "averageValue"}};
constexpr Member kExternalStatus[] = {{"metricName", "metric", "name"},
                                      {"metricSelector", "metric", "selector"},
                                      {"currentValue", "current", "value", true},
                                      {"currentAverageValue", "current", "averageValue"}};

constexpr MetricForm kForms[] = {{"object", kObjectSpec, kObjectStatus},
                                 {"pods", kPodsSpec, kPodsStatus},
                                 {"resource", kResourceSpec, kResourceStatus},
                                 {"containerResource", kContainerSpec, kContainerStatus},
                                 {"external", kExternalSpec, kExternalStatus}};

enum class Side { Spec, Status };

std::span<const Member> members_of(const MetricForm& form, Side side) {
  return side == Side::Spec ? form.spec : form.status;
}

json::Value take(json::Object& object, std::string_view key) {
  json::Value* found = object.find(key);
  if (found == nullptr) return {};
  json::Value value = std::move(*found);
  object.erase(key);
  return value;
}

// Returns the members that are there in an order, which texts of annotations show.
json::Value in_order(const json::Value& value, std::initializer_list<std::string_view> names) {
  json::Object out;
  for (const std::string_view name : names) {
    if (const json::Value* member = value.at_path({name})) out.set(name, *member);
  }
  return out;
}

json::Value old_metric(const json::Value& metric, Side side) {
  json::Object out{{"type", metric.string_at({"type"})}};
  for (const MetricForm& form : kForms) {
    const json::Value* source = metric.at_path({form.source});
    if (source == nullptr || !source->is_object()) continue;
    json::Object old;
    for (const Member& member : members_of(form, side)) {
      const json::Value* value = member.inner.empty()
                                     ? source->at_path({member.outer})
                                     : source->at_path({member.outer, member.inner});
      if (value != nullptr && member.old == "target") {
        old.set(member.old, in_order(*value, {"kind", "name", "apiVersion"}));
      } else if (value != nullptr && !value->is_null()) {
        old.set(member.old, *value);
      } else if (member.always) {
        old.set(member.old, "0");
      }
    }
    out.set(form.source, std::move(old));
  }
  return out;
}

// v2 says which of its values a target has.
std::string_view target_type(const MetricForm& form, const json::Value& target) {
  if (target.at_path({"averageUtilization"}) != nullptr) return "Utilization";
  const bool has_value = target.at_path({"value"}) != nullptr;
  const bool has_average = target.at_path({"averageValue"}) != nullptr;
  if (form.source == "object") return has_average ? "AverageValue" : "Value";
  return form.source == "external" && has_value ? "Value" : "AverageValue";
}

// Returns a member as Go reads it: one in another case, when there is none of the name.
const json::Value* go_member(const json::Value& value, std::string_view name) {
  if (const json::Value* exact = value.at_path({name})) return exact;
  const json::Object* object = value.if_object();
  if (object == nullptr) return nullptr;
  const std::string wanted = ascii::to_lower(name);
  for (const auto& [key, member] : *object)
    if (ascii::to_lower(key) == wanted) return &member;
  return nullptr;
}

bool is_zero(const json::Value& amount) {
  const auto quantity = meta::Quantity::parse(amount.string_or_empty());
  return quantity && quantity->is_zero();
}

// An amount that v1 writes even if there is none is 0 when it is left out; of an average it is
// none.
json::Value amount_of(const json::Value& source, const Member& member) {
  const json::Value* value = go_member(source, member.old);
  const bool is_given = value != nullptr && !value->is_null();
  if (!member.always) return is_given ? *value : json::Value();
  const json::Value* average = go_member(source, "averageValue");
  if (average != nullptr && !average->is_null() && (!is_given || is_zero(*value))) return {};
  return is_given ? *value : json::Value("0");
}

// What is no metric stays what it is, for the type to refuse.
json::Value new_metric(const json::Value& old, Side side) {
  if (!old.is_object()) return old;
  json::Value out = json::Object{};
  if (const json::Value* type = go_member(old, "type")) out.if_object()->set("type", *type);
  for (const MetricForm& form : kForms) {
    const json::Value* source = go_member(old, form.source);
    if (source == nullptr || !source->is_object()) continue;
    json::Value& made = out.ensure_path({form.source});
    made = json::Object{};
    for (const Member& member : members_of(form, side)) {
      json::Value value = amount_of(*source, member);
      if (value.is_null()) continue;
      (member.inner.empty() ? made.ensure_path({member.outer})
                            : made.ensure_path({member.outer, member.inner})) = std::move(value);
    }
    if (side == Side::Status) continue;
    json::Value& target = made.ensure_path({"target"});
    if (!target.is_object()) target = json::Object{};
    target.if_object()->set("type", target_type(form, target));
  }
  return out;
}

// The annotation has the names of the server's own type, which writes each of them.
constexpr std::pair<std::string_view, std::string_view> kDirections[] = {
    {"ScaleUp", "scaleUp"}, {"ScaleDown", "scaleDown"}};
constexpr std::pair<std::string_view, std::string_view> kScalingRules[] = {
    {"StabilizationWindowSeconds", "stabilizationWindowSeconds"},
    {"SelectPolicy", "selectPolicy"},
    {"Policies", "policies"},
    {"Tolerance", "tolerance"}};
constexpr std::pair<std::string_view, std::string_view> kPolicy[] = {
    {"Type", "type"}, {"Value", "value"}, {"PeriodSeconds", "periodSeconds"}};

using Names = std::span<const std::pair<std::string_view, std::string_view>>;

Names names_below(Names names) {
  return names.data() == kDirections ? Names(kScalingRules) : Names(kPolicy);
}

// Renames the members of an object, or of the objects of a list, and of those below.
json::Value renamed(const json::Value& value, Names names, bool to_old) {
  if (const json::Array* items = value.if_array()) {
    json::Array out;
    for (const json::Value& item : *items) out.push_back(renamed(item, names, to_old));
    return out;
  }
  if (!value.is_object()) return value;
  json::Object out;
  for (const auto& [old, name] : names) {
    const json::Value* member = to_old ? value.at_path({name}) : go_member(value, old);
    if (member != nullptr && !member->is_null()) {
      out.set(to_old ? old : name, renamed(*member, names_below(names), to_old));
    } else if (to_old) {
      out.set(old, nullptr);
    }
  }
  return out;
}

bool is_of_cpu(const json::Value& metric) {
  return metric.string_at({"type"}) == "Resource" &&
         metric.string_at({"resource", "name"}) == "cpu";
}

const json::Value* cpu_target(const json::Value& metric) {
  return is_of_cpu(metric) ? metric.at_path({"resource", "target", "averageUtilization"}) : nullptr;
}

// Returns what an annotation says in the form of v2, and removes it; null when it does not fit.
template <class Convert>
json::Value read_annotation(json::Value& object, std::string_view annotation,
                            std::initializer_list<std::string_view> path, const Convert& convert) {
  const json::Value text = take_annotation(object, annotation);
  if (!text.is_string()) return {};
  const auto read = json::parse(*text.if_string());
  if (!read) return {};
  json::Value document = json::Object{};
  document.ensure_path(path) = convert(*read);
  const meta::TypeDescriptor* type = api::find_type("autoscaling/v2", "HorizontalPodAutoscaler");
  if (!meta::normalize_to_type(*type, document)) return {};
  const json::Value* fitted = document.at_path(path);
  return fitted == nullptr ? json::Value() : *fitted;
}

void write_annotation(json::Object& object, std::string_view annotation, const json::Value& value) {
  child(child(object, "metadata"), "annotations").set(annotation, json::dump(value));
}

const json::Array& items_of(const json::Value& list) {
  static const json::Array kNone;
  return list.is_array() ? *list.if_array() : kNone;
}

template <class Convert>
json::Array each_of(const json::Value& list, const Convert& convert) {
  json::Array out;
  for (const json::Value& item : items_of(list)) out.push_back(convert(item));
  return out;
}

void spec_to_stored(json::Value& object) {
  const auto metrics = [](const json::Value& old) -> json::Value {
    return each_of(old, [](const json::Value& each) { return new_metric(each, Side::Spec); });
  };
  const auto behavior = [](const json::Value& old) { return renamed(old, kDirections, false); };
  json::Value others = read_annotation(object, kMetrics, {"spec", "metrics"}, metrics);
  json::Value how = read_annotation(object, kBehavior, {"spec", "behavior"}, behavior);
  json::Object& spec = spec_in(object);
  json::Value percentage = take(spec, "targetCPUUtilizationPercentage");
  json::Array all = others.is_array() ? std::move(*others.if_array()) : json::Array{};
  if (!percentage.is_null()) {
    json::Object target{{"type", "Utilization"}, {"averageUtilization", std::move(percentage)}};
    all.emplace_back(
        json::Object{{"type", "Resource"},
                     {"resource", json::Object{{"name", "cpu"}, {"target", std::move(target)}}}});
  }
  if (!all.empty()) spec.set("metrics", std::move(all));
  if (how.is_object() && !how.if_object()->empty()) spec.set("behavior", std::move(how));
}

void status_to_stored(json::Value& object) {
  const auto metrics = [](const json::Value& old) -> json::Value {
    return each_of(old, [](const json::Value& each) { return new_metric(each, Side::Status); });
  };
  const auto conditions = [](const json::Value& old) { return old; };
  json::Value current =
      read_annotation(object, kCurrentMetrics, {"status", "currentMetrics"}, metrics);
  json::Value found = read_annotation(object, kConditions, {"status", "conditions"}, conditions);
  json::Object& status = child(*object.if_object(), "status");
  json::Value percentage = take(status, "currentCPUUtilizationPercentage");
  if (current.is_null() && !percentage.is_null()) {
    json::Object value{{"averageUtilization", std::move(percentage)}};
    current = json::Array{
        json::Object{{"type", "Resource"},
                     {"resource", json::Object{{"name", "cpu"}, {"current", std::move(value)}}}}};
  }
  status.set("currentMetrics", std::move(current));
  if (found.is_array()) status.set("conditions", std::move(found));
  if (const json::Value* replicas = status.find("currentReplicas");
      replicas != nullptr && *replicas == json::Value(0))
    status.erase("currentReplicas");
}

void spec_from_stored(json::Object& object) {
  json::Object& spec = child(object, "spec");
  const json::Value metrics = take(spec, "metrics");
  const json::Value behavior = take(spec, "behavior");
  json::Array others;
  for (const json::Value& metric : items_of(metrics)) {
    const json::Value* percentage = cpu_target(metric);
    if (percentage == nullptr) {
      others.push_back(old_metric(metric, Side::Spec));
    } else {
      set_default(spec, "targetCPUUtilizationPercentage", *percentage);
    }
  }
  if (!others.empty()) write_annotation(object, kMetrics, others);
  if (behavior.is_object())
    write_annotation(object, kBehavior, renamed(behavior, kDirections, true));
}

void status_from_stored(json::Object& object) {
  json::Object& status = child(object, "status");
  const json::Value metrics = take(status, "currentMetrics");
  const json::Value conditions = take(status, "conditions");
  set_default(status, "currentReplicas", 0);
  json::Array old;
  for (const json::Value& metric : items_of(metrics)) {
    old.push_back(old_metric(metric, Side::Status));
    const json::Value* percentage = metric.at_path({"resource", "current", "averageUtilization"});
    if (is_of_cpu(metric) && percentage != nullptr)
      status.set("currentCPUUtilizationPercentage", *percentage);
  }
  if (!old.empty()) write_annotation(object, kCurrentMetrics, old);
  const json::Array shown = each_of(conditions, [](const json::Value& each) {
    return in_order(
        each, {"type", "status", "lastTransitionTime", "reason", "message", "observedGeneration"});
  });
  if (!shown.empty()) write_annotation(object, kConditions, shown);
}

void keep_annotations(const json::Value& before, json::Value& after,
                      std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const json::Value* kept = before.at_path({"metadata", "annotations", name});
    if (kept == nullptr) {
      take_annotation(after, name);
    } else {
      child(metadata_of(after), "annotations").set(name, *kept);
    }
  }
}

}  // namespace

void autoscaler_to_stored(json::Value& object) {
  spec_to_stored(object);
  status_to_stored(object);
}

void autoscaler_from_stored(json::Object& object) {
  spec_from_stored(object);
  status_from_stored(object);
}

void drop_annotations(json::Value& autoscaler, const json::Value* before,
                      const std::string& /*now*/) {
  for (const std::string_view name : kTolerances) take_annotation(autoscaler, name);
  const bool has_fields = autoscaler.string_at({"apiVersion"}) != "autoscaling/v1";
  if (has_fields)
    for (const std::string_view name : {kMetrics, kBehavior}) take_annotation(autoscaler, name);
  if (has_fields || before == nullptr)
    for (const std::string_view name : {kCurrentMetrics, kConditions})
      take_annotation(autoscaler, name);
}

void keep_status_annotations(const json::Value& before, json::Value& after) {
  keep_annotations(before, after, {kCurrentMetrics, kConditions});
}

void keep_spec_annotations(const json::Value& before, json::Value& after) {
  keep_annotations(before, after, {kMetrics, kBehavior});
}

}  // namespace kube::serving
