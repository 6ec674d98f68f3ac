// SPDX-License-Identifier: Apache-2.0
//
// Deployments and the other controllers of pods.
#include <string>
#include <utility>

#include <kube/base/ascii.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"
#include "kinds/pod_template.hpp"

namespace kube::serving {
namespace {

void default_replicas(json::Value& object) {
  json::Object& spec = spec_in(object);
  default_template(spec);
  set_default(spec, "replicas", 1);
}

void default_deployment(json::Value& object) {
  default_replicas(object);
  json::Object& spec = spec_in(object);
  json::Object& strategy = child(spec, "strategy");
  set_default(strategy, "type", "RollingUpdate");
  if (strategy.find("type")->string_or_empty() == "RollingUpdate") {
    json::Object& rolling = child(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", "25%");
    set_default(rolling, "maxSurge", "25%");
  }
  set_default(spec, "revisionHistoryLimit", 10);
  set_default(spec, "progressDeadlineSeconds", 600);
}

void default_stateful_set(json::Value& object) {
  default_replicas(object);
  json::Object& spec = spec_in(object);
  set_default(spec, "podManagementPolicy", "OrderedReady");
  set_default(child(spec, "updateStrategy"), "type", "RollingUpdate");
  set_default(spec, "revisionHistoryLimit", 10);
}

void default_daemon_set(json::Value& object) {
  json::Object& spec = spec_in(object);
  default_template(spec);
  json::Object& strategy = child(spec, "updateStrategy");
  set_default(strategy, "type", "RollingUpdate");
  if (strategy.find("type")->string_or_empty() == "RollingUpdate") {
    json::Object& rolling = child(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", 1);
    set_default(rolling, "maxSurge", 0);
  }
  set_default(spec, "revisionHistoryLimit", 10);
}

meta::FieldErrors validate_stateful_set(const json::Value& after, const json::Value* before) {
  if (before == nullptr) return {};
  json::Object old = spec_of(*before);
  json::Object next = spec_of(after);
  for (const std::string_view member :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    old.erase(member);
    next.erase(member);
  }
  if (json::Value(std::move(next)) == json::Value(std::move(old))) return {};
  return {meta::FieldError::forbidden(
      meta::FieldPath("spec"),
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
      "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
      "'minReadySeconds' are forbidden")};
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

constexpr KindRules kWorkloadRules[] = {
    {.group = "",
     .resource = "replicationcontrollers",
     .scalable = true,
     .orphans_dependents = true,
     .fields = kReplicationControllerFields,
     .cells = kReplicationControllerCells,
     .defaults = default_replicas},
    {.group = "apps",
     .resource = "replicasets",
     .scalable = true,
     .cells = kReplicaSetCells,
     .defaults = default_replicas,
     .validate = validate_selector},
    {.group = "apps",
     .resource = "deployments",
     .scalable = true,
     .cells = kDeploymentCells,
     .defaults = default_deployment,
     .validate = validate_selector},
    {.group = "apps",
     .resource = "statefulsets",
     .scalable = true,
     .cells = kStatefulSetCells,
     .defaults = default_stateful_set,
     .validate = validate_stateful_set},
    {.group = "apps",
     .resource = "daemonsets",
     .cells = kDaemonSetCells,
     .defaults = default_daemon_set,
     .validate = validate_selector},
    {.group = "apps", .resource = "controllerrevisions", .cells = kRevisionCells},
};

}  // namespace

Kinds workload_kinds() {
  return kWorkloadRules;
}

}  // namespace kube::serving
