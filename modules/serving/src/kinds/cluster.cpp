// SPDX-License-Identifier: Apache-2.0
//
// Quotas, leases, and the kinds with which the API manages itself.
#include <algorithm>
#include <string>

#include <kube/base/join.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value component_health(const CellInput& input) {
  for (const json::Value& condition : input.object.array_at({"conditions"})) {
    if (condition.string_at({"type"}) != "Healthy") continue;
    return condition.string_at({"status"}) == "True" ? "Healthy" : "Unhealthy";
  }
  return "Unknown";
}

json::Value storage_versions(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value& version : input.object.array_at({"status", "storageVersions"})) {
    parts.push_back(std::string(version.string_at({"apiServerID"})) + "=" +
                    std::string(version.string_at({"encodingVersion"})));
  }
  return first_of(parts, 3, ",");
}

// What no service serves, the server does itself.
void prepare_api_service(json::Value& service, const json::Value* before, const std::string& now) {
  const json::Value* server = service.at_path({"spec", "service"});
  if (before != nullptr || (server != nullptr && !server->is_null())) return;
  set_default(child(*service.if_object(), "status"), "conditions",
              json::Array{json::Object{{"type", "Available"},
                                       {"status", "True"},
                                       {"lastTransitionTime", now},
                                       {"reason", "Local"},
                                       {"message", "Local APIServices are always available"}}});
}

json::Value service_available(const CellInput& input) {
  const json::Value* available = find_condition(input.object, "Available");
  if (available == nullptr) return "Unknown";
  std::string out(available->string_at({"status"}));
  if (out != "True") out += " (" + std::string(available->string_at({"reason"})) + ")";
  return out;
}

json::Value resource_and_group(const CellInput& input) {
  if (input.found.empty()) return "";
  const std::string_view group = input.found.front()->string_at({"group"});
  return std::string(input.found.front()->string_at({"resource"})) +
         (group.empty() ? "" : "." + std::string(group));
}

/// Returns "cpu: 1/4, memory: 0/1Gi" for the names that are limits, or for the others.
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
    parts.push_back(name + ": " + text_at(object, {"status", "used", name}, "0") + "/" +
                    text_at(object, {"status", "hard", name}, "0"));
  }
  return join(parts, ", ");
}

json::Value requests_of_quota(const CellInput& input) {
  return quota(input.object, false);
}

json::Value limits_of_quota(const CellInput& input) {
  return quota(input.object, true);
}

json::Value backing_service(const CellInput& input) {
  return text_or(pair_at(input.object, {"spec", "service"}, "namespace", "name"), "Local");
}

json::Value migration_status(const CellInput& input) {
  return first_true(input.object, {"Running", "Failed", "Succeeded"}, "Unknown");
}

constexpr Cell kComponentCells[] = {
    {"Status", component_health},
};
constexpr Cell kQuotaCells[] = {
    {"Request", requests_of_quota},
    {"Limit", limits_of_quota},
};
constexpr Cell kApiServiceCells[] = {
    {"Service", backing_service},
    {"Available", service_available},
};
constexpr Cell kFlowCells[] = {
    {"DistinguisherMethod", cells::text, "<none>"},
    {"MissingPL", cells::text, "?"},
};
constexpr Cell kPriorityCells[] = {
    {"NominalConcurrencyShares", cells::number, "<none>"},
    {"Queues", cells::number, "<none>"},
    {"HandSize", cells::number, "<none>"},
    {"QueueLengthLimit", cells::number, "<none>"},
};
constexpr Cell kStorageVersionCells[] = {
    {"CommonEncodingVersion", cells::text, "<unset>"},
    {"StorageVersions", storage_versions},
};
constexpr Cell kMigrationCells[] = {
    {"Resource", resource_and_group},
    {"Status", migration_status},
};
constexpr Cell kBudgetCells[] = {
    {"Min Available", cells::text, "N/A"},
    {"Max Unavailable", cells::text, "N/A"},
};

constexpr KindRules kClusterRules[] = {
    {.group = "", .resource = "componentstatuses", .cells = kComponentCells},
    {.group = "", .resource = "limitranges", .create_on_update = true, .named_by_uid = true},
    {.group = "",
     .resource = "resourcequotas",
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .cells = kQuotaCells},
    {.group = "apiregistration.k8s.io",
     .resource = "apiservices",
     .name_rule = meta::NameRule::PathSegment,
     .generation = Generation::Never,
     .status_metadata = {},
     .unconditional_update = false,
     .cells = kApiServiceCells,
     .prepare = prepare_api_service},
    {.group = "coordination.k8s.io",
     .resource = "leases",
     .create_on_update = true,
     .unconditional_update = false},
    {.group = "flowcontrol.apiserver.k8s.io",
     .resource = "flowschemas",
     .status_metadata = {},
     .cells = kFlowCells},
    {.group = "flowcontrol.apiserver.k8s.io",
     .resource = "prioritylevelconfigurations",
     .status_metadata = {},
     .cells = kPriorityCells},
    {.group = "internal.apiserver.k8s.io",
     .resource = "storageversions",
     .generation = Generation::Never,
     .cells = kStorageVersionCells},
    {.group = "node.k8s.io",
     .resource = "runtimeclasses",
     .create_on_update = true,
     .unconditional_update = false},
    {.group = "policy",
     .resource = "poddisruptionbudgets",
     .name_rule = meta::NameRule::PathSegment,
     .unconditional_update = false,
     .cells = kBudgetCells},
    {.group = "storagemigration.k8s.io",
     .resource = "storageversionmigrations",
     .generation = Generation::Never,
     .status_metadata = {},
     .unconditional_update = false,
     .cells = kMigrationCells},
};

}  // namespace

Kinds cluster_kinds() {
  return kClusterRules;
}

}  // namespace kube::serving
