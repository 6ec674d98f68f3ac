// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp scale` beside kubectl's.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using ::testing::HasSubstr;

kube::meta::ResourceInfo scaled_resource() {
  return kube::meta::resource_of<kube::apps::v1::Deployment>();
}

constexpr const char* kSpec = R"(
spec:
  replicas: 1
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
)";

// Without the field of stateful sets for the others.
std::string workload(const std::string& kind, const std::string& name) {
  std::string spec = kSpec;
  if (kind != "StatefulSet") spec.erase(spec.find("  serviceName"), 19);
  return "---\napiVersion: apps/v1\nkind: " + kind + "\nmetadata: {name: " + name +
         ", labels: {app: web}}" + spec;
}

class KubecppScaleScenario : public KubectlTwin {
 protected:
  void create_workloads() {
    create_both(workload("Deployment", "a") + workload("Deployment", "b") +
                workload("ReplicaSet", "r") + workload("StatefulSet", "s") + R"(---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec:
  replicas: 1
  selector: {app: web}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
)");
  }
  std::string replicas(const std::string& object) {
    return both({"get", object, "-o", "jsonpath={.spec.replicas}"}).out;
  }
  void report_replicas(const std::string& name, int count) {
    patch_both(scaled_resource(), name, R"({"status":{"replicas":)" + std::to_string(count) + "}}",
               true);
  }
};

TEST_F(KubecppScaleScenario, ScalesWhatIsNamedOrSelected) {
  create_workloads();
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3"}).out, "deployment.apps/a scaled\n");
  EXPECT_EQ(replicas("deploy/a"), "3");
  EXPECT_EQ(both({"scale", "deployment", "a", "b", "--replicas=0"}).out,
            "deployment.apps/a scaled\ndeployment.apps/b scaled\n");
  EXPECT_EQ(both({"scale", "deploy/a", "rs/r", "sts/s", "rc/rc", "--replicas", "4"}).out,
            "deployment.apps/a scaled\nreplicaset.apps/r scaled\nstatefulset.apps/s scaled\n"
            "replicationcontroller/rc scaled\n");
  EXPECT_EQ(replicas("rc/rc"), "4");
  both({"scale", "deploy", "--all", "--replicas=2"});
  both({"scale", "deploy,rs", "-l", "app=web", "--replicas=5"});
  EXPECT_EQ(replicas("rs/r"), "5");
  const std::string file = folder_.write("web.yaml", workload("Deployment", "b"));
  EXPECT_EQ(both({"scale", "-f", file, "--replicas=6"}).out, "deployment.apps/b scaled\n");
  EXPECT_EQ(replicas("deploy/b"), "6");
  both({"scale", "deploy", "-l", "app=none", "--replicas=5"});
  both({"scale", "deploy", "a", "missing", "b", "--replicas=7"});
  EXPECT_EQ(replicas("deploy/b"), "7");
  both({"scale", "deploy/missing", "--replicas=7"});
}

TEST_F(KubecppScaleScenario, OutputFormatsAndDryRuns) {
  create_workloads();
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3", "--dry-run=client"}).out,
            "deployment.apps/a scaled (dry run)\n");
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3", "--dry-run=server"}).out,
            "deployment.apps/a scaled (server dry run)\n");
  both({"scale", "deploy/a", "--replicas=3", "--dry-run=server", "--current-replicas=1"});
  both({"scale", "deploy/a", "--replicas=3", "--dry-run=perhaps"});
  EXPECT_EQ(replicas("deploy/a"), "1");
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3", "-o", "name"}).out, "deployment.apps/a\n");
  both_objects({"scale", "deploy/a", "--replicas=4", "-o", "json"});
  both_objects({"scale", "deploy/a", "rs/r", "--replicas=4", "-o", "yaml"});
  both_objects({"scale", "deploy/a", "--replicas=5", "--dry-run=client", "-o", "yaml"});
}

TEST_F(KubecppScaleScenario, PreconditionsMustHold) {
  create_workloads();
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3", "--current-replicas=2"}).err,
            "Expected replicas to be 2, was 1\n");
  both({"scale", "deploy/a", "--replicas=3", "--current-replicas=1"});
  both({"scale", "deploy", "b", "a", "--replicas=4", "--current-replicas=1"});
  EXPECT_EQ(replicas("deploy/a") + replicas("deploy/b"), "34");
  both({"scale", "deploy", "a", "b", "--replicas=3", "--resource-version=1"});
  const auto stale = kubecpp({"scale", "deploy/a", "--replicas=5", "--resource-version=1"});
  EXPECT_EQ(stale.status, 1);
  EXPECT_THAT(stale.err, HasSubstr("kubecpp: Expected resource version to be 1, was "));
  const auto version = must(client_.api(scaled_resource(), namespace_).get("a"));
  EXPECT_EQ(kubecpp_prints({"scale", "deploy/a", "--replicas=5", "--current-replicas=3",
                            "--resource-version", std::string(version.resource_version())}),
            "deployment.apps/a scaled\n");
}

TEST_F(KubecppScaleScenario, WaitsForTheReplicas) {
  create_workloads();
  report_replicas("a", 2);
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=2", "--timeout=2m"}).out,
            "deployment.apps/a scaled\n");
  EXPECT_EQ(both({"scale", "deploy/a", "--replicas=3", "--timeout=1s"}).err,
            "timed out waiting for \"a\" to be synced\n");
  both({"scale", "deploy/a", "--replicas=4", "--timeout=1s", "--dry-run=server"});
  programs::Program waiting(our_line({"scale", "deploy/a", "--replicas=5", "--timeout=2m"}));
  ASSERT_TRUE(eventually([&] {
    const auto object = must(client_.api(scaled_resource(), namespace_).get("a"));
    return object.content.int_at({"spec", "replicas"}) == 5;
  }));
  report_replicas("a", 5);
  EXPECT_EQ(waiting.wait(), 0) << waiting.err();
  EXPECT_EQ(waiting.out(), "deployment.apps/a scaled\n");
}

TEST_F(KubecppScaleScenario, CustomResourcesWithAScale) {
  // Without the namespace in the group, which is another word for each program.
  std::string group = namespace_ + ".example.com";
  std::ranges::replace(group, '-', '.');
  create(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
      "widgets." +
      group + "}\nspec:\n  group: " + group + R"(
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)");
  const std::string widgets = "widgets." + group;
  ASSERT_TRUE(eventually([&] { return kubecpp({"get", widgets}).status == 0; }));
  create_both("{apiVersion: " + group + "/v1, kind: Widget, metadata: {name: w}, spec: {size: 1}}");
  EXPECT_EQ(both({"scale", widgets, "w", "--replicas=3"}).out, "widget." + group + "/w scaled\n");
  const auto size = [&] { return both({"get", widgets, "w", "-o", "jsonpath={.spec.size}"}).out; };
  EXPECT_EQ(size(), "3");
  both({"scale", widgets + "/w", "--replicas=4", "--current-replicas=2"});
  both({"scale", widgets + "/w", "--replicas=4", "--current-replicas=3"});
  EXPECT_EQ(size(), "4");
  both_objects({"scale", widgets + "/w", "--replicas=5", "-o", "yaml"});
  remove("customresourcedefinition", widgets);
}

TEST_F(KubecppScaleScenario, RefusesWhatKubectlRefuses) {
  create_workloads();
  both({"scale", "deploy/a"});
  both({"scale", "deploy/a", "--replicas=-1"});
  both({"scale", "deploy/a", "--replicas=1", "--current-replicas=-2"});
  both({"scale", "--replicas=1"});
  both({"scale", "deploy", "--replicas=1"});
  both({"scale", "--all", "--replicas=1"});
  both({"scale", "deploy", "a", "-l", "app=web", "--replicas=1"});
  both({"scale", "deploy/a", "-l", "app=web", "--replicas=1"});
  both({"scale", "no-such-resource", "a", "--replicas=1"});
  both({"scale", "cm/c", "--replicas=1"});
  both({"scale", "cm/c", "--replicas=1", "--current-replicas=1"});
  both({"scale", "deploy/missing", "rs/missing", "--replicas=1"});
}

}  // namespace
}  // namespace scenarios
