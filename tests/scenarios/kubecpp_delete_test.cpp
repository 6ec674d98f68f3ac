// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp delete` beside kubectl's.
#include <string>

#include <gmock/gmock.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;
using ::testing::HasSubstr;

kube::meta::ResourceInfo map_resource() {
  return kube::meta::resource_of<ConfigMap>();
}

class KubecppDeleteScenario : public KubectlTwin {
 protected:
  void create_maps() {
    create_both(R"(
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: web}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: web}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {app: db}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s, labels: {app: web}}}
)");
  }
  void finalizers(const std::string& name, const std::string& list) {
    patch_both(map_resource(), name, R"({"metadata":{"finalizers":)" + list + "}}");
  }
  bool is_being_deleted(const std::string& in, const std::string& name) {
    const auto object = client_.api(map_resource(), in).get(name);
    return object && object->is_being_deleted();
  }
};

TEST_F(KubecppDeleteScenario, SelectsAsKubectlDoes) {
  create_maps();
  EXPECT_EQ(both({"delete", "cm", "-l", "app=web"}).out,
            "configmap \"a\" deleted from NAMESPACE namespace\n"
            "configmap \"b\" deleted from NAMESPACE namespace\n");
  EXPECT_EQ(both({"delete", "cm", "-l", "app=web"}).out, "No resources found\n");
  both({"delete", "cm,secret", "--field-selector", "metadata.name=s"});
  both({"delete", "cm", "c", "missing"});
  both({"delete", "cm", "missing", "--ignore-not-found"});
  create_both("{apiVersion: v1, kind: ConfigMap, metadata: {name: d}}");
  EXPECT_EQ(both({"delete", "secret", "--all"}).out, "No resources found\n");
  both({"delete", "cm/d", "-o", "name"});
}

TEST_F(KubecppDeleteScenario, RefusesWhatKubectlRefuses) {
  create_maps();
  EXPECT_EQ(both({"delete", "cm"}).err, "resource(s) were provided, but no name was specified\n");
  EXPECT_EQ(both({"delete", "cm", "a", "-l", "app=web"}).err,
            "name cannot be provided when a selector is specified\n");
  both({"delete", "cm/a", "-l", "app=web"});
  both({"delete", "cm/a", "--all"});
  both({"delete", "--all"});
  both({"delete", "cm", "--all", "-l", "app=web"});
  both({"delete", "cm", "--all", "--field-selector", "metadata.name=a"});
  both({"delete", "cm", "a", "--cascade=no-such"});
  both({"delete", "cm", "a", "--now", "--grace-period=3"});
  both({"delete", "cm", "a", "--force", "--grace-period=3"});
  both({"delete", "cm", "a", "--dry-run=perhaps"});
  both({"delete", "no-such-resource", "a"});
  both({"delete"});
  EXPECT_EQ(both({"get", "cm", "a", "b", "c", "-o", "name"}).out,
            "configmap/a\nconfigmap/b\nconfigmap/c\n")
      << "nothing is deleted";
}

TEST_F(KubecppDeleteScenario, DryRunsDeleteNothing) {
  create_maps();
  EXPECT_EQ(both({"delete", "cm", "a", "--dry-run=client"}).out,
            "configmap \"a\" deleted from NAMESPACE namespace (dry run)\n");
  EXPECT_EQ(both({"delete", "cm", "a", "--dry-run=server"}).out,
            "configmap \"a\" deleted from NAMESPACE namespace (server dry run)\n");
  EXPECT_EQ(both({"get", "cm", "a", "-o", "name"}).out, "configmap/a\n");
}

TEST_F(KubecppDeleteScenario, GracePeriodsForceAndCascade) {
  create_maps();
  const auto forced = both({"delete", "cm", "a", "--force"});
  EXPECT_EQ(forced.out, "configmap \"a\" force deleted from NAMESPACE namespace\n");
  EXPECT_THAT(forced.err, HasSubstr("Warning: Immediate deletion does not wait"));
  both({"delete", "cm", "b", "--grace-period=0"});
  both({"delete", "cm", "c", "--now"});
  both({"delete", "secret", "s", "--cascade=foreground", "--wait=false"});
}

TEST_F(KubecppDeleteScenario, WaitsForFinalizers) {
  create_maps();
  finalizers("a", R"(["example.com/hold"])");
  programs::Program mine(our_line({"delete", "cm", "a"}));
  ASSERT_TRUE(eventually([&] { return is_being_deleted(namespace_, "a"); }));
  ASSERT_TRUE(mine.prints("configmap \"a\" deleted"));
  EXPECT_TRUE(client_.api(map_resource(), namespace_).get("a").has_value());
  const kube::Patch none =
      kube::Patch::merge(must(kube::json::parse(R"({"metadata":{"finalizers":[]}})")));
  must(client_.api(map_resource(), namespace_).patch("a", none));
  EXPECT_EQ(mine.wait(), 0) << mine.err();
  EXPECT_FALSE(client_.api(map_resource(), namespace_).get("a").has_value());

  finalizers("b", R"(["example.com/hold"])");
  EXPECT_EQ(both({"delete", "cm", "b", "--wait=false"}).status, 0);
  const auto late = both({"delete", "cm", "b", "--timeout=1s"});
  EXPECT_EQ(late.status, 1);
  EXPECT_EQ(late.err, "timed out waiting for the condition on configmaps/b\n");
  finalizers("b", "[]");
}

TEST_F(KubecppDeleteScenario, RawPathsAndFiles) {
  create_maps();
  const auto raw =
      kubecpp({"delete", "--raw", "/api/v1/namespaces/" + namespace_ + "/configmaps/a"});
  EXPECT_EQ(raw.status, 0) << raw.err;
  EXPECT_THAT(raw.out, HasSubstr("\"status\":\"Success\""));
  both({"delete", "--raw", "api"});
  const std::string file = folder_.write(
      "two.yaml",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: missing, labels: {app: web}}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: web}}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {app: db}}}\n");
  both({"delete", "-f", file, "-l", "app=web"});
  both({"delete", "-f", file, "--ignore-not-found"});
}

}  // namespace
}  // namespace scenarios
