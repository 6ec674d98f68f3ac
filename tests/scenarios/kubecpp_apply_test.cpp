// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply` and `patch` beside kubectl's; what both leave on the server is compared, too.
#include <set>
#include <string>

#include <gmock/gmock.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

class KubecppApplyScenario : public KubectlTwin {
 protected:
  static std::string map(const std::string& data, const std::string& name = "c") {
    return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name +
           ", labels: {app: web}}\ndata: " + data + "\n";
  }
  static std::string two(const std::string& word) {
    return "configmap/c " + word + "\ndeployment.apps/web " + word + "\n";
  }
  // Applies a text by both.
  programs::Outcome apply(const std::string& text, const Arguments& more = {}) const {
    Arguments arguments = {"apply", "-f", folder_.write("objects.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return both(arguments);
  }
  // What both left of an object on the server.
  std::string state(const std::string& object = "cm/c") const {
    return both({"get", object, "-o", "jsonpath={.data}{.spec}{.metadata.annotations}"}).out;
  }
  // Their order on the server depends on the second in which each wrote.
  std::set<std::string> managers() {
    const auto in = [&](const std::string& of) {
      std::set<std::string> names;
      for (const auto& entry : must(client_.api<ConfigMap>(of).get("c")).metadata.managed_fields)
        names.insert(entry.manager + " " + entry.operation);
      return names;
    };
    auto mine = in(namespace_);
    if (has_kubectl()) {
      EXPECT_EQ(mine, in(twin_));
    }
    return mine;
  }
  // By one program, in the test's own namespace.
  std::string by_kubecpp(const std::string& text, const Arguments& more = {}) const {
    Arguments arguments = {"apply", "-f", folder_.write("ours.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kubecpp_prints(arguments);
  }
  std::string by_kubectl(const std::string& text, const Arguments& more = {}) const {
    Arguments arguments = {"apply", "-f", folder_.write("theirs.yaml", text)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kubectl_prints(arguments);
  }
  void change_both(const std::string& patch) {
    patch_both(kube::meta::resource_of<ConfigMap>(), "c", patch);
  }
};

TEST_F(KubecppApplyScenario, CreatesChangesAndLeavesAlone) {
  const std::string first = map("{a: '1', b: \"two\\nlines <&>\"}") + kDeployment;
  EXPECT_EQ(apply(first).out, two("created"));
  EXPECT_THAT(state(), HasSubstr(R"("b":"two\nlines)"));
  state("deploy/web");
  EXPECT_EQ(apply(first).out, two("unchanged"));

  change_both(R"({"data":{"other":"x"}})");
  const std::string second = map("{a: '3'}") + kDeployment;
  EXPECT_EQ(apply(second).out, "configmap/c configured\ndeployment.apps/web unchanged\n");
  EXPECT_THAT(state(), StartsWith(R"({"a":"3","other":"x"})"))
      << "what was applied before and is no more goes, what others wrote stays";
  EXPECT_EQ(apply(second).out, two("unchanged"));
  EXPECT_EQ(apply(map("{a: '4'}"), {"-o", "name"}).out, "configmap/c\n");
  change_both(R"({"data":{"a":"5"}})");
  EXPECT_EQ(apply(map("{a: '4'}")).out, "configmap/c configured\n") << "the file wins";
}

TEST_F(KubecppApplyScenario, PatchesInKubectlsWords) {
  apply(map("{a: '1', b: '2'}"));
  const auto patch = [&](const std::string& type, const std::string& text) {
    return both({"patch", "configmap", "c", "--type", type, "-p", text}).out;
  };
  EXPECT_EQ(patch("strategic", R"({"data":{"c":"3"}})"), "configmap/c patched\n");
  EXPECT_EQ(patch("merge", R"({"data":{"a":null}})"), "configmap/c patched\n");
  EXPECT_EQ(patch("json", R"([{"op":"add","path":"/data/d","value":"4"}])"),
            "configmap/c patched\n");
  EXPECT_EQ(patch("merge", R"({"data":{"b":"2"}})"), "configmap/c patched (no change)\n");
  EXPECT_THAT(state(), StartsWith(R"({"b":"2","c":"3","d":"4"})"));
  EXPECT_EQ(both({"patch", "configmap", "d", "-p", "{}"}).err,
            "Error from server (NotFound): configmaps \"d\" not found\n");
}

TEST_F(KubecppApplyScenario, DocumentsListsFoldersAndSelectors) {
  const std::string list =
      "apiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: v1, kind: ConfigMap, metadata: {name: x, labels: {app: db}}}\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: s, labels: {app: web}}}\n---\n";
  const std::string map_c = map("{a: '1'}");
  EXPECT_EQ(apply(list + map_c, {"-l", "app=web"}).out, "secret/s created\nconfigmap/c created\n");
  EXPECT_EQ(apply(list + map_c).out,
            "configmap/x created\nsecret/s unchanged\nconfigmap/c unchanged\n");
  EXPECT_EQ(apply(list, {"-l", "app=none"}).err, "no objects passed to apply\n");
  const programs::TemporaryFolder folder;
  folder.write("1.yaml", map("{}", "first"));
  folder.write("2.json", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"second"}})");
  EXPECT_EQ(both({"apply", "-f", folder.path("")}).out,
            "configmap/first created\nconfigmap/second created\n");
}

TEST_F(KubecppApplyScenario, DryRunsChangeNothing) {
  const std::string file = map("{a: '1', b: '2'}");
  EXPECT_EQ(apply(file, {"--dry-run=client"}).out, "configmap/c created (dry run)\n");
  EXPECT_EQ(apply(file, {"--dry-run=server"}).out, "configmap/c created (server dry run)\n");
  apply(file, {"--dry-run=client", "-o", "yaml"});
  apply(file + "---\n" + map("{}", "d"), {"--dry-run=client", "-o", "json"});
  EXPECT_EQ(both({"get", "cm/c"}).status, 1);
  apply(file);
  EXPECT_EQ(apply(file, {"--dry-run=client"}).out, "configmap/c unchanged (dry run)\n");
  EXPECT_EQ(apply(file, {"--dry-run=server"}).out, "configmap/c unchanged (server dry run)\n");
  const std::string changed = map("{a: '2'}");
  EXPECT_EQ(apply(changed, {"--dry-run=client"}).out, "configmap/c configured (dry run)\n");
  EXPECT_EQ(apply(changed, {"--dry-run=server"}).out, "configmap/c configured (server dry run)\n");
  EXPECT_EQ(apply(changed, {"--dry-run"}).out, "configmap/c configured (dry run)\n");
  EXPECT_THAT(state(), StartsWith(R"({"a":"1","b":"2"})"));
}

TEST_F(KubecppApplyScenario, RefusesWhatKubectlRefuses) {
  const std::string file = map("{}");
  EXPECT_EQ(apply(file, {"--force-conflicts"}).err,
            "--force-conflicts only works with --server-side\n");
  EXPECT_THAT(apply(file, {"--server-side", "--dry-run=client"}).err,
              HasSubstr("did you mean --dry-run=server instead?"));
  apply(file, {"--dry-run=perhaps"});
  apply(file, {"--validate=perhaps"});
  apply(file, {"-l", "a b c"});
  EXPECT_EQ(both({"apply", "-f", "no-such-file"}).err,
            "the path \"no-such-file\" does not exist\n");
  EXPECT_EQ(kubecpp({"apply"}).err, "kubecpp: must specify -f\n");
  const auto in_other = apply(
      "{apiVersion: v1, kind: ConfigMap, "
      "metadata: {name: c, namespace: other}}");
  EXPECT_THAT(in_other.err, HasSubstr("does not match the namespace \"NAMESPACE\""));
  EXPECT_EQ(both({"get", "cm/c"}).status, 1);
}

TEST_F(KubecppApplyScenario, ErrorsAreKubectls) {
  const std::string bad = map("{}", "BAD");
  EXPECT_THAT(apply(bad).err, StartsWith("The ConfigMap \"BAD\" is invalid: "));
  const auto several = apply(bad + "---\n" + map("{}") + "---\n" + map("{}", "ALSO_BAD"));
  EXPECT_EQ(several.out, "configmap/c created\n");
  EXPECT_THAT(several.err, StartsWith("Error from server (Invalid): error when creating \""));
  EXPECT_THAT(apply("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}").err,
              HasSubstr("no matches for kind \"Widget\" in version \"example.com/v1\"\n"
                        "ensure CRDs are installed first\n"));
  // The patch is part of the error.
  const auto patched =
      apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {app: 'not valid'}}}");
  EXPECT_EQ(patched.status, 1);
}

TEST_F(KubecppApplyScenario, UnknownFieldsAreRefusedUnlessValidationIsLess) {
  const std::string file = map("{}") + "dat: {}\n";
  const auto strict = apply(file);
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.err, HasSubstr("unknown field \"dat\""));
  EXPECT_EQ(apply(file, {"--validate"}).status, 1);
  EXPECT_THAT(apply(file, {"--validate=warn"}).err, HasSubstr("unknown field \"dat\""));
  EXPECT_EQ(apply(map("{a: '1'}") + "dat: {}\n", {"--validate=false"}).err, "");
}

TEST_F(KubecppApplyScenario, AnObjectWithoutTheAnnotationIsWarnedAbout) {
  create_both(map("{a: '1'}"));
  const Arguments arguments = {"apply", "-f", folder_.write("c.yaml", map("{a: '2'}"))};
  const auto mine = both(arguments);
  EXPECT_EQ(mine.out, "configmap/c configured\n");
  EXPECT_THAT(mine.err, StartsWith("Warning: resource configmaps/c is missing the "
                                   "kubectl.kubernetes.io/last-applied-configuration annotation "
                                   "which is required by kubectl apply. "));
  EXPECT_EQ(both(arguments).err, "") << "once";
}

TEST_F(KubecppApplyScenario, OverwriteFalseFindsConflicts) {
  apply(map("{a: '1'}"));
  change_both(R"({"data":{"a":"2"}})");
  const std::string file = folder_.write("c.yaml", map("{a: '3'}"));
  const auto refused = kubecpp({"apply", "-f", file, "--overwrite=false"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("conflict"));
  EXPECT_EQ(both({"apply", "-f", file, "--overwrite"}).out, "configmap/c configured\n");
}

TEST_F(KubecppApplyScenario, KubectlFindsNothingToChangeInWhatWeAppliedNorWeInWhatItDid) {
  if (!has_kubectl()) GTEST_SKIP() << "there is no kubectl";
  const std::string file = map("{a: '1', b: \"two\\nlines <&>\"}") + kDeployment;
  for (const bool we_first : {true, false}) {
    SCOPED_TRACE(we_first);
    EXPECT_EQ(we_first ? by_kubecpp(file) : by_kubectl(file), two("created"));
    EXPECT_EQ(by_kubectl(file), two("unchanged"));
    EXPECT_EQ(by_kubecpp(file), two("unchanged"));
    kubecpp_prints({"delete", "-f", folder_.write("both.yaml", file)});
  }
}

TEST_F(KubecppApplyScenario, ServerSideConflictsAreListedAndForced) {
  const std::string file = map("{a: '1', b: '2'}");
  const auto first = apply(file, {"--server-side"});
  if (!has(Capability::ServerSideApply)) {
    EXPECT_THAT(first.err, StartsWith("Server-side apply not available on the server: ("));
    GTEST_SKIP() << without(Capability::ServerSideApply);
  }
  EXPECT_EQ(first.out, "configmap/c serverside-applied\n");
  EXPECT_THAT(managers(), ElementsAre("kubectl Apply"));
  EXPECT_EQ(apply(map("{a: '1'}"), {"--server-side"}).out, "configmap/c serverside-applied\n");
  EXPECT_THAT(state(), StartsWith(R"({"a":"1"})"));
  EXPECT_EQ(apply(map("{a: '2'}"), {"--server-side", "--dry-run=server"}).out,
            "configmap/c serverside-applied (server dry run)\n");

  change_both(R"({"data":{"a":"9","z":"9"}})");
  const auto refused = apply(map("{a: '2', z: '2'}"), {"--server-side"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, StartsWith("Apply failed with "));
  EXPECT_THAT(refused.err, HasSubstr("Please review the fields above"));
  EXPECT_EQ(apply(map("{a: '2', z: '2'}"), {"--server-side", "--force-conflicts"}).out,
            "configmap/c serverside-applied\n");
  EXPECT_THAT(state(), StartsWith(R"({"a":"2","z":"2"})"));
  const auto other = apply(map("{a: '3'}"), {"--server-side", "--field-manager=other"});
  EXPECT_THAT(other.err, HasSubstr("conflict with \"kubectl\""));
  EXPECT_EQ(apply(map("{a: '2', b: '1'}"), {"--server-side", "--field-manager=other"}).status, 0);
  EXPECT_THAT(managers(), Contains("other Apply"));
  EXPECT_EQ(apply(file + "dat: {}\n", {"--server-side", "--force-conflicts"}).status, 1);
}

TEST_F(KubecppApplyScenario, OwnershipMovesToTheServerAndBack) {
  if (!has(Capability::ServerSideApply)) GTEST_SKIP() << without(Capability::ServerSideApply);
  apply(map("{a: '1', b: '2'}"));
  EXPECT_THAT(managers(), ElementsAre("kubectl-client-side-apply Update"));
  EXPECT_EQ(apply(map("{a: '1'}"), {"--server-side"}).out, "configmap/c serverside-applied\n");
  EXPECT_THAT(state(), StartsWith(R"({"a":"1"})")) << "what is left out goes";
  EXPECT_THAT(managers(), ElementsAre("kubectl Apply", "kubectl-last-applied Apply"));
  EXPECT_EQ(apply(map("{c: '3'}"), {"--server-side"}).out, "configmap/c serverside-applied\n");
  EXPECT_THAT(state(), StartsWith(R"({"c":"3"})"));
  EXPECT_EQ(apply(map("{d: '4'}")).out, "configmap/c configured\n");
  EXPECT_THAT(state(), StartsWith(R"({"d":"4"})")) << "back, by the annotation";
  EXPECT_EQ(apply(map("{d: '4'}")).out, "configmap/c unchanged\n");
}

TEST_F(KubecppApplyScenario, EitherProgramGoesOnWithWhatTheOtherHasAppliedOnTheServer) {
  if (!has(Capability::ServerSideApply)) GTEST_SKIP() << without(Capability::ServerSideApply);
  const Arguments by_server = {"--server-side"};
  for (const bool we_first : {true, false}) {
    SCOPED_TRACE(we_first);
    const std::string name = we_first ? "ours" : "theirs";
    const std::string done = "configmap/" + name + " serverside-applied\n";
    const std::string first = map("{a: '1', b: '2'}", name);
    EXPECT_EQ(we_first ? by_kubecpp(first) : by_kubectl(first), "configmap/" + name + " created\n");
    const std::string second = map("{a: '2'}", name);
    EXPECT_EQ(we_first ? by_kubectl(second, by_server) : by_kubecpp(second, by_server), done);
    EXPECT_EQ(we_first ? by_kubecpp(second, by_server) : by_kubectl(second, by_server), done);
    EXPECT_EQ(must(client_.api<ConfigMap>(namespace_).get(name)).data,
              (decltype(ConfigMap::data){{"a", "2"}}));
  }
}

}  // namespace
}  // namespace scenarios
