// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp label` and `kubecpp annotate` beside kubectl's.
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;
using ::testing::HasSubstr;

class KubecppLabelScenario : public KubectlTwin {
 protected:
  void create_maps() {
    create_both(R"(
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: web}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: web}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: v1, kind: Secret, metadata: {name: a}}
)");
  }
  std::string metadata(const std::string& resource, const std::string& field) {
    return both({"get", resource, "-o", "jsonpath={.metadata." + field + "}"}).out;
  }
};

TEST_F(KubecppLabelScenario, LabelsAreSetChangedAndRemoved) {
  create_maps();
  EXPECT_EQ(both({"label", "cm", "a", "tier=front"}).out, "configmap/a labeled\n");
  EXPECT_EQ(both({"label", "cm", "a", "tier=front"}).out, "configmap/a not labeled\n");
  const auto kept = both({"label", "cm/a", "tier=back"});
  EXPECT_EQ(kept.err, "'tier' already has a value (front), and --overwrite is false\n");
  EXPECT_EQ(kept.status, 1);
  EXPECT_EQ(both({"label", "--overwrite", "cm/a", "tier=back"}).out, "configmap/a labeled\n");
  EXPECT_EQ(both({"label", "cm/a", "app-", "size="}).out, "configmap/a modified\n");
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"size":"","tier":"back"})");
  EXPECT_EQ(both({"label", "cm/a", "size-", "tier-"}).out, "configmap/a unlabeled\n");
  EXPECT_EQ(both({"label", "cm/a", "size-"}).out,
            "label \"size\" not found.\nconfigmap/a not labeled\n");
  EXPECT_EQ(both({"label", "cm", "a", "a", "x=1", "x=2"}).out,
            "configmap/a labeled\nconfigmap/a not labeled\n");
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"x":"2"})");
}

TEST_F(KubecppLabelScenario, AnnotationsAreSetChangedAndRemoved) {
  create_maps();
  EXPECT_EQ(both({"annotate", "cm", "a", "note=a=b, c", "example.com/n=", "note=d=e"}).out,
            "configmap/a annotated\n");
  EXPECT_EQ(metadata("cm/a", "annotations"), R"({"example.com/n":"","note":"d=e"})");
  EXPECT_EQ(both({"annotate", "cm/a", "note=d=e"}).out, "configmap/a annotated\n");
  EXPECT_EQ(both({"annotate", "cm/a", "note=other"}).err,
            "--overwrite is false but found the following declared annotation(s): 'note' already "
            "has a value (d=e)\n");
  both({"annotate", "cm/a", "note=other", "--overwrite"});
  both({"annotate", "cm/a", "none-", "example.com/n-"});
  EXPECT_EQ(metadata("cm/a", "annotations"), R"({"note":"other"})");
  both({"annotate", "cm/c", "kubernetes.io/change-cause=first"});
  both({"annotate", "cm/c", "kubernetes.io/change-cause=second"});
  EXPECT_EQ(metadata("cm/c", "annotations"), R"({"kubernetes.io/change-cause":"second"})");
}

TEST_F(KubecppLabelScenario, SelectsAsKubectlDoes) {
  create_maps();
  both({"label", "cm", "-l", "app=web", "x=1"});
  both({"label", "cm", "-l", "app=none", "x=1"});
  both({"label", "cm", "--field-selector", "metadata.name=b", "y=1"});
  both({"annotate", "secrets", "--all", "x=1"});
  both({"annotate", "cm", "--field-selector", "metadata.name=b", "-l", "x=1", "y=1"});
  both({"label", "cm,secret", "a", "z=1"});
  both({"label", "cm/a", "secret/a", "z=2", "--overwrite"});
  both({"label", "cm", "a", "--all", "w=1"});
  both({"label", "cm", "a", "missing", "b", "v=1"});
  both({"label", "cm", "a", "missing", "v=2"});
  both({"annotate", "cm/missing", "v=1"});
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"app":"web","v":"1","w":"1","x":"1","z":"2"})");
  EXPECT_EQ(metadata("cm/b", "labels"), R"({"app":"web","v":"1","x":"1","y":"1"})");
  both({"label", "cm", "b", "of=" + namespace_});
  const std::string line = "configmap/b annotated\n";
  EXPECT_EQ(
      programs::run(kubecpp_line({"annotate", "cm", "-A", "-l", "of=" + namespace_, "u=1"})).out,
      has_kubectl() ? line + line : line);
}

TEST_F(KubecppLabelScenario, FilesAndFolders) {
  create_maps();
  const std::string file = folder_.write(
      "two.yaml",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: file}}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {app: file}}}\n");
  EXPECT_EQ(both({"label", "-f", file, "x=1"}).out, "configmap/a labeled\nconfigmap/c labeled\n");
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"app":"web","x":"1"})") << "not those of the file";
  both({"annotate", "-f", file, "x=1", "-l", "app=web"});
  both({"annotate", "-f", file, "y=1", "-l", "app=file"});
  const std::string one =
      folder_.write("one.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}");
  EXPECT_EQ(both({"label", "-f", one, "--list"}).out, "x=1\n");
  std::filesystem::create_directories(folder_.path("objects/more"));
  folder_.write("objects/b.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}");
  folder_.write("objects/more/m.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}");
  folder_.write("objects/more/c.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}");
  folder_.write("objects/z.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  const std::string objects = folder_.path("objects");
  EXPECT_EQ(both({"label", "-f", objects, "y=1"}).out,
            "configmap/b labeled\nconfigmap/a labeled\n");
  EXPECT_EQ(both({"label", "-R", "-f", objects, "z=1"}).out,
            "configmap/b labeled\nconfigmap/c labeled\nconfigmap/a labeled\n");
  EXPECT_EQ(both({"annotate", "-f", objects, "z=1"}).out,
            "configmap/b annotated\nconfigmap/c annotated\nconfigmap/a annotated\n");
}

TEST_F(KubecppLabelScenario, ListsAndOutputFormats) {
  create_maps();
  EXPECT_EQ(both({"label", "cm", "a", "--list"}).out, "app=web\n");
  EXPECT_EQ(both({"label", "cm", "a", "c", "--list"}).out,
            "Listing labels for ConfigMap./a:\n app=web\nListing labels for ConfigMap./c:\n");
  both({"label", "cm", "c", "--list", "only=here"});
  EXPECT_EQ(metadata("cm/c", "labels"), "") << "nothing is sent with --list";
  both({"annotate", "cm", "a", "c", "--list", "x=y"});
  EXPECT_EQ(both({"label", "cm/a", "x=1", "-o", "name"}).out, "configmap/a\n");
  both_objects({"label", "cm/a", "x=2", "--overwrite", "-o", "json"});
  both_objects({"label", "cm/a", "x-", "app-", "-o", "yaml"});
  both_objects({"label", "cm/a", "x-", "-o", "yaml"});
  both_objects({"annotate", "cm/a", "x=1", "-o", "yaml"});
  both_objects({"annotate", "cm/a", "cm/b", "x=1", "-o", "json"});
  both_objects({"annotate", "cm/a", "cm/b", "y=1", "-o", "yaml", "--field-manager=tester"});
  if (has(Capability::ServerSideApply)) {
    both_objects({"annotate", "secret/a", "y=1", "-o", "yaml", "--show-managed-fields",
                  "--field-manager=tester"});
  }
}

TEST_F(KubecppLabelScenario, DryRunsChangeNothing) {
  create_maps();
  EXPECT_EQ(both({"label", "cm/a", "x=1", "--dry-run=client"}).out,
            "configmap/a labeled (dry run)\n");
  EXPECT_EQ(both({"label", "cm/a", "x=1", "--dry-run=server"}).out,
            "configmap/a labeled (server dry run)\n");
  both({"label", "cm/a", "none-", "--dry-run=client"});
  both({"label", "cm/a", "none-", "--dry-run=server"});
  EXPECT_EQ(both({"annotate", "cm/a", "x=1", "--dry-run=client"}).out,
            "configmap/a annotated (dry run)\n");
  EXPECT_EQ(both({"annotate", "cm/a", "x=1", "--dry-run=server"}).out,
            "configmap/a annotated (server dry run)\n");
  both_objects({"annotate", "cm/a", "x=1", "--dry-run=server", "-o", "yaml"});
  both_objects({"annotate", "cm/c", "x-", "--dry-run=client", "-o", "yaml"});
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"app":"web"})");
  EXPECT_EQ(metadata("cm/a", "annotations"), "");
}

TEST_F(KubecppLabelScenario, VersionsMustBeThoseOfTheServer) {
  create_maps();
  const auto stale = both({"label", "cm/a", "x=1", "--resource-version=1"});
  EXPECT_THAT(stale.err, HasSubstr("Error from server (Conflict): Operation cannot be fulfilled"));
  both({"annotate", "cm/a", "x=1", "--resource-version=1"});
  both({"label", "cm/a", "x=1", "--resource-version=many"});
  both({"label", "cm", "a", "b", "x=1", "--resource-version=1"});
  both({"annotate", "cm", "-l", "app=web", "x=1", "--resource-version=1"});
  both_objects({"label", "cm/a", "x=1", "--resource-version=1", "--dry-run=client", "-o", "yaml"});
  const auto map = must(client_.api<ConfigMap>(namespace_).get("a"));
  EXPECT_EQ(
      kubecpp_prints({"label", "cm/a", "x=1", "--resource-version", map.metadata.resource_version}),
      "configmap/a labeled\n");
}

TEST_F(KubecppLabelScenario, LocalFilesAreNotSent) {
  create_maps();
  const std::string file = folder_.write(
      "local.yaml",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: file}}}\n---\n"
      "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n");
  EXPECT_EQ(both({"label", "--local", "-f", file, "x=1"}).out,
            "configmap/a labeled\nwidget.example.com/w labeled\n");
  both({"label", "--local", "-f", file, "x=1", "-o", "json"});
  both({"annotate", "--local", "-f", file, "x=1", "-o", "json", "--dry-run=client"});
  both({"annotate", "--local", "-f", file, "x=1", "--dry-run=client"});
  both({"label", "--local", "-f", file, "app=other"});
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"app":"web"})");
}

TEST_F(KubecppLabelScenario, RefusesWhatKubectlRefuses) {
  create_maps();
  const std::string file =
      folder_.write("one.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}");
  for (const std::string command : {"label", "annotate"}) {
    both({command});
    both({command, "cm"});
    both({command, "cm", "a"});
    both({command, "x=1"});
    both({command, "cm", "x=1"});
    both({command, "cm", "x=1", "a"});
    both({command, "cm", "a", "x-", "b"});
    both({command, "cm", "a", "x=1", "x-", "y=1", "y-"});
    both({command, "cm", "a", "x=1", "--all", "-l", "app=web"});
    both({command, "cm", "a", "x=1", "--all", "--field-selector", "metadata.name=a"});
    both({command, "cm", "a", "x=1", "-l", "app=web"});
    both({command, "cm/a", "x=1", "-l", "app=web"});
    both({command, "--all", "x=1"});
    both({command, "cm", "a", "--list", "-o", "json"});
    both({command, "cm", "a", "x=1", "--dry-run=perhaps"});
    both({command, "cm", "a", "x=1", "--local"});
    both({command, "x=1", "--local"});
    both({command, "x=1", "--local", "-f", file, "--dry-run=server"});
    both({command, "cm", "a", "x=1", "-f", file});
    both({command, "cm/a", "x=1", "-f", file});
    both({command, "cm", "-l", "app in web", "x=1"});
    both({command, "no-such-resource", "a", "x=1"});
    both({command, "cm/missing", "x=1"});
    both({command, "cm/missing", "cm/none", "x=1"});
    both({command, "cm", "a", "bad key=1"});
    both({command, "cm", "a", "b", "bad key=1"});
    both({command, "cm", "a", "-l", "a in b", "x=1"});
  }
  both({"label", "cm", "a", "x=not valid"});
  both({"label", "cm", "a", "x=a=b"});
  both({"label", "cm", "a", "x=-"});
  both({"label", "cm", "a", "app=1", "missing", "app=2"});
  both({"label", "cm", "b", "missing", "app=2"});
  EXPECT_EQ(metadata("cm/a", "labels"), R"({"app":"web"})");
}

}  // namespace
}  // namespace scenarios
