// SPDX-License-Identifier: Apache-2.0
//
// Cells of what runs pods, of the batch and autoscaling kinds, and of quotas.
#include <algorithm>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/joined.hpp>
#include <kube/meta/time.hpp>

#include "documents/human_duration.hpp"
#include "documents/metadata.hpp"
#include "kinds/table_cells.hpp"

namespace kube::apiserver {
namespace {

std::string of(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

json::Value ready_of_replicas(const CellInput& input) {
  return of(input.object.int_at({"status", "readyReplicas"}).value_or(0),
            input.object.int_at({"spec", "replicas"}).value_or(0));
}

json::Value job_status(const CellInput& input) {
  const json::Value& job = input.object;
  if (is_condition_true(job, "Complete")) return "Complete";
  if (is_condition_true(job, "Failed")) return "Failed";
  if (!metadata_text(job, "deletionTimestamp").empty()) return "Terminating";
  if (is_condition_true(job, "Suspended")) return "Suspended";
  if (is_condition_true(job, "FailureTarget")) return "FailureTarget";
  return "Running";
}

json::Value job_completions(const CellInput& input) {
  const std::int64_t succeeded = input.object.int_at({"status", "succeeded"}).value_or(0);
  if (const std::int64_t wanted = input.object.int_at({"spec", "completions"}).value_or(-1);
      wanted >= 0) {
    return of(succeeded, wanted);
  }
  const std::int64_t parallelism = input.object.int_at({"spec", "parallelism"}).value_or(0);
  std::string out = of(succeeded, 1);
  if (parallelism > 1) out += " of " + std::to_string(parallelism);
  return out;
}

json::Value job_duration(const CellInput& input) {
  const auto start = meta::Time::parse(input.object.string_at({"status", "startTime"}));
  if (!start) return "";
  const auto end = meta::Time::parse(input.object.string_at({"status", "completionTime"}));
  const WallTime until =
      end ? std::chrono::time_point_cast<Duration>(end->to_wall_time()) : input.now;
  return human_duration(until - std::chrono::time_point_cast<Duration>(start->to_wall_time()));
}

std::string text_or(const json::Value& value, std::initializer_list<std::string_view> path,
                    std::string_view otherwise) {
  const json::Value* found = value.at_path(path);
  std::string text = found == nullptr ? std::string{} : cell_text(*found);
  return text.empty() ? std::string(otherwise) : text;
}

/// "10%/80%" of a metric's status and spec, or of values.
std::string metric(const json::Value& spec, const json::Value& status, std::string_view member,
                   bool utilization) {
  constexpr std::string_view unknown = "<unknown>";
  const json::Value* average = spec.at_path({member, "target", "averageValue"});
  if (average != nullptr) {
    return text_or(status, {member, "current", "averageValue"}, unknown) + "/" +
           cell_text(*average);
  }
  if (!utilization) {
    return text_or(status, {member, "current", "value"}, unknown) + "/" +
           text_or(spec, {member, "target", "value"}, "0");
  }
  std::string current = text_or(status, {member, "current", "averageUtilization"}, "");
  std::string target = text_or(spec, {member, "target", "averageUtilization"}, "");
  current = current.empty() ? std::string(unknown) : current + "%";
  target = target.empty() ? "<auto>" : target + "%";
  return current + "/" + target;
}

json::Value autoscaler_targets(const CellInput& input) {
  const json::Array& specs = list_at(input.object, {"spec", "metrics"});
  const json::Array& statuses = list_at(input.object, {"status", "currentMetrics"});
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

/// "cpu: 1/4, memory: 0/1Gi" of the names that are limits, or aren't.
std::string quota(const json::Value& object, bool limits) {
  const json::Value* hard = object.at_path({"status", "hard"});
  if (hard == nullptr || !hard->is_object()) return {};
  std::vector<std::string> names;
  for (const auto& [name, value] : *hard->if_object()) {
    if (name.starts_with("limits.") == limits) names.push_back(name);
  }
  std::ranges::sort(names);
  std::vector<std::string> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) {
    parts.push_back(name + ": " + text_or(object, {"status", "used", name}, "0") + "/" +
                    text_or(object, {"status", "hard", name}, "0"));
  }
  return joined(parts, ", ");
}

json::Value target_reference(const CellInput& input) {
  return std::string(input.object.string_at({"spec", "scaleTargetRef", "kind"})) + "/" +
         std::string(input.object.string_at({"spec", "scaleTargetRef", "name"}));
}

json::Value controller(const CellInput& input) {
  if (input.found.empty()) return "<none>";
  const json::Value& owner = *input.found.front();
  std::string kind = ascii::to_lower(owner.string_at({"kind"}));
  const std::string_view version = owner.string_at({"apiVersion"});
  if (const std::size_t slash = version.find('/'); slash != std::string_view::npos) {
    kind += "." + std::string(version.substr(0, slash));
  }
  return kind + "/" + std::string(owner.string_at({"name"}));
}

json::Value claim_state(const CellInput& input) {
  std::vector<std::string> states;
  if (!metadata_text(input.object, "deletionTimestamp").empty()) states.emplace_back("deleted");
  const json::Value* allocation = input.object.at_path({"status", "allocation"});
  if (allocation == nullptr || allocation->is_null()) {
    if (states.empty()) states.emplace_back("pending");
  } else {
    states.emplace_back("allocated");
    if (!list_at(input.object, {"status", "reservedFor"}).empty()) states.emplace_back("reserved");
  }
  return joined(states, ",");
}

/// The first condition type of a list that is true.
std::string first_true(const json::Value& object, std::initializer_list<std::string_view> types,
                       std::string_view otherwise) {
  for (const std::string_view type : types) {
    if (is_condition_true(object, type)) return std::string(type);
  }
  return std::string(otherwise);
}

json::Value pod_group_policy(const CellInput& input) {
  const json::Value* gang = input.object.at_path({"spec", "schedulingPolicy", "gang"});
  const json::Value* basic = input.object.at_path({"spec", "schedulingPolicy", "basic"});
  if (gang != nullptr && !gang->is_null()) return "Gang";
  return basic != nullptr && !basic->is_null() ? "Basic" : "<none>";
}

json::Value pod_group_workload(const CellInput& input) {
  const std::string_view name = input.object.string_at({"spec", "workloadRef", "workloadName"});
  return name.empty() ? "<none>" : name;
}

json::Value pod_group_status(const CellInput& input) {
  if (const json::Value* disrupted = find_condition(input.object, "DisruptionTarget");
      disrupted != nullptr && disrupted->string_at({"status"}) == "True") {
    return disrupted->string_at({"reason"});
  }
  for (const std::string_view type : {"PodGroupScheduled", "PodGroupInitiallyScheduled"}) {
    const json::Value* scheduled = find_condition(input.object, type);
    if (scheduled == nullptr) continue;
    return scheduled->string_at({"status"}) == "True" ? "Scheduled" : "Unschedulable";
  }
  return "Pending";
}

constexpr NamedRule workload_rules[] = {
    {"status.readyReplicas / spec.replicas", ready_of_replicas},
    {"Complete, Failed, Terminating, Suspended, FailureTarget (true conditions, in this order) or "
     "Running",
     job_status},
    {"status.succeeded / spec.completions; without completions: succeeded/1 or \"succeeded/1 of "
     "parallelism\"",
     job_completions},
    {"status.completionTime or now, minus status.startTime", job_duration},
    {"spec.scaleTargetRef.kind/spec.scaleTargetRef.name", target_reference},
    {"current/target of the first two metrics, then \"+ n more...\"", autoscaler_targets},
    {"\"name: used/hard\" of names without the limits. prefix, sorted, joined by \", \"",
     [](const CellInput& in) -> json::Value { return quota(in.object, false); }},
    {"\"name: used/hard\" of names with the limits. prefix, sorted, joined by \", \"",
     [](const CellInput& in) -> json::Value { return quota(in.object, true); }},
    {"lower case kind.group/name, <none> when none", controller},
    {"deleted, pending or allocated, and reserved, joined by comma", claim_state},
    {"Gang or Basic", pod_group_policy},
    {"name of the referenced Workload, <none> without", pod_group_workload},
    {"Pending, Scheduled, Unschedulable, or the disruption reason", pod_group_status},
    {"Running, Failed or Succeeded from the true condition, else Unknown",
     [](const CellInput& in) -> json::Value {
       return first_true(in.object, {"Running", "Failed", "Succeeded"}, "Unknown");
     }},
    {"Pending, Complete or Failed from the true condition",
     [](const CellInput& in) -> json::Value {
       return first_true(in.object, {"Failed", "Complete"}, "Pending");
     }},
    {"Pending, Issued, Denied or Failed by condition type",
     [](const CellInput& in) -> json::Value {
       return first_true(in.object, {"Issued", "Denied", "Failed"}, "Pending");
     }},
};

}  // namespace

CellRule find_workload_rule(std::string_view rule) {
  return find_rule(workload_rules, rule);
}

}  // namespace kube::apiserver
