// SPDX-License-Identifier: Apache-2.0
//
// Deployments and the other controllers of pods.
#include <cstdint>

#include <kube/names/go_text.hpp>
#include <kube/names/labels.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kStrategies[] = {"Recreate", "RollingUpdate"};
constexpr std::string_view kDaemonStrategies[] = {"RollingUpdate", "OnDelete"};
constexpr std::string_view kRetentionPolicies[] = {"Retain", "Delete"};
constexpr std::string_view kAlways[] = {"Always"};

void check_template_rest(const Place& spec, std::string_view owner) {
  const json::Value* pod = spec.find("template");
  if (pod == nullptr) return;
  const FieldPath path = spec.path("template").child("spec");
  const std::string_view policy = pod->string_at({"spec", "restartPolicy"});
  if (!policy.empty() && policy != "Always")
    spec.report(FieldError::not_supported(path.child("restartPolicy"), policy, texts_of(kAlways)));
  if (pod->at_path({"spec", "activeDeadlineSeconds"}) != nullptr)
    spec.report(FieldError::forbidden(
        path.child("activeDeadlineSeconds"),
        "activeDeadlineSeconds in " + std::string(owner) + " is not Supported"));
}

// Whether a selector is there but selects by nothing.
bool selects_nothing(const Place& spec) {
  const json::Value* selector = spec.find("selector");
  if (selector == nullptr) return false;
  const json::Value* labels = selector->at_path({"matchLabels"});
  return (labels == nullptr || !labels->is_object() || labels->if_object()->empty()) &&
         selector->array_at({"matchExpressions"}).empty();
}

void check_owner_selector(const Place& spec, std::string_view owner) {
  if (!spec.has("selector")) {
    spec.required("selector");
    return;
  }
  spec.into("selector");
  if (selects_nothing(spec))
    spec.invalid("selector", "empty selector is invalid for " + std::string(owner));
}

void check_replicated_pods(const Place& spec) {
  check_owner_selector(spec, "deployment");
  if (!check_template_labels(spec, true)) {
    spec.invalid("selector", "invalid label selector");
    return;
  }
  spec.into("template");
  check_template_rest(spec, "ReplicaSet");
}

// A pod's number may not be 0 for both.
void check_rolling_deployment(const Place& rolling) {
  check_count_or_percent(rolling, "maxUnavailable");
  check_count_or_percent(rolling, "maxSurge");
  const bool both_given = rolling.has("maxUnavailable") && rolling.has("maxSurge");
  if (both_given && count_or_percent(rolling, "maxUnavailable") == 0 &&
      count_or_percent(rolling, "maxSurge") == 0)
    rolling.invalid("maxUnavailable", "may not be 0 when `maxSurge` is 0");
  check_at_most_all(rolling, "maxUnavailable");
}

void check_deployment_strategy(const Place& strategy) {
  const std::string_view type = strategy.text_or("type", "RollingUpdate");
  if (type == "Recreate") {
    if (strategy.has("rollingUpdate"))
      strategy.forbidden("rollingUpdate",
                         "may not be specified when strategy `type` is 'Recreate'");
  } else if (type == "RollingUpdate") {
    strategy.each("rollingUpdate", check_rolling_deployment);
  } else {
    strategy.report(
        FieldError::not_supported(strategy.path(), strategy.shown_whole(), texts_of(kStrategies)));
  }
}

void check_progress_deadline(const Place& spec) {
  const auto deadline = spec.number("progressDeadlineSeconds");
  if (!deadline) return;
  if (*deadline < 0) spec.invalid("progressDeadlineSeconds", "must be greater than or equal to 0");
  if (*deadline <= spec.number("minReadySeconds").value_or(0))
    spec.invalid("progressDeadlineSeconds", "must be greater than minReadySeconds");
}

// The reference server keeps this annotation as a field of the spec.
void check_rollback(const Place& spec) {
  const std::string_view text = spec.root().value().string_at(
      {"metadata", "annotations", "deprecated.deployment.rollback.to"});
  const std::int64_t revision = labels::parse_integer(text).value_or(0);
  if (revision < 0)
    spec.report(FieldError::invalid(spec.path("rollback").child("version"), revision,
                                    "must be greater than or equal to 0"));
}

void check_rolling_daemons(const Place& rolling) {
  for (const std::string_view field : {"maxUnavailable", "maxSurge"})
    check_count_or_percent(rolling, field);
  for (const std::string_view field : {"maxUnavailable", "maxSurge"})
    check_at_most_all(rolling, field);
  const bool unavailable =
      !rolling.has("maxUnavailable") || count_or_percent(rolling, "maxUnavailable") != 0;
  const bool surge = rolling.has("maxSurge") && count_or_percent(rolling, "maxSurge") != 0;
  if (unavailable && surge) {
    rolling.invalid("maxSurge", "may not be set when maxUnavailable is non-zero");
  } else if (!unavailable && !surge) {
    rolling.required("maxUnavailable", "cannot be 0 when maxSurge is 0");
  }
}

void check_daemon_strategy(const Place& strategy) {
  const std::string_view type = strategy.text_or("type", "RollingUpdate");
  if (type == "OnDelete") return;
  if (type == "RollingUpdate") {
    strategy.each("rollingUpdate", check_rolling_daemons);
  } else {
    strategy.report(FieldError::not_supported(strategy.path(), strategy.shown_whole(),
                                              texts_of(kDaemonStrategies)));
  }
}

void check_daemon_pods(const Place& spec) {
  spec.into("selector");
  check_template_labels(spec, false);
  if (selects_nothing(spec)) spec.invalid("selector", "empty selector is invalid for daemonset");
  spec.into("template");
  check_template_rest(spec, "DaemonSet");
}

void check_pod_management(const Place& spec) {
  const std::string_view policy = spec.text_or("podManagementPolicy", "OrderedReady");
  if (policy != "OrderedReady" && policy != "Parallel")
    spec.invalid("podManagementPolicy", "must be 'OrderedReady' or 'Parallel'");
}

void check_rolling_set(const Place& rolling) {
  if (rolling.number("partition").value_or(0) < 0)
    rolling.invalid("partition", "must be greater than or equal to 0");
  if (!rolling.has("maxUnavailable")) return;
  check_count_or_percent(rolling, "maxUnavailable");
  if (count_or_percent(rolling, "maxUnavailable") == 0)
    rolling.invalid("maxUnavailable", "cannot be 0");
  check_at_most_all(rolling, "maxUnavailable");
}

void check_set_strategy(const Place& strategy) {
  const std::string_view type = strategy.text_or("type", "RollingUpdate");
  if (type == "OnDelete") {
    strategy.each("rollingUpdate", [](const Place& rolling) {
      rolling.report(FieldError::invalid(rolling.path(), rolling.shown_whole(),
                                         "only allowed for updateStrategy 'RollingUpdate'"));
    });
  } else if (type == "RollingUpdate") {
    strategy.each("rollingUpdate", check_rolling_set);
  } else {
    strategy.report(FieldError::invalid(strategy.path(), strategy.shown_whole(),
                                        "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

void check_claim_templates(const Place& spec) {
  spec.each("volumeClaimTemplates", [](const Place& claim) { claim.into("spec"); });
}

void check_ordinals(const Place& spec) {
  const auto start = spec.value().int_at({"ordinals", "start"});
  if (start && *start < 0)
    spec.report(FieldError::invalid(spec.path("ordinals.start"), *start,
                                    "must be greater than or equal to 0"));
}

void check_service_name(const Place& spec) {
  if (!spec.is_empty("serviceName"))
    spec.problems("serviceName", meta::validate_dns1123_label(spec.text("serviceName")));
}

void check_set_pods(const Place& spec) {
  check_owner_selector(spec, "statefulset");
  if (check_template_labels(spec, true)) {
    spec.into("template");
    // The server checks these twice, and says so.
    spec.each("template", check_template_metadata);
  } else {
    spec.invalid("selector", "");
  }
  check_template_rest(spec, "StatefulSet");
}

void check_controller_selector(const Place& spec) {
  if (spec.is_empty("selector")) {
    // The labels of the template are the default.
    const json::Value* labels = spec.value().at_path({"template", "metadata", "labels"});
    if (labels == nullptr || !labels->is_object() || labels->if_object()->empty())
      spec.required("selector");
    return;
  }
  const json::Value* pod = spec.find("template");
  if (pod == nullptr) return;
  const labels::Set found = labels_of(*pod);
  for (const auto& [key, value] : spec.map("selector")) {
    const auto label = found.find(key);
    if (label != found.end() && label->second == value.string_or_empty()) continue;
    json::Value shown;
    spec.each("template", [&shown](const Place& pods) {
      pods.each("metadata", [&shown](const Place& metadata) { shown = metadata.shown("labels"); });
    });
    spec.report(FieldError::invalid(spec.path("template").child("metadata").child("labels"),
                                    std::move(shown),
                                    "`selector` does not match template `labels`"));
    return;
  }
}

void check_controller_template(const Place& spec) {
  if (!spec.has("template")) {
    spec.required("template");
    return;
  }
  spec.into("template");
  check_template_rest(spec, "ReplicationController");
}

constexpr Rule kDeploymentRules[] = {rules::not_negative("replicas"),
                                     rules::call("selector", check_replicated_pods),
                                     rules::skip("template"),
                                     rules::into("strategy"),
                                     rules::not_negative("minReadySeconds"),
                                     rules::not_negative("revisionHistoryLimit"),
                                     rules::call(check_rollback),
                                     rules::call(check_progress_deadline)};
constexpr Rule kDeploymentStrategyRules[] = {rules::call(check_deployment_strategy)};
constexpr Rule kReplicaSetRules[] = {
    rules::not_negative("replicas"), rules::not_negative("minReadySeconds"),
    rules::call("selector", check_replicated_pods), rules::skip("template")};
constexpr Rule kDaemonSetRules[] = {rules::call("selector", check_daemon_pods),
                                    rules::skip("template"), rules::not_negative("minReadySeconds"),
                                    rules::into("updateStrategy"),
                                    rules::not_negative("revisionHistoryLimit")};
constexpr Rule kDaemonStrategyRules[] = {rules::call(check_daemon_strategy)};
constexpr Rule kStatefulSetRules[] = {rules::call(check_pod_management),
                                      rules::into("updateStrategy"),
                                      rules::into("persistentVolumeClaimRetentionPolicy"),
                                      rules::call("volumeClaimTemplates", check_claim_templates),
                                      rules::not_negative("replicas"),
                                      rules::not_negative("minReadySeconds"),
                                      rules::call(check_ordinals),
                                      rules::call(check_service_name),
                                      rules::call("selector", check_set_pods),
                                      rules::skip("template")};
void check_revision_data(const Place& revision) {
  // Those of a revision that is there stay, whatever they are.
  if (revision.walk().before != nullptr) return;
  const json::Value* data = revision.find("data");
  if (data == nullptr) {
    revision.required("data", "data is mandatory");
  } else if (!data->is_object()) {
    revision.required("data", "data must be a valid JSON object");
  }
}

constexpr Rule kSetStrategyRules[] = {rules::call(check_set_strategy)};
constexpr Rule kRetentionRules[] = {rules::one_of("whenDeleted", kRetentionPolicies),
                                    rules::one_of("whenScaled", kRetentionPolicies)};
constexpr Rule kControllerRules[] = {rules::late(rules::not_negative("replicas")),
                                     rules::late(rules::not_negative("minReadySeconds")),
                                     rules::call(check_controller_selector),
                                     rules::call("template", check_controller_template)};
constexpr Rule kRevisionRules[] = {rules::not_negative("revision"),
                                   rules::call(check_revision_data)};

constexpr TypeRules kWorkloadTypes[] = {
    {"apps.v1.DeploymentSpec", kDeploymentRules},
    {"apps.v1.DeploymentStrategy", kDeploymentStrategyRules},
    {"apps.v1.ReplicaSetSpec", kReplicaSetRules},
    {"apps.v1.DaemonSetSpec", kDaemonSetRules},
    {"apps.v1.DaemonSetUpdateStrategy", kDaemonStrategyRules},
    {"apps.v1.StatefulSetSpec", kStatefulSetRules},
    {"apps.v1.StatefulSetUpdateStrategy", kSetStrategyRules},
    {"apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy", kRetentionRules},
    {"apps.v1.ControllerRevision", kRevisionRules},
    {"core.v1.ReplicationControllerSpec", kControllerRules},
};

}  // namespace

std::span<const TypeRules> workload_types() {
  return kWorkloadTypes;
}

}  // namespace kube::apiserver
