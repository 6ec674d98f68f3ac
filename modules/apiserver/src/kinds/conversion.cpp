// SPDX-License-Identifier: Apache-2.0
#include "kinds/conversion.hpp"

#include <span>
#include <utility>

namespace kube::apiserver {
namespace {

struct Rename {
  std::string_view served;
  std::string_view stored;
};

// events.k8s.io/v1 as it is stored: core/v1.
constexpr Rename event_names[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
};

void rename(json::Object& object, std::string_view from, std::string_view to) {
  for (auto& [name, value] : object) {
    if (name == from) name = to;
  }
}

void event_to_stored(json::Object& object) {
  for (const auto& [served, stored] : event_names) rename(object, served, stored);
}

void event_from_stored(json::Object& object) {
  for (const auto& [served, stored] : event_names) rename(object, stored, served);
}

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

// autoscaling/v1 knows CPU utilisation only; it is stored as the v2 metric of that meaning. Other
// metrics stay where they are and do not show in v1.
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

constexpr Conversion event_conversion{event_to_stored, event_from_stored};
constexpr Conversion autoscaler_conversion{autoscaler_to_stored, autoscaler_from_stored};

}  // namespace

const Conversion* find_conversion(const meta::GroupVersionKind& served,
                                  const meta::GroupVersionKind& stored) {
  if (served == stored) return nullptr;
  if (served.group == "events.k8s.io" && served.kind == "Event") return &event_conversion;
  if (served.group == "autoscaling" && served.version == "v1" && stored.version == "v2") {
    return &autoscaler_conversion;
  }
  return nullptr;
}

std::string stored_field_name(std::string_view group, std::string_view plural,
                              std::string_view label) {
  if (group != "events.k8s.io" || plural != "events") return std::string(label);
  for (const auto& [served, stored] : event_names) {
    if (label == served) return std::string(stored);
    if (label.starts_with(served) && label.substr(served.size()).starts_with(".")) {
      return std::string(stored).append(label.substr(served.size()));
    }
  }
  return std::string(label);
}

}  // namespace kube::apiserver
