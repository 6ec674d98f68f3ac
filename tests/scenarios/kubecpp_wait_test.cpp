// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp wait` beside kubectl's.
#include <string>

#include <gmock/gmock.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

kube::meta::ResourceInfo pod_resource() {
  return kube::meta::resource_of<kube::core::v1::Pod>();
}

constexpr const char* kPods = R"(
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: web}}
spec: {containers: [{name: main, image: "registry.example/app:1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: b, labels: {app: web}}
spec: {containers: [{name: main, image: "registry.example/app:1"}]}
)";
constexpr const char* kReady =
    R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";

class KubecppWaitScenario : public KubectlTwin {
 protected:
  void make_ready(const std::string& name) { patch_both(pod_resource(), name, kReady, true); }
};

TEST_F(KubecppWaitScenario, ForConditionsThatAreMet) {
  create_both(kPods);
  make_ready("a");
  make_ready("b");
  EXPECT_EQ(both({"wait", "--for=condition=Ready", "pod/a"}).out, "pod/a condition met\n");
  both({"wait", "--for=condition=ready=true", "pods", "--all"});
  both({"wait", "--for=condition=Ready", "pods", "-l", "app=web", "-o", "name"});
  both({"wait", "--for=jsonpath={.status.phase}=Running", "pod", "a", "b"});
  both({"wait", "--for=jsonpath={.status.phase}", "pod/a", "--timeout=0"});
  both({"wait", R"(--for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True)", "pod/a"});
  both({"wait", "--for=create", "--for=condition=Ready", "pod/a"});
  both({"wait", "--for=jsonpath={.spec.containers[0].name}=\"main\"", "pod/a"});
}

TEST_F(KubecppWaitScenario, ForConditionsThatAreNotMet) {
  create_both(kPods);
  make_ready("b");
  const std::string timed_out = "timed out waiting for the condition on pods/a\ntimed";
  auto late = both({"wait", "--for=condition=Ready", "pod", "a", "b", "--timeout=1s"});
  // A busy machine may not come so far in a second.
  for (int limit = 4; !late.err.starts_with(timed_out) && limit < 100; limit *= 4) {
    const std::string timeout = "--timeout=" + std::to_string(limit) + "s";
    late = both({"wait", "--for=condition=Ready", "pod", "a", "b", timeout});
  }
  EXPECT_EQ(late.err.substr(0, 51), timed_out);
  EXPECT_EQ(late.status, 1);
  both({"wait", "--for=condition=Ready", "pod/a", "--timeout=0"});
  both({"wait", "--for=delete", "pod/a", "--timeout=0"});
  both({"wait", "--for=jsonpath={.status.phase}=Gone", "pod/a", "--timeout=0"});
  both({"wait", "--for=delete", "pod/a", "--timeout=1s"});
  both({"wait", "--for=create", "pod/missing", "--timeout=1s"});
  both({"wait", "--for=condition=Ready", "pod", "missing", "b"});
  both({"wait", "--for=delete", "pod/missing"});
  EXPECT_EQ(both({"wait", "--for=condition=Ready", "pod", "-l", "app=none"}).err,
            "no matching resources found\n");
}

TEST_F(KubecppWaitScenario, RefusesWhatKubectlRefuses) {
  create_both(kPods);
  both({"wait", "pod/a"});
  both({"wait", "--for=ready", "pod/a"});
  both({"wait", "--for=jsonpath={.a}=b=c", "pod/a"});
  both({"wait", "--for=jsonpath={.a}=", "pod/a"});
  both({"wait", "--for=jsonpath={.spec}=b", "pod/a"});
  both({"wait", "--for=condition=Ready", "pods"});
  both({"wait", "--for=condition=Ready"});
}

TEST_F(KubecppWaitScenario, WatchesUntilTheConditionIsMet) {
  create_both(kPods);
  programs::Program ready(our_line({"wait", "--for=condition=Ready", "pod/a"}));
  programs::Program created(our_line({"wait", "--for=create", "--for=condition=Ready", "pod/c"}));
  programs::Program deleted(our_line({"wait", "--for=delete", "pod/b"}));
  const auto api = client_.api(pod_resource(), namespace_);
  make_ready("a");
  EXPECT_EQ(ready.wait(), 0) << ready.err();
  EXPECT_EQ(ready.out(), "pod/a condition met\n");
  kube::Unstructured c = must(api.get("a"));
  c.set_name("c");
  c.set_uid("");
  c.set_resource_version("");
  must(api.create(c));
  must(api.patch_status("c", kube::Patch::merge(must(kube::json::parse(kReady)))));
  EXPECT_EQ(created.wait(), 0) << created.err();
  EXPECT_EQ(created.out(), "pod/c condition met\npod/c condition met\n");
  kube::DeleteOptions at_once;
  at_once.grace_period_seconds = 0;
  must(api.delete_("b", at_once));
  EXPECT_EQ(deleted.wait(), 0) << deleted.err();
}

}  // namespace
}  // namespace scenarios
