// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get` with templates, columns, sort orders and files, as people run it. The outputs are
// those of kubectl on the same server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <kube/apiserver/api_server.hpp>

#include "output_format.hpp"
#include "program.hpp"
#include "sort_order.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* kTwoPods = R"(
apiVersion: v1
kind: Pod
metadata: {name: web-10, namespace: shop, labels: {app: web, example.com/tier: front}}
spec: {nodeName: n1, priority: 5, containers: [{name: c, image: "i:1"}, {name: d, image: "i:2"}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: web-9, namespace: shop}
spec: {priority: 20, containers: [{name: c, image: "i:1"}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
)";

class GetOutputs : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_->load_text(kTwoPods)); }
  Outcome get(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {KUBECPP, "get"});
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return run(std::move(arguments));
  }
  std::string out(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.end(), {"-n", "shop"});
    const Outcome outcome = get(std::move(arguments));
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return outcome.out;
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::string path = folder_.path(name);
    std::ofstream(path) << text;
    return path;
  }
  const TemporaryFolder folder_;
  const std::unique_ptr<ApiServer> server_ = ApiServer::start().value();
};

TEST_F(GetOutputs, JsonPathPrintsTheTemplate) {
  EXPECT_EQ(out({"pods", "-o", "jsonpath={.items[*].metadata.name}"}), "web-10 web-9");
  EXPECT_EQ(out({"pod", "web-9", "-o", "jsonpath={.metadata.name}{\"\\n\"}"}), "web-9\n");
  EXPECT_EQ(
      out({"pod", "web-9", "-o", "jsonpath-file=" + file("path", "{.kind}/{.metadata.name}\n")}),
      "Pod/web-9\n");
  EXPECT_EQ(out({"pods", "x", "web-9", "-o", "jsonpath={.items[*].metadata.name}"}, 1), "web-9");
  EXPECT_EQ(out({"pods", "-o", "jsonpath={.none}"}), "");
  const Outcome missing =
      get({"pods", "-A", "-o", "jsonpath={.none}", "--allow-missing-template-keys=false"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "kubecpp: none is not found\n");
  const Outcome unreadable = get({"pods", "-o", "jsonpath-file=/no/file"});
  EXPECT_EQ(unreadable.status, 1);
  EXPECT_THAT(unreadable.err, HasSubstr("/no/file"));
}

TEST(TerminalText, KeepsTabsAndLinesOnly) {
  EXPECT_EQ(terminal_text("a\tb\n\x1b[31m\u009b\r"), "a\tb\n\\x1b[31m\\xc2\\x9b\\r");
  EXPECT_EQ(terminal_text(""), "");
}

TEST_F(GetOutputs, JP_13_JsonPathAsJsonPrintsTheResultListAsOneArray) {
  EXPECT_EQ(out({"pods", "-o", "jsonpath-as-json={.items[*].spec.priority}"}),
            "[\n    5,\n    20\n]\n");
  EXPECT_EQ(out({"pods", "-o", "jsonpath-as-json={.none}x"}), "[]\n[\n    \"x\"\n]\n");
}

TEST_F(GetOutputs, CustomColumnsAreJsonPaths) {
  EXPECT_EQ(out({"pods", "-o",
                 "custom-columns=Name:.metadata.name,IMAGES:{.spec.containers[*].image},"
                 "NODE:spec.nodeName,LABELS:.metadata.labels"}),
            "Name     IMAGES    NODE     LABELS\n"
            "web-10   i:1,i:2   n1       map[app:web example.com/tier:front]\n"
            "web-9    i:1       <none>   <none>\n");
  EXPECT_EQ(out({"pods,deploy", "--no-headers", "-o", "custom-columns=K:.kind,N:.metadata.name"}),
            "Pod          web-10\nPod          web-9\nDeployment   web\n");
  const std::string columns = file("columns", "NAME   PRIORITY\n.metadata.name .spec.priority\n");
  EXPECT_EQ(out({"pods", "-o", "custom-columns-file=" + columns}),
            "NAME     PRIORITY\nweb-10   5\nweb-9    20\n");
  EXPECT_EQ(out({"cm", "-o", "custom-columns=N:.metadata.name"}), "N\n");
}

TEST_F(GetOutputs, LabelsAndKindsAreColumnsOfTheTable) {
  EXPECT_THAT(
      out({"pods", "-L", "app,example.com/tier", "-L", "x", "--show-labels"}),
      MatchesRegex("NAME     READY   STATUS    RESTARTS   AGE   APP   TIER    X     LABELS\n"
                   "web-10   0/2 .*s    web   front         app=web,example.com/tier=front\n"
                   "web-9    0/1 .*s                        <none>\n"));
  EXPECT_THAT(out({"pods", "web-9", "--show-kind", "--no-headers"}),
              MatchesRegex("pod/web-9 .*\n"));
}

TEST_F(GetOutputs, SortsByAField) {
  EXPECT_EQ(out({"pods", "--sort-by=.metadata.name", "-o", "name"}), "pod/web-10\npod/web-9\n");
  EXPECT_EQ(out({"pods", "--sort-by={.spec.priority}", "-o", "name"}), "pod/web-10\npod/web-9\n");
  EXPECT_THAT(out({"pods", "--sort-by=spec.nodeName", "--no-headers", "--chunk-size=1"}),
              MatchesRegex("web-9 .*\nweb-10 .*\n"))
      << "what has no such field comes first";
  for (const char* output : {"name", "table"}) {
    const Outcome none = get({"pods", "-A", "--sort-by=.spec.no", "-o", output});
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(none.err,
              "kubecpp: couldn't find any field with path \"{.spec.no}\" in the list of objects\n");
    EXPECT_THAT(get({"pods", "-A", "--sort-by=.spec.containers", "-o", output}).err,
                HasSubstr("field {.spec.containers} has an unsortable type: array"));
  }
}

TEST(SortOrder, ComparesTextsByteByByteAndQuantities) {
  const auto texts =
      kube::json::parse(R"([{"q":"n2"},{"q":"n10"},{"q":"n01"},{"q":"n1x"},{"q":"n1"},)"
                        R"({"q":"10"},{"q":"9"},{"q":"\u00e9"}])");
  const auto by_text = SortOrder::parse("q").value().order(*texts->if_array(), false);
  ASSERT_TRUE(by_text) << by_text.error().to_string();
  EXPECT_THAT(*by_text, ::testing::ElementsAre(6, 5, 2, 4, 1, 3, 0, 7));
  const auto items = kube::json::parse(
      R"([{"q":"1Gi"},{"q":"900Mi"},{"q":true},{"q":7},{},{"q":null},{"q":2.5},{"q":false}])");
  const auto order = SortOrder::parse("q").value().order(*items->if_array(), false);
  ASSERT_TRUE(order) << order.error().to_string();
  EXPECT_THAT(*order, ::testing::ElementsAre(4, 5, 7, 2, 6, 3, 1, 0));
}

TEST_F(GetOutputs, IgnoreNotFoundIsSilentAboutObjectsThatDoNotExist) {
  for (const char* output : {"table", "name", "yaml", "jsonpath={.kind}"}) {
    const Outcome none = get({"pods", "x", "-n", "shop", "--ignore-not-found", "-o", output});
    EXPECT_EQ(none.status, 0) << none.err;
    EXPECT_EQ(none.out + none.err, "") << output;
    EXPECT_EQ(get({"pods", "x", "y", "--ignore-not-found", "-o", output}).out, "");
  }
  EXPECT_EQ(out({"pods", "x", "web-9", "--ignore-not-found", "-o", "name"}), "pod/web-9\n");
}

TEST_F(GetOutputs, RawPrintsTheAnswerOfAPath) {
  EXPECT_THAT(get({"--raw", "/api"}).out, HasSubstr(R"("kind":"APIVersions")"));
  EXPECT_THAT(get({"--raw", "/api/v1/namespaces/shop/pods?limit=1"}).out,
              HasSubstr(R"("continue":")"));
  EXPECT_EQ(get({"--raw", "/a b?c=d \u00fc"}).err.find("expected a URL"), std::string::npos);
  EXPECT_THAT(get({"--raw", "/api/v1/namespaces/shop/pods?labelSelector=a in (b)"}).out,
              HasSubstr(R"("items":[])"));
  const Outcome none = get({"--raw", "/api/v1/namespaces/shop/pods/x"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "Error from server (NotFound): pods \"x\" not found\n");
}

// A watch has no end, and its events are few.
TEST_F(GetOutputs, RawPrintsTheAnswerAsItArrives) {
  Program watch({KUBECPP, "get", "--raw", "/api/v1/namespaces/shop/pods?watch=true&limit=1",
                 "--server", server_->url()});
  EXPECT_TRUE(watch.prints("\"web-9\"")) << watch.err();
  watch.send(SIGTERM);
  EXPECT_EQ(watch.wait(), 130);
}

TEST_F(GetOutputs, ManagedFieldsAreShownOnRequest) {
  ASSERT_TRUE(
      server_->load_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: shop, "
                         "managedFields: [{manager: me, operation: Update, apiVersion: v1}]}}"));
  for (const char* output : {"json", "yaml"}) {
    EXPECT_THAT(out({"cm", "m", "-o", output}), Not(HasSubstr("managedFields")));
    EXPECT_THAT(out({"cm", "m", "-o", output, "--show-managed-fields"}), HasSubstr("manager"));
  }
}

TEST_F(GetOutputs, ASubresourceIsPrintedInsteadOfTheObject) {
  EXPECT_EQ(out({"deployment", "web", "--subresource=scale", "-o", "name"}),
            "scale.autoscaling/web\n");
  EXPECT_EQ(out({"deploy/web", "--subresource", "scale", "-o", "jsonpath={.kind}"}), "Scale");
  EXPECT_EQ(out({"pod", "web-9", "--subresource=status", "-o", "name"}), "pod/web-9\n");
  EXPECT_THAT(out({"pod", "web-9", "--subresource=status", "--no-headers"}),
              ::testing::StartsWith("web-9 "));
  const Outcome all = get({"pods", "--subresource=status"});
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.err, "kubecpp: subresource cannot be used when bulk resources are specified\n");
}

TEST_F(GetOutputs, FoldersInFoldersAreReadOnRequest) {
  const std::string inner = folder_.path("outer/inner");
  std::filesystem::create_directories(inner);
  std::ofstream(inner + "/pods.yaml") << kTwoPods;
  const std::string outer = folder_.path("outer");
  EXPECT_EQ(get({"-f", outer, "-o", "name"}).status, 1);
  EXPECT_THAT(get({"-Rf", outer, "-o", "name"}).out, HasSubstr("pod/web-10\npod/web-9\n"));
  EXPECT_THAT(get({"-R=true", "-f", outer, "-o", "name"}).out, HasSubstr("pod/web-9\n"));
  const Outcome described = run({KUBECPP, "describe", "-Rf", outer, "--server", server_->url()});
  EXPECT_THAT(described.out, HasSubstr("web-9")) << described.err;
}

TEST_F(GetOutputs, FilesNameTheObjects) {
  const std::string files = file("pods.yaml", kTwoPods);
  EXPECT_EQ(get({"-f", files, "-o", "name"}).out, "pod/web-10\npod/web-9\ndeployment.apps/web\n");
  EXPECT_THAT(get({"-f", files}).out, HasSubstr("\n\nNAME                  READY "));
  EXPECT_EQ(get({"-f", folder_.path("none.yaml")}).status, 1);
}

}  // namespace
}  // namespace kubecpp
