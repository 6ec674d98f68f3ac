// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp rollout` beside kubectl's. No controller runs: the tests report the states.
#include <string>

#include <gmock/gmock.h>

#include <kube/api/apps/v1/daemon_set.hpp>
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/apps/v1/stateful_set.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

kube::meta::ResourceInfo deployments() {
  return kube::meta::resource_of<kube::apps::v1::Deployment>();
}

std::string rolled_workload(const std::string& kind, const std::string& name,
                            const std::string& more) {
  return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name +
         ", labels: {app: " + name + "}}\nspec:\n" + more + R"(
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
)";
}

class KubecppRolloutScenario : public KubectlTwin {
 protected:
  void create_deployments() {
    create_both(rolled_workload("Deployment", "a", "  replicas: 3") +
                rolled_workload("Deployment", "b", "  replicas: 1"));
  }
  void create_others() {
    create_both(
        rolled_workload("DaemonSet", "d", "  updateStrategy: {type: RollingUpdate}") +
        rolled_workload("DaemonSet", "manual", "  updateStrategy: {type: OnDelete}") +
        rolled_workload("StatefulSet", "s",
                        "  replicas: 3\n  serviceName: s\n"
                        "  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}") +
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n");
  }
  template <class T>
  void report_both(const std::string& name, const std::string& status) {
    patch_both(kube::meta::resource_of<T>(), name, R"({"status":)" + status + "}", true);
  }
  void finish(const std::string& name, int replicas) {
    const std::string n = std::to_string(replicas);
    report_both<kube::apps::v1::Deployment>(
        name, R"({"observedGeneration":9,"replicas":)" + n + R"(,"updatedReplicas":)" + n +
                  R"(,"readyReplicas":)" + n + R"(,"availableReplicas":)" + n + "}");
  }
  std::string status(const std::string& object) {
    return both({"rollout", "status", object, "--watch=false"}).out;
  }
  std::string restarted_at(const std::string& in, const std::string& name) {
    const auto object = must(client_.api(deployments(), in).get(name));
    return std::string(object.content.string_at(
        {"spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"}));
  }
};

TEST_F(KubecppRolloutScenario, TheStatesOfADeployment) {
  create_deployments();
  using kube::apps::v1::Deployment;
  EXPECT_EQ(status("deploy/a"), "Waiting for deployment spec update to be observed...\n");
  report_both<Deployment>("a", R"({"observedGeneration":9})");
  EXPECT_EQ(status("deploy/a"),
            "Waiting for deployment \"a\" rollout to finish: 0 out of 3 new replicas have been "
            "updated...\n");
  report_both<Deployment>("a", R"({"replicas":5,"updatedReplicas":3})");
  EXPECT_EQ(status("deploy/a"),
            "Waiting for deployment \"a\" rollout to finish: 2 old replicas are pending "
            "termination...\n");
  report_both<Deployment>("a", R"({"replicas":3,"readyReplicas":2,"availableReplicas":1})");
  EXPECT_EQ(status("deploy/a"),
            "Waiting for deployment \"a\" rollout to finish: 1 of 3 updated replicas are "
            "available...\n");
  finish("a", 3);
  EXPECT_EQ(both({"rollout", "status", "deployment", "a"}).out,
            "deployment \"a\" successfully rolled out\n");
  report_both<Deployment>("a", R"({"conditions":[{"type":"Progressing","status":"False",)"
                               R"("reason":"ProgressDeadlineExceeded"}]})");
  const auto late = both({"rollout", "status", "deploy/a"});
  EXPECT_EQ(late.err, "deployment \"a\" exceeded its progress deadline\n");
  EXPECT_EQ(late.status, 1);
}

TEST_F(KubecppRolloutScenario, TheStatesOfDaemonSetsAndStatefulSets) {
  create_others();
  using kube::apps::v1::DaemonSet;
  using kube::apps::v1::StatefulSet;
  both({"rollout", "status", "ds/manual"});
  EXPECT_EQ(status("ds/d"), "Waiting for daemon set spec update to be observed...\n");
  const std::string counts = R"("currentNumberScheduled":3,"numberMisscheduled":0,"numberReady":0,)"
                             R"("desiredNumberScheduled":3)";
  report_both<DaemonSet>("d", R"({"observedGeneration":9,)" + counts + "}");
  EXPECT_EQ(status("ds/d"),
            "Waiting for daemon set \"d\" rollout to finish: 0 out of 3 new pods have been "
            "updated...\n");
  report_both<DaemonSet>("d", R"({"updatedNumberScheduled":3,"numberAvailable":2})");
  EXPECT_EQ(status("ds/d"),
            "Waiting for daemon set \"d\" rollout to finish: 2 of 3 updated pods are "
            "available...\n");
  report_both<DaemonSet>("d", R"({"numberAvailable":3})");
  EXPECT_EQ(both({"rollout", "status", "ds/d"}).out, "daemon set \"d\" successfully rolled out\n");

  EXPECT_EQ(status("sts/s"), "Waiting for statefulset spec update to be observed...\n");
  report_both<StatefulSet>("s", R"({"observedGeneration":9,"replicas":3,"readyReplicas":1})");
  EXPECT_EQ(status("sts/s"), "Waiting for 2 pods to be ready...\n");
  report_both<StatefulSet>("s", R"({"readyReplicas":3,"updatedReplicas":1})");
  EXPECT_EQ(status("sts/s"),
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been "
            "updated...\n");
  report_both<StatefulSet>("s", R"({"updatedReplicas":2})");
  EXPECT_EQ(status("sts/s"), "partitioned roll out complete: 2 new pods have been updated...\n");
}

TEST_F(KubecppRolloutScenario, StatusSelectsAsKubectlDoes) {
  create_deployments();
  create_others();
  finish("a", 3);
  finish("b", 1);
  EXPECT_EQ(both({"rollout", "status", "deploy"}).out,
            "deployment \"a\" successfully rolled out\ndeployment \"b\" successfully rolled "
            "out\n");
  both({"rollout", "status", "deploy/a", "deploy/b"});
  both({"rollout", "status", "deploy", "-l", "app=b"});
  EXPECT_EQ(both({"rollout", "status", "deploy", "-l", "app=none"}).err,
            "No resources found in NAMESPACE namespace.\n");
  both({"rollout", "status", "deploy/a", "deploy/missing", "deploy/b"});
  both({"rollout", "status", "deploy/missing"});
  const std::string file = folder_.write("b.yaml", rolled_workload("Deployment", "b", ""));
  both({"rollout", "status", "-f", file});
  both({"rollout", "status", "cm/c"});
  both({"rollout", "status", "cm/c", "deploy/a"});
  both({"rollout", "status"});
  both({"rollout", "status", "no-such-resource"});
  both({"rollout", "status", "deploy/a", "--revision=-1"});
  both({"rollout", "status", "deploy/a", "--revision=2"});
  patch_both(deployments(), "a",
             R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":"2"}}})");
  both({"rollout", "status", "deploy/a", "--revision=2"});
  both({"rollout", "status", "deploy/a", "--revision=3"});
  EXPECT_EQ(kubecpp({"rollout", "status", "deploy/a", "deploy/b", "-w"}).status, 0);
}

TEST_F(KubecppRolloutScenario, StatusFollowsARollout) {
  create_deployments();
  const std::string waiting = "Waiting for deployment spec update to be observed...\n";
  auto late = both({"rollout", "status", "deploy/a", "--timeout=1s"});
  // A busy machine may not come so far in a second.
  for (int limit = 4; late.out != waiting && limit < 100; limit *= 4) {
    late = both({"rollout", "status", "deploy/a", "--timeout=" + std::to_string(limit) + "s"});
  }
  EXPECT_EQ(late.out, waiting);
  EXPECT_EQ(late.err, "timed out waiting for the condition\n");
  EXPECT_EQ(late.status, 1);
  programs::Program rolled(our_line({"rollout", "status", "deploy/a"}));
  programs::Program deleted(our_line({"rollout", "status", "deploy/b"}));
  ASSERT_TRUE(rolled.prints("spec update to be observed..."));
  ASSERT_TRUE(deleted.prints("spec update to be observed..."));
  report_both<kube::apps::v1::Deployment>(
      "a", R"({"observedGeneration":9,"replicas":1,"updatedReplicas":1})");
  ASSERT_TRUE(rolled.prints("1 out of 3 new replicas have been updated..."));
  finish("a", 3);
  EXPECT_EQ(rolled.wait(), 0) << rolled.err();
  EXPECT_THAT(rolled.out(), HasSubstr("\ndeployment \"a\" successfully rolled out\n"));
  must(client_.api(deployments(), namespace_).delete_("b"));
  EXPECT_EQ(deleted.wait(), 1);
  EXPECT_EQ(deleted.err(), "kubecpp: object has been deleted\n");
}

TEST_F(KubecppRolloutScenario, RestartsNoteTheTimeInThePodTemplate) {
  create_deployments();
  create_others();
  EXPECT_EQ(both({"rollout", "restart", "deploy/a", "ds/d", "sts/s"}).out,
            "deployment.apps/a restarted\ndaemonset.apps/d restarted\n"
            "statefulset.apps/s restarted\n");
  const std::string ours = restarted_at(namespace_, "a");
  EXPECT_THAT(ours, MatchesRegex("[0-9-]{10}T[0-9:]{8}(Z|[+-][0-9:]{5})"));
  EXPECT_EQ(restarted_at(namespace_, "b"), "");
  if (has_kubectl()) {
    const std::string theirs = restarted_at(twin_, "a");
    EXPECT_EQ(ours.substr(19), theirs.substr(19)) << "the same time zone";
  }
  both({"rollout", "restart", "deploy", "-l", "app=none"});
  both({"rollout", "restart", "deploy", "-l", "app=b", "-o", "name"});
  const std::string file = folder_.write("d.yaml", rolled_workload("DaemonSet", "manual", ""));
  both({"rollout", "restart", "-f", file});
  both({"rollout", "restart", "cm/c"});
  both({"rollout", "restart", "cm/c", "deploy/missing"});
  both({"rollout", "restart", "deploy/missing"});
  both({"rollout", "restart"});
}

TEST_F(KubecppRolloutScenario, RestartsPrintObjects) {
  create_deployments();
  // In YAML, where kubectl sorts the members, too.
  both_objects({"rollout", "restart", "deploy/a", "-o", "yaml"});
  both_objects({"rollout", "restart", "deploy/b", "-o", "yaml", "--field-manager=tester",
                "--show-managed-fields"});
}

TEST_F(KubecppRolloutScenario, RestartsThatAreRefused) {
  create_deployments();
  patch_both(deployments(), "b", R"({"spec":{"paused":true}})");
  EXPECT_EQ(both({"rollout", "restart", "deploy/b"}).err,
            "deployments.apps \"b\" can't restart paused deployment (run rollout resume first)\n");
  // Twice in one second: the next run is in the same one sooner or later.
  const auto again = [&](const Arguments& line) {
    programs::Outcome outcome;
    EXPECT_TRUE(eventually([&] {
      outcome = programs::run(line);
      return outcome.status != 0;
    }));
    return outcome;
  };
  const programs::Outcome mine = ours(again(our_line({"rollout", "restart", "deploy/a"})));
  EXPECT_EQ(mine.err,
            "failed to create patch for a: if restart has already been triggered within the past "
            "second, please wait before attempting to trigger another\n");
  EXPECT_EQ(mine.status, 1);
  if (!has_kubectl()) return;
  const programs::Outcome other = theirs(again(their_line({"rollout", "restart", "deploy/a"})));
  EXPECT_EQ(mine.err, other.err);
  EXPECT_EQ(mine.status, other.status);
}

}  // namespace
}  // namespace scenarios
