// SPDX-License-Identifier: Apache-2.0
//
// Pod groups and priority classes.
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

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

constexpr Cell kPodGroupCells[] = {
    {"Policy", pod_group_policy},
    {"Workload", pod_group_workload},
    {"Status", pod_group_status},
};

constexpr KindRules kPodGroupRules[] = {
    {.group = "scheduling.k8s.io", .resource = "podgroups", .cells = kPodGroupCells},
    {.group = "scheduling.k8s.io", .resource = "priorityclasses", .generation = Generation::First},
};

}  // namespace

Kinds pod_group_kinds() {
  return kPodGroupRules;
}

}  // namespace kube::serving
