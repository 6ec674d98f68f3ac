// SPDX-License-Identifier: Apache-2.0
//
// The defaults of groups apps, batch and autoscaling.
#include <limits>
#include <string_view>
#include <utility>

#include "defaults/members.hpp"
#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kRolling = "RollingUpdate";

constexpr FieldDefault kWorkloadFields[] = {
    {"apps.v1.Deployment", "spec.replicas", 1},
    {"apps.v1.Deployment", "spec.revisionHistoryLimit", 10},
    {"apps.v1.Deployment", "spec.progressDeadlineSeconds", 600},
    {"apps.v1.Deployment", "spec.strategy.type", kRolling},
    {"apps.v1.Deployment", "spec.strategy.rollingUpdate", JsonText{"{}"}, "spec.strategy.type",
     kRolling},
    {"apps.v1.Deployment", "spec.strategy.rollingUpdate.maxUnavailable", "25%",
     "spec.strategy.type", kRolling},
    {"apps.v1.Deployment", "spec.strategy.rollingUpdate.maxSurge", "25%", "spec.strategy.type",
     kRolling},

    {"apps.v1.DaemonSet", "spec.revisionHistoryLimit", 10},
    {"apps.v1.DaemonSet", "spec.updateStrategy.type", kRolling},
    {"apps.v1.DaemonSet", "spec.updateStrategy.rollingUpdate", JsonText{"{}"},
     "spec.updateStrategy.type", kRolling},
    {"apps.v1.DaemonSet", "spec.updateStrategy.rollingUpdate.maxUnavailable", 1,
     "spec.updateStrategy.type", kRolling},
    {"apps.v1.DaemonSet", "spec.updateStrategy.rollingUpdate.maxSurge", 0,
     "spec.updateStrategy.type", kRolling},

    {"apps.v1.ReplicaSet", "spec.replicas", 1},

    {"apps.v1.StatefulSet", "spec.replicas", 1},
    {"apps.v1.StatefulSet", "spec.revisionHistoryLimit", 10},
    {"apps.v1.StatefulSet", "spec.podManagementPolicy", "OrderedReady"},
    {"apps.v1.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy", JsonText{"{}"}},
    {"apps.v1.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "Retain"},
    {"apps.v1.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenScaled", "Retain"},

    {"batch.v1.Job", "spec.completionMode", "NonIndexed"},
    {"batch.v1.Job", "spec.suspend", false},
    {"batch.v1.Job", "spec.manualSelector", false},
    {"batch.v1.PodFailurePolicyOnPodConditionsPattern", "status", "True"},
    {"batch.v1.CronJob", "spec.concurrencyPolicy", "Allow"},
    {"batch.v1.CronJob", "spec.suspend", false},
    {"batch.v1.CronJob", "spec.successfulJobsHistoryLimit", 3},
    {"batch.v1.CronJob", "spec.failedJobsHistoryLimit", 1},

    {"autoscaling.*.HorizontalPodAutoscaler", "spec.minReplicas", 1},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.metrics",
     JsonText{R"([{"type":"Resource","resource":{"name":"cpu",)"
              R"("target":{"type":"Utilization","averageUtilization":80}}}])"}},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleUp", JsonText{"{}"}},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleUp.stabilizationWindowSeconds",
     0},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleUp.selectPolicy", "Max"},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleUp.policies",
     JsonText{R"([{"type":"Pods","value":4,"periodSeconds":15},)"
              R"({"type":"Percent","value":100,"periodSeconds":15}])"}},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleDown", JsonText{"{}"}},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleDown.selectPolicy", "Max"},
    {"autoscaling.v2.HorizontalPodAutoscaler", "spec.behavior.scaleDown.policies",
     JsonText{R"([{"type":"Percent","value":100,"periodSeconds":15}])"}},
};

bool has_value(const json::Object& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && !value->is_null();
}

void set_missing(json::Object& object, std::string_view key, json::Value value) {
  if (!has_value(object, key)) object.set(key, std::move(value));
}

// A strategy without a type gets all; one that names its type keeps its own parameters.
void default_stateful_set(json::Object& set) {
  json::Object& spec = ensure_object(set, "spec");
  json::Object& strategy = ensure_object(spec, "updateStrategy");
  if (text_in(strategy, "type").empty()) {
    strategy.set("type", kRolling);
    ensure_object(strategy, "rollingUpdate");
  }
  json::Value* rolling = strategy.find("rollingUpdate");
  if (text_in(strategy, "type") == kRolling && rolling != nullptr && rolling->is_object()) {
    set_missing(*rolling->if_object(), "partition", 0);
    set_missing(*rolling->if_object(), "maxUnavailable", 1);
  }
  for_each_object(spec, "volumeClaimTemplates", [](json::Object& claim) {
    claim.set("kind", "PersistentVolumeClaim");
    claim.set("apiVersion", "v1");
  });
}

void default_job(json::Object& job) {
  json::Object& spec = ensure_object(job, "spec");
  if (!has_value(spec, "completions") && !has_value(spec, "parallelism"))
    spec.set("completions", 1);
  set_missing(spec, "parallelism", 1);
  const bool by_index = has_value(spec, "backoffLimitPerIndex");
  set_missing(spec, "backoffLimit", by_index ? std::numeric_limits<std::int32_t>::max() : 6);
  set_missing(spec, "podReplacementPolicy",
              has_value(spec, "podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
}

// Version v1 has one metric, and the others in an annotation.
void default_autoscaler(json::Object& autoscaler) {
  const json::Object* metadata = object_in(autoscaler, "metadata");
  const json::Object* annotations =
      metadata == nullptr ? nullptr : object_in(*metadata, "annotations");
  if (annotations != nullptr && annotations->contains("autoscaling.alpha.kubernetes.io/metrics"))
    return;
  set_missing(ensure_object(autoscaler, "spec"), "targetCPUUtilizationPercentage", 80);
}

constexpr TypeDefault kWorkloadTypes[] = {
    {"autoscaling.v1.HorizontalPodAutoscaler", default_autoscaler},
    {"apps.v1.StatefulSet", default_stateful_set},
    {"batch.v1.Job", default_job},
};

}  // namespace

DefaultTable workload_defaults() {
  return {kWorkloadFields, kWorkloadTypes};
}

}  // namespace kube::apiserver
