// SPDX-License-Identifier: Apache-2.0
//
// The flags of `kubecpp get` beside those of `kubectl get`.
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

// "w10" before "w9": names are compared byte by byte.
constexpr const char* kListedObjects = R"(
apiVersion: v1
kind: Pod
metadata: {name: w9, labels: {app: web, tier: "1"}}
spec:
  nodeName: node-a
  containers: [{name: main, image: "registry.example/app:1", resources: {requests: {cpu: 500m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: w10, labels: {app: web}}
spec:
  nodeName: node-b
  containers: [{name: main, image: "registry.example/app:2", resources: {requests: {cpu: "2"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: db, labels: {app: db, tier: "2"}}
spec: {containers: [{name: main, image: "registry.example/db:1"}, {name: side, image: "registry.example/side:1"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
)";

kube::meta::ResourceInfo listed_pods() {
  return kube::meta::resource_of<kube::core::v1::Pod>();
}

class KubecppGetFlagsScenario : public KubectlTwin {
 protected:
  void SetUp() override { create_both(kListedObjects); }
};

TEST_F(KubecppGetFlagsScenario, OfTables) {
  const std::vector<Arguments> lines = {
      {"get", "pods"},
      {"get", "po", "-o", "wide"},
      {"get", "pods", "--no-headers"},
      {"get", "pods", "--show-labels"},
      {"get", "pods", "-L", "app"},
      {"get", "pods", "-Lapp,tier", "--show-labels"},
      {"get", "pods", "-L", "app", "-L", "example.com/none"},
      {"get", "pods", "--show-kind"},
      {"get", "pods", "w9", "db"},
      {"get", "pod/w9", "service/web"},
      {"get", "pods,services"},
      {"get", "pods,services", "--no-headers"},
      {"get", "services,pods", "-l", "app=web"},
      {"get", "pods", "-l", "app=web,tier!=1"},
      {"get", "pods", "-l", "app in (web, db),!tier"},
      {"get", "pods", "--selector=app=none"},
      {"get", "pods", "--field-selector", "metadata.name=db"},
      {"get", "pods", "--field-selector=metadata.name!=db,spec.nodeName=node-a"},
      {"get", "pods", "--chunk-size=1"},
  };
  for (const Arguments& line : lines) both_tables(line);
}

TEST_F(KubecppGetFlagsScenario, ThatSort) {
  EXPECT_EQ(both({"get", "pods", "--sort-by=.metadata.name", "-o", "name"}).out,
            "pod/db\npod/w10\npod/w9\n");
  both({"get", "pods", "--sort-by", "{.spec.nodeName}", "-o", "name"});
  both({"get", "pods", "--sort-by={.spec.containers[0].image}", "-o", "name"});
  both_tables({"get", "pods", "--sort-by=.metadata.name"});
  both_tables({"get", "pods", "--sort-by=metadata.name", "--no-headers"});
  both_tables({"get", "pods", "--sort-by={.spec.nodeName}", "-L", "tier"});
  both_tables({"get", "pods", "--sort-by=.spec.containers[0].resources.requests.cpu"});
}

TEST_F(KubecppGetFlagsScenario, OfTemplates) {
  const std::vector<Arguments> lines = {
      {"get", "pods", "-o", "custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image"},
      {"get", "pod", "w9", "-o", "custom-columns=NAME:metadata.name,NONE:.spec.none"},
      {"get", "pods", "-o", "custom-columns=N:.metadata.name", "--no-headers"},
      {"get", "pods", "-o", "custom-columns=N:{.metadata.name}", "--sort-by=.metadata.name"},
      {"get", "pods,services", "-o", "custom-columns=KIND:.kind,NAME:.metadata.name"},
      {"get", "pods", "-o", "jsonpath={.items[*].metadata.name}"},
      {"get", "pods", "-o", R"(jsonpath={range .items[*]}{.metadata.name}{"\t"}{end})"},
      {"get", "pods", "-o", R"(jsonpath={.items[?(@.metadata.labels.app=="db")].spec.nodeName})"},
      {"get", "pod", "w9", "-o", "jsonpath={.metadata.labels}"},
      {"get", "pod", "w9", "-o", "jsonpath={.spec.none}"},
      {"get", "pods", "w9", "db", "-o", "jsonpath={.items[1].metadata.name}"},
      {"get", "pods", "-o", "jsonpath-as-json={.items[*].metadata.labels}"},
      {"get", "pods,services", "-o", "name"},
  };
  for (const Arguments& line : lines) both(line);
}

TEST_F(KubecppGetFlagsScenario, OfWhatIsMissing) {
  const std::vector<Arguments> lines = {
      {"get", "pod", "missing"},
      {"get", "pod", "missing", "--ignore-not-found"},
      {"get", "pods", "missing", "w9", "--no-headers", "--ignore-not-found"},
      {"get", "pods", "missing", "w9", "-o", "name"},
      {"get", "pod", "missing", "-o", "json", "--ignore-not-found"},
      {"get", "pods", "-l", "app=none", "--ignore-not-found"},
      {"get", "pods", "-l", "app=none", "-o", "name"},
      {"get", "pods,services", "-l", "app=none"},
      {"get", "nothings"},
  };
  for (const Arguments& line : lines) both_tables(line);
}

TEST_F(KubecppGetFlagsScenario, RawPaths) {
  both({"get", "--raw", "/version"});
  both({"get", "--raw=/api"});
  both({"get", "--raw", "/api/v1/namespaces/none/pods?limit=1"});
  both({"get", "--raw", "/api/v1/namespaces/none/pods/missing"});
}

TEST_F(KubecppGetFlagsScenario, ThatWatch) {
  struct Line {
    Arguments words;
    std::string last;  // of what is printed after a change
  };
  const std::vector<Line> lines = {
      {{"get", "pods", "-w", "-o", "name"}, "pod/w9\npod/w9\n"},
      {{"get", "pods", "-w", "-L", "app"}, "changed1\n"},
      {{"get", "pods", "-w", "-L", "app", "--output-watch-events"}, "changed2\n"},
  };
  int number = 0;
  for (const Line& line : lines) {
    SCOPED_TRACE(line.last);
    std::vector<std::unique_ptr<programs::Program>> programs;
    programs.push_back(std::make_unique<programs::Program>(our_line(line.words)));
    if (has_kubectl())
      programs.push_back(std::make_unique<programs::Program>(their_line(line.words)));
    // The list is printed: the watch, from its version on, has each later change.
    for (const auto& program : programs) EXPECT_TRUE(program->prints("w9")) << program->err();
    const std::string app = "changed" + std::to_string(number++);
    patch_both(listed_pods(), "w9", R"({"metadata":{"labels":{"app":")" + app + R"("}}})");
    std::vector<std::string> printed;
    for (const auto& program : programs) {
      EXPECT_TRUE(program->prints(line.last)) << program->out() << program->err();
      program->send(SIGINT);
      program->wait();
      printed.push_back(ages_hidden(program->out()));
    }
    EXPECT_EQ(printed.front(), printed.back());
  }
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl of today in PATH";
}

}  // namespace
}  // namespace scenarios
