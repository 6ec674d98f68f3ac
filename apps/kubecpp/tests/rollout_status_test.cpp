// SPDX-License-Identifier: Apache-2.0
//
// The lines of `kubecpp rollout status`, and wrong uses of the group.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/yaml.hpp>

#include "program.hpp"
#include "rollout_status.hpp"

namespace kubecpp {
namespace {

/// Returns the line, after "done: " when the rollout is done, or the error.
std::string state_of(const std::string& kind, const std::string& text, std::int64_t revision = 0) {
  const kube::Unstructured object(kube::yaml::parse(text).value());
  const auto state = rollout_state({.group = "apps", .kind = kind}, object, revision);
  if (!state) return "error: " + state.error().message();
  return (state->done ? "done: " : "") + state->text;
}

std::string deployment(const std::string& status, std::int64_t revision = 0) {
  return state_of("Deployment",
                  "{metadata: {name: web, generation: 2, annotations: "
                  "{deployment.kubernetes.io/revision: '7'}}, spec: {replicas: 3}, status: {" +
                      status + "}}",
                  revision);
}

TEST(RolloutStatus, OfADeployment) {
  EXPECT_EQ(deployment("observedGeneration: 1"),
            "Waiting for deployment spec update to be observed...");
  EXPECT_EQ(deployment("observedGeneration: 2, updatedReplicas: 1"),
            "Waiting for deployment \"web\" rollout to finish: 1 out of 3 new replicas have been "
            "updated...");
  EXPECT_EQ(deployment("observedGeneration: 2, replicas: 5, updatedReplicas: 3"),
            "Waiting for deployment \"web\" rollout to finish: 2 old replicas are pending "
            "termination...");
  EXPECT_EQ(
      deployment("observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 1"),
      "Waiting for deployment \"web\" rollout to finish: 1 of 3 updated replicas are "
      "available...");
  EXPECT_EQ(
      deployment("observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3"),
      "done: deployment \"web\" successfully rolled out");
  EXPECT_EQ(deployment("observedGeneration: 2, conditions: [{type: Available, reason: A}, "
                       "{type: Progressing, reason: ProgressDeadlineExceeded}]"),
            "error: deployment \"web\" exceeded its progress deadline");
  EXPECT_EQ(deployment("observedGeneration: 1, conditions: [{type: Progressing, "
                       "reason: ProgressDeadlineExceeded}]"),
            "Waiting for deployment spec update to be observed...")
      << "of the generation before";
}

TEST(RolloutStatus, OfARevision) {
  EXPECT_EQ(deployment("observedGeneration: 1", 7),
            "Waiting for deployment spec update to be observed...");
  EXPECT_EQ(deployment("", 6),
            "error: desired revision (6) is different from the running revision (7)");
  EXPECT_EQ(state_of("Deployment", "{metadata: {name: web}}", 1),
            "error: desired revision (1) is different from the running revision (0)");
  EXPECT_EQ(state_of("Deployment",
                     "{metadata: {name: web, annotations: "
                     "{deployment.kubernetes.io/revision: one}}}",
                     1),
            "error: cannot get the revision of deployment \"web\": strconv.ParseInt: parsing "
            "\"one\": invalid syntax");
}

std::string daemon_set(const std::string& status, const std::string& type = "RollingUpdate") {
  return state_of("DaemonSet",
                  "{metadata: {name: agent, generation: 2}, spec: {updateStrategy: {type: " + type +
                      "}}, status: {" + status + "}}");
}

TEST(RolloutStatus, OfADaemonSet) {
  EXPECT_EQ(daemon_set("", "OnDelete"),
            "error: rollout status is only available for RollingUpdate strategy type");
  EXPECT_EQ(daemon_set("observedGeneration: 1"),
            "Waiting for daemon set spec update to be observed...");
  EXPECT_EQ(
      daemon_set("observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 1"),
      "Waiting for daemon set \"agent\" rollout to finish: 1 out of 3 new pods have been "
      "updated...");
  const std::string updated =
      "observedGeneration: 2, desiredNumberScheduled: 3, updatedNumberScheduled: 3";
  EXPECT_EQ(daemon_set(updated + ", numberAvailable: 2"),
            "Waiting for daemon set \"agent\" rollout to finish: 2 of 3 updated pods are "
            "available...");
  EXPECT_EQ(daemon_set(updated + ", numberAvailable: 3"),
            "done: daemon set \"agent\" successfully rolled out");
}

std::string stateful_set(const std::string& strategy, const std::string& status) {
  return state_of("StatefulSet",
                  "{metadata: {name: db, generation: 2}, spec: {replicas: 3, updateStrategy: {" +
                      strategy + "}}, status: {" + status + "}}");
}

TEST(RolloutStatus, OfAStatefulSet) {
  const std::string rolling = "type: RollingUpdate";
  const std::string partitioned = rolling + ", rollingUpdate: {partition: 1}";
  EXPECT_EQ(stateful_set("type: OnDelete", ""),
            "error: rollout status is only available for RollingUpdate strategy type");
  EXPECT_EQ(stateful_set(rolling, ""), "Waiting for statefulset spec update to be observed...");
  EXPECT_EQ(stateful_set(rolling, "observedGeneration: 2, readyReplicas: 1"),
            "Waiting for 2 pods to be ready...");
  const std::string ready = "observedGeneration: 2, readyReplicas: 3";
  EXPECT_EQ(stateful_set(partitioned, ready + ", updatedReplicas: 1"),
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...");
  EXPECT_EQ(stateful_set(partitioned, ready + ", updatedReplicas: 2"),
            "done: partitioned roll out complete: 2 new pods have been updated...");
  EXPECT_EQ(stateful_set(rolling, ready + ", updatedReplicas: 2, currentRevision: db-1, "
                                          "updateRevision: db-2"),
            "waiting for statefulset rolling update to complete 2 pods at revision db-2...");
  EXPECT_EQ(stateful_set(rolling, ready + ", currentReplicas: 3, currentRevision: db-2, "
                                          "updateRevision: db-2"),
            "done: statefulset rolling update complete 3 pods at revision db-2...");
}

TEST(Rollout, WrongUsesAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"statsu", "deploy/web"},
       "unknown command \"statsu\"; similar: status (see kubecpp rollout --help)"},
      {{"status"}, "required resource not specified"},
      {{"restart"}, "required resource not specified"},
      {{"status", "deploy/web", "--revision=-1"}, "revision must be a positive integer: -1"},
      {{"restart", "deploy", "web", "-l", "app=web"},
       "name cannot be provided when a selector is specified"},
  };
  for (const auto& [arguments, expected] : calls) {
    std::vector<std::string> line = arguments;
    line.insert(line.begin(), {KUBECPP, "rollout"});
    const Outcome outcome = run(std::move(line));
    EXPECT_EQ(outcome.status, 1) << expected;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
  }
  const Outcome group = run({KUBECPP, "rollout"});
  EXPECT_EQ(group.status, 1) << "as kubectl";
  EXPECT_EQ(group.out, run({KUBECPP, "rollout", "--help"}).out);
}

TEST(Scale, WrongNumbersAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"deploy/web"}, "required flag(s) \"replicas\" not set"},
      {{"deploy/web", "--replicas=-1"},
       "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0"},
      {{"deploy/web", "--replicas=2147483648"}, "--replicas must be at most 2147483647"},
      {{"deploy/web", "--replicas=1", "--current-replicas=-2"},
       "The --current-replicas must specify an integer of -1 or greater"},
      {{"deploy", "--replicas=1"}, "resource(s) were provided, but no name was specified"},
  };
  for (const auto& [arguments, expected] : calls) {
    std::vector<std::string> line = arguments;
    line.insert(line.begin(), {KUBECPP, "scale"});
    const Outcome outcome = run(std::move(line));
    EXPECT_EQ(outcome.status, 1) << expected;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
  }
}

}  // namespace
}  // namespace kubecpp
