// SPDX-License-Identifier: Apache-2.0
//
// Deployments and the other controllers of pods.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/labels.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

// Counts the changes of the template, from before there were generations of objects.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

// The revision that a Deployment is to go back to, from before `kubectl rollout undo` found it.
constexpr std::string_view kRollbackTo = "deprecated.deployment.rollback.to";

std::string number_problem(const json::Value& document, std::string_view annotation) {
  const std::string_view text = document.string_at({"metadata", "annotations", annotation});
  if (text.empty() || labels::parse_integer(text)) return {};
  return go::integer_problem("ParseInt", text);
}

std::string unreadable_daemon_set(const json::Value& set) {
  return number_problem(set, kTemplateGeneration);
}

std::string unreadable_deployment(const json::Value& deployment) {
  const std::string problem = number_problem(deployment, kRollbackTo);
  if (problem.empty()) return problem;
  return "failed to parse annotation[" + std::string(kRollbackTo) +
         "]=" + std::string(deployment.string_at({"metadata", "annotations", kRollbackTo})) +
         " as int64: " + problem;
}

// The reference server keeps the annotation as a number in the spec, which an empty text does not
// set.
void prepare_deployment(json::Value& deployment, const json::Value* /*before*/,
                        const std::string& /*now*/) {
  const json::Value old = take_annotation(deployment, kRollbackTo);
  if (const auto revision = labels::parse_integer(old.string_or_empty()))
    child(metadata_of(deployment), "annotations").set(kRollbackTo, std::to_string(*revision));
}

void prepare_daemon_set(json::Value& set, const json::Value* before, const std::string& /*now*/) {
  const json::Value& counted = before == nullptr ? set : *before;
  const std::string_view text = counted.string_at({"metadata", "annotations", kTemplateGeneration});
  std::int64_t generation = std::max<std::int64_t>(labels::parse_integer(text).value_or(0), 1);
  if (before != nullptr && !same_member(set, *before, {"spec", "template"})) ++generation;
  child(metadata_of(set), "annotations").set(kTemplateGeneration, std::to_string(generation));
}

json::Value ready_of_replicas(const CellInput& input) {
  return std::to_string(input.object.int_at({"status", "readyReplicas"}).value_or(0)) + "/" +
         std::to_string(input.object.int_at({"spec", "replicas"}).value_or(0));
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

constexpr Cell kReplicationControllerCells[] = {
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Selector", cells::labels},
};
constexpr Cell kReplicaSetCells[] = {
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Selector", cells::selector},
};
constexpr Cell kDeploymentCells[] = {
    {"Ready", ready_of_replicas},
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Selector", cells::selector},
};
constexpr Cell kStatefulSetCells[] = {
    {"Ready", ready_of_replicas},
    {"Containers", cells::list},
    {"Images", cells::list},
};
constexpr Cell kDaemonSetCells[] = {
    {"Node Selector", cells::labels},
    {"Containers", cells::list},
    {"Images", cells::list},
    {"Selector", cells::selector},
};
constexpr Cell kRevisionCells[] = {
    {"Controller", controller},
};

constexpr FieldRule kReplicationControllerFields[] = {{"status.replicas", "status.replicas", "0"}};

constexpr std::string_view kDeploymentCounted[] = {"annotations"};
constexpr std::string_view kDeploymentStatusMetadata[] = {"annotations", "finalizers"};

constexpr KindRules kWorkloadRules[] = {
    {.group = "",
     .resource = "replicationcontrollers",
     .scalable = true,
     .orphans_dependents = true,
     .registry = "controllers",
     .fields = kReplicationControllerFields,
     .cells = kReplicationControllerCells},
    {.group = "apps", .resource = "replicasets", .scalable = true, .cells = kReplicaSetCells},
    {.group = "apps",
     .resource = "deployments",
     .counted_metadata = kDeploymentCounted,
     .status_metadata = kDeploymentStatusMetadata,
     .scalable = true,
     .cells = kDeploymentCells,
     .unreadable = unreadable_deployment,
     .prepare = prepare_deployment},
    {.group = "apps",
     .resource = "statefulsets",
     .name_rule = meta::NameRule::DnsLabel,
     .scalable = true,
     .cells = kStatefulSetCells},
    {.group = "apps",
     .resource = "daemonsets",
     .whole_annotation = kTemplateGeneration,
     .cells = kDaemonSetCells,
     .unreadable = unreadable_daemon_set,
     .prepare = prepare_daemon_set},
    {.group = "apps", .resource = "controllerrevisions", .cells = kRevisionCells},
};

}  // namespace

Kinds workload_kinds() {
  return kWorkloadRules;
}

}  // namespace kube::serving
