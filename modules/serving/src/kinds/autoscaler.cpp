// SPDX-License-Identifier: Apache-2.0
//
// Horizontal pod autoscalers.
#include <string>
#include <utility>

#include "documents/metadata.hpp"
#include "kinds/autoscaler_conversion.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

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

constexpr Conversion kAutoscalerConversions[] = {{.version = "v1",
                                                  .to_stored = autoscaler_to_stored,
                                                  .from_stored = autoscaler_from_stored,
                                                  .validated_as_stored = true}};

constexpr KindRules kAutoscalerRules[] = {
    {.group = "autoscaling",
     .resource = "horizontalpodautoscalers",
     .conversions = kAutoscalerConversions,
     .cells = kAutoscalerCells,
     .prepare = drop_annotations,
     .keep_main = keep_status_annotations,
     .keep_status = keep_spec_annotations},
};

}  // namespace

Kinds autoscaler_kinds() {
  return kAutoscalerRules;
}

}  // namespace kube::serving
