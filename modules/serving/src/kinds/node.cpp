// SPDX-License-Identifier: Apache-2.0
//
// Nodes.
#include <algorithm>
#include <string>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value node_status(const CellInput& input) {
  const json::Value* ready = find_condition(input.object, "Ready");
  std::string out = ready == nullptr                         ? "Unknown"
                    : ready->string_at({"status"}) == "True" ? "Ready"
                                                             : "NotReady";
  if (input.object.true_at({"spec", "unschedulable"})) out += ",SchedulingDisabled";
  return out;
}

json::Value node_roles(const CellInput& input) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  if (const json::Value* labels = input.object.at_path({"metadata", "labels"});
      labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : *labels->if_object()) {
      if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
        roles.push_back(key.substr(kPrefix.size()));
      } else if (key == "kubernetes.io/role" && !value.string_or_empty().empty()) {
        roles.emplace_back(value.string_or_empty());
      }
    }
  }
  std::ranges::sort(roles);
  roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
  return text_or(join(roles, ","), "<none>");
}

constexpr Cell kNodeCells[] = {
    {"Status", node_status},
    {"Roles", node_roles},
    {"Internal-IP", cells::text, "<none>"},
    {"External-IP", cells::text, "<none>"},
    {"OS-Image", cells::text, "<unknown>"},
    {"Kernel-Version", cells::text, "<unknown>"},
    {"Container-Runtime", cells::text, "<unknown>"},
};

constexpr FieldRule kNodeFields[] = {{"spec.unschedulable", "spec.unschedulable", "false"}};

// A kubelet registers its node together with capacity and addresses.
constexpr KindRules kNodeRules[] = {
    {.group = "",
     .resource = "nodes",
     .generation = Generation::Never,
     .status_on_create = true,
     .registry = "minions",
     .fields = kNodeFields,
     .cells = kNodeCells},
};

}  // namespace

Kinds node_kinds() {
  return kNodeRules;
}

}  // namespace kube::serving
