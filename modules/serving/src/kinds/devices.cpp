// SPDX-License-Identifier: Apache-2.0
//
// The kinds of dynamic resource allocation.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

// A taint says since when it is there with its effect, unless the time is changed too.
void date_taint_of_rule(json::Value& rule, const json::Value* before, const std::string& now) {
  json::Object& taint = child(spec_in(rule), "taint");
  const auto same = [&](std::string_view member) {
    return same_member(rule, *before, {"spec", "taint", member});
  };
  if (before != nullptr && same("timeAdded") && !same("effect")) taint.set("timeAdded", now);
  set_default(taint, "timeAdded", now);
}

void date_taints_of_slice(json::Value& slice, const json::Value* /*before*/,
                          const std::string& now) {
  for_each_object(spec_in(slice), "devices", [&](json::Object& device) {
    for_each_object(device, "taints",
                    [&](json::Object& taint) { set_default(taint, "timeAdded", now); });
  });
}

using DeviceId = std::array<std::string_view, 4>;

DeviceId device_of(const json::Value& entry) {
  return {entry.string_at({"driver"}), entry.string_at({"pool"}), entry.string_at({"device"}),
          entry.string_at({"shareID"})};
}

// The state of a device goes with its allocation.
void drop_deallocated(json::Value& claim, const json::Value* before, const std::string& /*now*/) {
  json::Value* status = claim.if_object()->find("status");
  if (before == nullptr || status == nullptr || !status->is_object()) return;
  json::Value* devices = status->if_object()->find("devices");
  if (devices == nullptr || !devices->is_array()) return;
  std::set<DeviceId> gone;
  for (const json::Value& result : before->array_at({"status", "allocation", "devices", "results"}))
    gone.insert(device_of(result));
  for (const json::Value& result : claim.array_at({"status", "allocation", "devices", "results"}))
    gone.erase(device_of(result));
  std::erase_if(*devices->if_array(),
                [&](const json::Value& device) { return gone.contains(device_of(device)); });
  if (devices->if_array()->empty()) status->if_object()->erase("devices");
}

json::Value device_claim_state(const CellInput& input) {
  std::vector<std::string> states;
  if (!metadata_text(input.object, "deletionTimestamp").empty()) states.emplace_back("deleted");
  const json::Value* allocation = input.object.at_path({"status", "allocation"});
  if (allocation == nullptr || allocation->is_null()) {
    if (states.empty()) states.emplace_back("pending");
  } else {
    states.emplace_back("allocated");
    if (!input.object.array_at({"status", "reservedFor"}).empty()) states.emplace_back("reserved");
  }
  return join(states, ",");
}

json::Value pool_sum(const CellInput& input) {
  const json::Value* status = input.object.at_path({"status"});
  if (status == nullptr || !status->is_object() || status->if_object()->empty()) return "-";
  std::int64_t sum = 0;
  for (const json::Value& pool : status->array_at({"pools"}))
    sum += pool.int_at({input.argument}).value_or(0);
  return std::to_string(sum);
}

json::Value pool_errors(const CellInput& input) {
  const json::Value* status = input.object.at_path({"status"});
  if (status == nullptr || !status->is_object() || status->if_object()->empty()) return "-";
  return std::to_string(std::ranges::count_if(
      status->array_at({"pools"}),
      [](const json::Value& pool) { return !pool.string_at({"validationError"}).empty(); }));
}

json::Value pool_completed(const CellInput& input) {
  const json::Value* complete = find_condition(input.object, "Complete");
  if (complete == nullptr || complete->string_at({"status"}) != "True") return "<none>";
  return since(complete->string_at({"lastTransitionTime"}), input.now);
}

json::Value pool_status(const CellInput& input) {
  return first_true(input.object, {"Failed", "Complete"}, "Pending");
}

constexpr Cell kDeviceClaimCells[] = {
    {"State", device_claim_state},
};
constexpr Cell kPoolCells[] = {
    {"Total", pool_sum, "totalDevices"},
    {"Available", pool_sum, "availableDevices"},
    {"Allocated", pool_sum, "allocatedDevices"},
    {"Unavailable", pool_sum, "unavailableDevices"},
    {"Errors", pool_errors},
    {"Status", pool_status},
    {"Completed", pool_completed},
};
constexpr Cell kTaintCells[] = {
    {"TimeAdded", cells::elapsed},
};

std::string unknown_slice_field(std::string_view label) {
  return "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: " +
         std::string(label);
}

constexpr KindRules kDeviceRules[] = {
    {.group = "resource.k8s.io",
     .resource = "resourceclaims",
     .generation = Generation::Never,
     .status_metadata = {},
     .returns_deleted_object = true,
     .cells = kDeviceClaimCells,
     .prepare = drop_deallocated},
    {.group = "resource.k8s.io",
     .resource = "resourceclaimtemplates",
     .returns_deleted_object = true},
    {.group = "resource.k8s.io",
     .resource = "deviceclasses",
     .generation = Generation::Always,
     .returns_deleted_object = true},
    {.group = "resource.k8s.io",
     .resource = "resourceslices",
     .generation = Generation::Always,
     .returns_deleted_object = true,
     .counts_dropped = true,
     .unknown_field = unknown_slice_field,
     .prepare = date_taints_of_slice},
    {.group = "resource.k8s.io",
     .resource = "resourcepoolstatusrequests",
     .generation = Generation::Never,
     .cells = kPoolCells},
    {.group = "resource.k8s.io",
     .resource = "devicetaintrules",
     .status_metadata = {},
     .unconditional_update = false,
     .cells = kTaintCells,
     .prepare = date_taint_of_rule},
};

}  // namespace

Kinds device_kinds() {
  return kDeviceRules;
}

}  // namespace kube::serving
