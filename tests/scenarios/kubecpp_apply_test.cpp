// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply`, `patch` and `delete` beside kubectl's. Where the server can apply, kubecpp lets
// it; elsewhere it does what kubectl does, with the annotation that kubectl compares with.
#include <string>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr const char* kDeployment = R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1", ports: [{containerPort: 80}]}]}
)";

class KubecppApplyScenario : public KubecppScenario {
 protected:
  static std::string map(const std::string& data) {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: " + data + "\n";
  }
  static std::string both(const std::string& word) {
    return "configmap/c " + word + "\ndeployment.apps/web " + word + "\n";
  }
  std::string apply(const std::string& text) const {
    return kubecpp_prints({"apply", "-f", folder_.write("ours.yaml", text)});
  }
  std::string kubectl_apply(const std::string& text, const Arguments& more = {}) const {
    Arguments arguments = {"apply", "-f", folder_.write("theirs.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kubectl_prints(arguments);
  }
  ConfigMap read() { return must(client_.api<ConfigMap>(namespace_).get("c")); }
  std::string annotation() {
    const auto annotations = read().metadata.annotations;
    const auto found = annotations.find(kLastApplied);
    return found == annotations.end() ? "none" : found->second;
  }
  std::string deleted(const std::string& kind, const std::string& name) const {
    return kind + " \"" + name + "\" deleted from " + namespace_ + " namespace\n";
  }
  void delete_both() const {
    EXPECT_EQ(kubecpp_prints({"delete", "-f", folder_.write("both.yaml", map("{}") + kDeployment)}),
              deleted("configmap", "c") + deleted("deployment.apps", "web"));
  }
};

using Data = decltype(ConfigMap::data);

TEST_F(KubecppApplyScenario, CreatesChangesAndLeavesAlone) {
  const std::string first = map("{a: '1', b: '2'}") + kDeployment;
  EXPECT_EQ(apply(first), both("created"));
  EXPECT_EQ(read().data, (Data{{"a", "1"}, {"b", "2"}}));
  const std::string created = read().metadata.resource_version;
  EXPECT_EQ(apply(first), both("unchanged"));
  EXPECT_EQ(read().metadata.resource_version, created);

  EXPECT_EQ(kubecpp_prints({"patch", "cm", "c", "-p", "{data: {other: x}}"}),
            "configmap/c patched\n");
  const std::string second = map("{a: '3'}") + kDeployment;
  EXPECT_EQ(apply(second), "configmap/c configured\ndeployment.apps/web unchanged\n");
  EXPECT_EQ(read().data, (Data{{"a", "3"}, {"other", "x"}}))
      << "what was applied before and is no more goes, what others wrote stays";
  EXPECT_EQ(apply(second), both("unchanged"));
  delete_both();
}

TEST_F(KubecppApplyScenario, PatchesAndDeletesInKubectlsWords) {
  EXPECT_EQ(apply(map("{a: '1', b: '2'}")), "configmap/c created\n");
  const auto patch = [&](const std::string& type, const std::string& text) {
    return Arguments{"patch", "configmap", "c", "--type", type, "-p", text};
  };
  EXPECT_EQ(kubecpp_prints(patch("strategic", R"({"data":{"c":"3"}})")), "configmap/c patched\n");
  EXPECT_EQ(kubecpp_prints(patch("merge", R"({"data":{"a":null}})")), "configmap/c patched\n");
  EXPECT_EQ(kubecpp_prints(patch("json", R"([{"op":"add","path":"/data/d","value":"4"}])")),
            "configmap/c patched\n");
  EXPECT_EQ(read().data, (Data{{"b", "2"}, {"c", "3"}, {"d", "4"}}));
  const Arguments same = patch("merge", R"({"data":{"b":"2"}})");
  EXPECT_EQ(kubecpp_prints(same), "configmap/c patched (no change)\n");

  EXPECT_EQ(kubecpp_prints({"delete", "configmap", "c"}), deleted("configmap", "c"));
  const auto gone = client_.api<ConfigMap>(namespace_).get("c");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(kube::is_not_found(gone.error()));
  const Arguments again = {"delete", "configmap", "c"};
  const programs::Outcome missing = kubecpp(again);
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "Error from server (NotFound): configmaps \"c\" not found\n");
  if (!has_kubectl()) return;
  EXPECT_EQ(missing.err, kubectl(again).err);
  EXPECT_EQ(apply(map("{b: '2'}")), "configmap/c created\n");
  EXPECT_EQ(kubectl_prints(same), "configmap/c patched (no change)\n");
}

TEST_F(KubecppApplyScenario, KubectlFindsNothingToChangeInWhatWeAppliedNorWeInWhatItDid) {
  const std::string file = map("{a: '1', b: \"two\\nlines <&>\"}") + kDeployment;
  if (has(Capability::ServerSideApply)) {
    // The server keeps what each manager applied, without annotations; under the same name we and
    // kubectl are one.
    const Arguments as_we = {"--server-side", "--field-manager=kubecpp"};
    EXPECT_EQ(apply(file), both("created"));
    EXPECT_EQ(annotation(), "none");
    const std::string version = read().metadata.resource_version;
    EXPECT_EQ(kubectl_apply(file, as_we), both("serverside-applied"));
    EXPECT_EQ(read().metadata.resource_version, version);
    delete_both();
    EXPECT_EQ(kubectl_apply(file, as_we), both("serverside-applied"));
    EXPECT_EQ(apply(file), both("unchanged"));
    return;
  }
  // What kubectl writes for this file.
  const std::string noted =
      R"({"apiVersion":"v1","data":{"a":"1","b":"two\nlines \u003c\u0026\u003e"},"kind":"ConfigMap",)"
      R"("metadata":{"annotations":{},"name":"c","namespace":")" +
      namespace_ + "\"}}\n";
  EXPECT_EQ(apply(file), both("created"));
  EXPECT_EQ(annotation(), noted);
  if (!has_kubectl()) return;
  EXPECT_EQ(kubectl_apply(file), both("unchanged"));
  delete_both();
  EXPECT_EQ(kubectl_apply(file), both("created"));
  EXPECT_EQ(annotation(), noted);
  EXPECT_EQ(apply(file), both("unchanged"));
}

TEST_F(KubecppApplyScenario, AfterBothHaveAppliedAFileNeitherChangesIt) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl";
  const std::string file = map("{a: '1', b: '2'}") + kDeployment;
  // Where the server applies, each of the two notes its ownership once: that is a change.
  const std::string second = both(has(Capability::ServerSideApply) ? "configured" : "unchanged");
  for (const bool we_first : {true, false}) {
    SCOPED_TRACE(we_first);
    EXPECT_EQ(we_first ? apply(file) : kubectl_apply(file), both("created"));
    EXPECT_EQ(we_first ? kubectl_apply(file) : apply(file), second);
    EXPECT_EQ(apply(file), both("unchanged"));
    EXPECT_EQ(kubectl_apply(file), both("unchanged"));
    delete_both();
  }
}

}  // namespace
}  // namespace scenarios
