// SPDX-License-Identifier: Apache-2.0
//
// Horizontal pod autoscalers.
#include <string>
#include <utility>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value take(json::Object& object, std::string_view key) {
  json::Value* found = object.find(key);
  if (found == nullptr) return {};
  json::Value value = std::move(*found);
  object.erase(key);
  return value;
}

bool is_cpu_utilization(const json::Value& metric) {
  const json::Value* name = metric.at_path({"resource", "name"});
  return name != nullptr && name->string_or_empty() == "cpu" &&
         metric.at_path({"resource", "target", "averageUtilization"}) != nullptr;
}

// autoscaling/v1 has only CPU utilisation; it is stored as the equivalent v2 metric. Other metrics
// are kept and do not show in v1.
void autoscaler_to_stored(json::Object& object) {
  json::Value* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  json::Value percentage = take(*spec->if_object(), "targetCPUUtilizationPercentage");
  if (percentage.is_null()) return;
  spec->if_object()->set(
      "metrics",
      json::Array{json::Object{
          {"type", "Resource"},
          {"resource", json::Object{{"name", "cpu"},
                                    {"target", json::Object{{"type", "Utilization"},
                                                            {"averageUtilization",
                                                             std::move(percentage)}}}}}}});
}

void autoscaler_from_stored(json::Object& object) {
  json::Value* spec = object.find("spec");
  if (spec == nullptr || !spec->is_object()) return;
  const json::Value metrics = take(*spec->if_object(), "metrics");
  if (!metrics.is_array()) return;
  for (const json::Value& metric : *metrics.if_array()) {
    if (!is_cpu_utilization(metric)) continue;
    spec->if_object()->set("targetCPUUtilizationPercentage",
                           *metric.at_path({"resource", "target", "averageUtilization"}));
    return;
  }
}

/// Returns "10%/80%", or values, from a metric's status and spec.
std::string metric(const json::Value& spec, const json::Value& status, std::string_view member,
                   bool utilization) {
  constexpr std::string_view kUnknown = "<unknown>";
  const json::Value* average = spec.at_path({member, "target", "averageValue"});
  if (average != nullptr) {
    return text_at(status, {member, "current", "averageValue"}, kUnknown) + "/" +
           cell_text(*average);
  }
  if (!utilization) {
    return text_at(status, {member, "current", "value"}, kUnknown) + "/" +
           text_at(spec, {member, "target", "value"}, "0");
  }
  std::string current = text_at(status, {member, "current", "averageUtilization"}, "");
  std::string target = text_at(spec, {member, "target", "averageUtilization"}, "");
  current = current.empty() ? std::string(kUnknown) : current + "%";
  target = target.empty() ? "<auto>" : target + "%";
  return current + "/" + target;
}

json::Value autoscaler_targets(const CellInput& input) {
  const json::Array& specs = input.object.array_at({"spec", "metrics"});
  const json::Array& statuses = input.object.array_at({"status", "currentMetrics"});
  if (specs.empty()) return "<none>";
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const json::Value& spec = specs[i];
    const json::Value status = i < statuses.size() ? statuses[i] : json::Value{};
    const std::string_view type = spec.string_at({"type"});
    const auto averaged = [&](std::string_view member) {
      std::string out = metric(spec, status, member, false);
      if (spec.at_path({member, "target", "averageValue"}) != nullptr) out += " (avg)";
      return out;
    };
    const auto named = [&](std::string_view member) {
      return std::string(spec.string_at({member, "name"})) + ": " +
             metric(spec, status, member, true);
    };
    if (type == "External") {
      parts.push_back(averaged("external"));
    } else if (type == "Object") {
      parts.push_back(averaged("object"));
    } else if (type == "Pods") {
      parts.push_back(metric(spec, status, "pods", false));
    } else if (type == "Resource") {
      parts.push_back(named("resource"));
    } else if (type == "ContainerResource") {
      parts.push_back(named("containerResource"));
    } else {
      parts.emplace_back("<unknown type>");
    }
  }
  return first_of(parts, 2, ", ");
}

json::Value target_reference(const CellInput& input) {
  return std::string(input.object.string_at({"spec", "scaleTargetRef", "kind"})) + "/" +
         std::string(input.object.string_at({"spec", "scaleTargetRef", "name"}));
}

constexpr Cell kAutoscalerCells[] = {
    {"Reference", target_reference},
    {"Targets", autoscaler_targets},
    {"MinPods", cells::text, "<unset>"},
};

constexpr Conversion kAutoscalerConversions[] = {
    {"v1", autoscaler_to_stored, autoscaler_from_stored}};

constexpr KindRules kAutoscalerRules[] = {
    {.group = "autoscaling",
     .resource = "horizontalpodautoscalers",
     .conversions = kAutoscalerConversions,
     .cells = kAutoscalerCells},
};

}  // namespace

Kinds autoscaler_kinds() {
  return kAutoscalerRules;
}

}  // namespace kube::serving
