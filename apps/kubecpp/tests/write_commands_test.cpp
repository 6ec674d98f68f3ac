// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apply`, `patch` and `delete` as people run them.
#include <csignal>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/json/yaml.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";

class WriteCommands : public ::testing::Test {
 protected:
  Outcome call(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), KUBECPP);
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return run(std::move(arguments));
  }
  std::string map() const { return call({"get", "configmap", "c", "-o", "yaml"}).out; }
  Outcome apply(const std::string& text) const {
    return call({"apply", "-f", folder_.write("c.yaml", text)});
  }
  const TemporaryFolder folder_;
  const std::unique_ptr<ApiServer> server_ = ApiServer::start().value();
};

TEST_F(WriteCommands, ApplyCreatesConfiguresAndLeavesAlone) {
  const std::string first = std::string(kMap) + "data: {a: '1', b: '2'}\n";
  EXPECT_EQ(apply(first).out, "configmap/c created\n");
  EXPECT_EQ(apply(first).out, "configmap/c unchanged\n");
  // What somebody else wrote stays, what was applied before and is no more goes.
  EXPECT_EQ(call({"patch", "configmap", "c", "-p", "{data: {other: x}}"}).out,
            "configmap/c patched\n");
  const Outcome second = apply(std::string(kMap) + "data: {a: '3'}\n");
  EXPECT_EQ(second.out, "configmap/c configured\n") << second.err;
  EXPECT_THAT(map(), HasSubstr("data:\n  a: \"3\"\n  other: x\nkind:"));
}

TEST_F(WriteCommands, ApplyReadsFoldersInFoldersWhenAsked) {
  std::filesystem::create_directories(folder_.path("all/inner"));
  folder_.write("all/c.yaml", kMap);
  folder_.write("all/inner/d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n");
  const std::string all = folder_.path("all");
  EXPECT_EQ(call({"apply", "-f", all}).out, "configmap/c created\n");
  EXPECT_EQ(call({"apply", "-R", "-f", all}).out, "configmap/c unchanged\nconfigmap/d created\n");
  const Outcome same = call({"diff", "--recursive", "-f", all});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  folder_.write("all/inner/d.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {a: b}\n");
  EXPECT_EQ(call({"diff", "-f", all}).status, 0);
  EXPECT_THAT(call({"diff", "-R", "-f", all}).out, HasSubstr("+  a: b\n"));
}

TEST_F(WriteCommands, FilesMayBePatternsAndHaveNoObjects) {
  folder_.write("one-a.yaml", kMap);
  folder_.write("one-b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n");
  EXPECT_EQ(call({"apply", "-f", folder_.path("one-*.yaml")}).out,
            "configmap/c created\nconfigmap/d created\n");
  EXPECT_EQ(call({"apply", "-f", folder_.path("two-*.yaml")}).err,
            "kubecpp: the path \"" + folder_.path("two-*.yaml") + "\" does not exist\n");
  const std::string empty = folder_.write("empty.yaml", "# nothing\n---\n");
  const std::string list = folder_.write("list.yaml", "{apiVersion: v1, kind: List, items: []}\n");
  for (const std::string& file : {empty, list}) {
    EXPECT_EQ(call({"apply", "-f", file}).err, "kubecpp: no objects passed to apply\n");
    EXPECT_EQ(call({"diff", "-f", file}).status, 0);
    const Outcome deleted = call({"delete", "-f", file});
    EXPECT_EQ(deleted.status, 0) << deleted.err;
    EXPECT_EQ(deleted.out + deleted.err, "No resources found\n");
    EXPECT_EQ(call({"label", "a=b", "-f", file}).status, 0);
    EXPECT_EQ(call({"wait", "--for=condition=Ready", "-f", file}).status, 1);
    EXPECT_EQ(call({"rollout", "restart", "-f", file}).status, 0);
    EXPECT_EQ(call({"scale", "--replicas=1", "-f", file}).status, 1);
  }
}

TEST_F(WriteCommands, ApplyTakesListsDocumentsAndProtobuf) {
  const std::string list = folder_.write(
      "list.yaml",
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n"
      "  metadata: {name: team}\n- apiVersion: apps/v1\n  kind: Deployment\n"
      "  metadata: {name: d, namespace: team}\n  spec:\n    selector: {matchLabels: {a: b}}\n"
      "    template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n"
      "---\n" +
          std::string(kMap));
  const Outcome applied = call({"apply", "-f", list});
  EXPECT_EQ(applied.out, "namespace/team created\ndeployment.apps/d created\nconfigmap/c created\n")
      << applied.err;
  const std::string single = folder_.write("c.yaml", kMap);
  ASSERT_EQ(
      run({KUBECPP, "convert", single, "--to", "protobuf", "--out", folder_.path("c.pb")}).status,
      0);
  const Outcome again = call({"apply", "-f", folder_.path("c.pb")});
  EXPECT_EQ(again.out, "configmap/c unchanged\n") << again.err;
  EXPECT_EQ(call({"get", "deploy", "-n", "team", "-o", "name"}).out, "deployment.apps/d\n");
}

std::string http_answer(const std::string& status, const std::string& headers,
                        const std::string& body = {}) {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

TEST_F(WriteCommands, AFileMayBeAUrl) {
  const TcpServer server({http_answer("200 OK", "", kMap)});
  const Outcome applied =
      call({"apply", "-f", server.url() + "/c.yaml?v=1", "--token", "secret", "--as", "other"});
  EXPECT_EQ(applied.out, "configmap/c created\n") << applied.err;
  // The credentials of the cluster are not for the server of a URL.
  ASSERT_EQ(server.requests().size(), 1U);
  const std::string request = server.requests().front();
  EXPECT_THAT(request, ::testing::StartsWith("GET /c.yaml?v=1 HTTP/1.1\r\n"));
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
  EXPECT_THAT(request, Not(HasSubstr("Impersonate")));
  EXPECT_EQ(call({"get", "-f", server.url(), "-o", "name"}).out, "configmap/c\n");
  EXPECT_EQ(call({"delete", "-f", server.url()}).out,
            "configmap \"c\" deleted from default namespace\n");
}

// To another server, whose path is relative the second time.
TEST_F(WriteCommands, AUrlMayBeRedirected) {
  const TcpServer target(
      {http_answer("307 Moved", "Location: c.yaml\r\n"), http_answer("200 OK", "", kMap)});
  const TcpServer server({http_answer("302 Found", "Location: " + target.url() + "/a/b\r\n")});
  EXPECT_EQ(call({"apply", "-f", server.url()}).out, "configmap/c created\n");
  const TcpServer circle({http_answer("301 Moved", "Location: /again\r\n")});
  EXPECT_EQ(call({"apply", "-f", circle.url() + "/x"}).err,
            "kubecpp: unable to read URL \"" + circle.url() +
                "/again\": expected at most ten redirects in a row\n");
}

TEST_F(WriteCommands, AUrlThatCannotBeReadIsNamedWithoutItsSecrets) {
  const TcpServer none({http_answer("404 Not Found", "", "nothing")});
  const Outcome missing = call({"apply", "-f", none.url() + "/c.yaml?token=secret"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "kubecpp: unable to read URL \"" + none.url() +
                             "/c.yaml\": expected the status 200, found 404\n");
  const Outcome wrong = call({"apply", "-f", "http://"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("unable to read URL"));
  const TcpServer no_yaml({http_answer("200 OK", "", "{")});
  EXPECT_THAT(call({"apply", "-f", no_yaml.url() + "/c.yaml"}).err,
              HasSubstr(no_yaml.url() + "/c.yaml: "));
}

TEST_F(WriteCommands, AUrlIsRetriedWhenItsServerFails) {
  const TcpServer server({http_answer("503 Unavailable", ""), http_answer("200 OK", "", kMap)});
  EXPECT_EQ(call({"apply", "-f", server.url()}).out, "configmap/c created\n");
}

TEST_F(WriteCommands, AFolderStandsForItsFilesByName) {
  std::filesystem::create_directories(folder_.path("objects/more"));
  const auto map = [](const std::string& name) {
    return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}}";
  };
  folder_.write("objects/b.yaml", map("second"));
  folder_.write("objects/c.json",
                R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"third"}})");
  folder_.write("objects/a.yml", map("first"));
  folder_.write("objects/notes.txt", "no object");
  folder_.write("objects/more/d.yaml", map("deeper"));
  const std::string objects = folder_.path("objects");
  EXPECT_EQ(call({"apply", "-f", objects}).out,
            "configmap/first created\nconfigmap/second created\nconfigmap/third created\n");
  EXPECT_EQ(call({"delete", "-f", objects, "-o", "name"}).out,
            "configmap/first\nconfigmap/second\nconfigmap/third\n");

  folder_.write("objects/b.yaml", "{");
  const Outcome broken = call({"apply", "-f", objects});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.err, HasSubstr("kubecpp: " + objects + "/b.yaml: "));
  std::filesystem::create_directories(folder_.path("empty"));
  for (const char* command : {"apply", "delete"}) {
    const Outcome empty = call({command, "-f", folder_.path("empty")});
    EXPECT_EQ(empty.status, 1);
    EXPECT_EQ(empty.err, "kubecpp: error reading [" + folder_.path("empty") +
                             "]: recognized file extensions are [.json .yaml .yml]\n");
  }
}

TEST_F(WriteCommands, ShortOptionsTakeTheirValuesBehindAnEqualsSign) {
  const std::string file = folder_.write("c.yaml", kMap);
  EXPECT_EQ(call({"apply", "-f=" + file, "-n=default", "-o=name"}).out, "configmap/c\n");
  EXPECT_EQ(call({"patch", "cm/c", "-p={data: {a: b=c}}", "-oname"}).out, "configmap/c\n");
  EXPECT_THAT(map(), HasSubstr("  a: b=c\n"));
  EXPECT_EQ(call({"delete", "-f=" + file, "-o=name"}).out, "configmap/c\n");
}

TEST_F(WriteCommands, ApplyKnowsKindsThatItHasJustMade) {
  const std::string file = folder_.write("w.yaml", R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 3}
)");
  const Outcome applied = call({"apply", "-f", file});
  EXPECT_THAT(applied.out, HasSubstr("widget.example.com/w created\n")) << applied.err;
  const Outcome again = call({"apply", "-f", file});
  EXPECT_THAT(again.out, HasSubstr("widget.example.com/w unchanged\n")) << again.err;
}

TEST_F(WriteCommands, ApplyGoesOnBehindWhatFails) {
  const Outcome outcome =
      apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: BAD}\n---\n" + std::string(kMap));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "configmap/c created\n");
  EXPECT_THAT(outcome.err, HasSubstr("The ConfigMap \"BAD\" is invalid: metadata.name: "));
  const std::string one =
      folder_.write("one.yaml", "{kind: ConfigMap, apiVersion: v1, metadata: {name: BAD}}");
  const Outcome input =
      run({"/bin/sh", "-c",
           KUBECPP " apply -f - -f " + one + " --server " + server_->url() + " < " + one});
  EXPECT_THAT(input.err, HasSubstr("Error from server (Invalid): error when creating \"STDIN\": "));
  EXPECT_THAT(input.err, HasSubstr("Error from server (Invalid): error when creating \"" + one));

  const Outcome strict = apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndat: {}\n");
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.err, HasSubstr("strict decoding error: unknown field \"dat\""));

  const Outcome other = call({"apply", "-n", "other", "-f",
                              folder_.write("n.yaml",
                                            "apiVersion: v1\nkind: ConfigMap\n"
                                            "metadata: {name: c, namespace: default}\n")});
  EXPECT_THAT(other.err, HasSubstr("does not match the namespace \"other\""));
  EXPECT_NE(other.status, 0);
}

TEST_F(WriteCommands, PatchesInThreeWays) {
  ASSERT_EQ(apply(std::string(kMap) + "data: {a: '1'}\n").status, 0);
  EXPECT_EQ(call({"patch", "cm/c", "-p", R"({"data":{"b":"2"}})"}).out, "configmap/c patched\n");
  EXPECT_EQ(call({"patch", "cm/c", "--type", "merge", "-p", R"({"data":{"a":null}})"}).out,
            "configmap/c patched\n");
  EXPECT_EQ(call({"patch", "cm", "c", "--type", "json", "-p",
                  R"([{"op":"add","path":"/data/d","value":"4"}])"})
                .out,
            "configmap/c patched\n");
  EXPECT_THAT(map(), HasSubstr("data:\n  b: \"2\"\n  d: \"4\"\nkind:"));
  EXPECT_EQ(call({"patch", "cm/c", "-p", R"({"data":{"b":"2"}})"}).out,
            "configmap/c patched (no change)\n");

  const Outcome missing = call({"patch", "cm/x", "-p", "{}"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "Error from server (NotFound): configmaps \"x\" not found\n");
  EXPECT_EQ(call({"patch", "cm/c", "-p", "["}).status, 1);
  EXPECT_EQ(call({"patch", "cm/c", "--type", "json", "-p", "{}"}).status, 1);
  EXPECT_EQ(call({"patch", "cm/c"}).status, 1);
  EXPECT_EQ(call({"patch", "cm", "-p", "{}"}).status, 1);
}

TEST_F(WriteCommands, DeletesByNameAndByFile) {
  ASSERT_EQ(apply(kMap).status, 0);
  EXPECT_EQ(call({"delete", "cm", "c"}).out, "configmap \"c\" deleted from default namespace\n");
  EXPECT_THAT(map(), IsEmpty());
  const Outcome missing = call({"delete", "cm/c"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "Error from server (NotFound): configmaps \"c\" not found\n");
  EXPECT_EQ(call({"delete", "cm/c", "--ignore-not-found"}).status, 0);

  const std::string file = folder_.write(
      "two.yaml", std::string(kMap) + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
  ASSERT_EQ(apply("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n").status, 0);
  const Outcome files = call({"delete", "-f", file});
  EXPECT_EQ(files.status, 1);
  EXPECT_EQ(files.out, "secret \"s\" deleted from default namespace\n")
      << "the one behind what failed";
  EXPECT_EQ(files.err, "Error from server (NotFound): error when deleting \"" + file +
                           "\": configmaps \"c\" not found\n");

  EXPECT_EQ(call({"delete", "cm"}).status, 1);
  EXPECT_EQ(call({"delete"}).status, 1);
  EXPECT_EQ(call({"delete", "cm", "c", "-f", file}).status, 1);
}

TEST_F(WriteCommands, DeletesAndPatchesSeveral) {
  const std::string secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
  ASSERT_EQ(apply(std::string(kMap) + "---\n" + secret).status, 0);
  const Outcome patched =
      call({"patch", "cm/x", "cm/c", "secret/s", "-p", "{metadata: {labels: {a: b}}}"});
  EXPECT_EQ(patched.status, 1);
  EXPECT_EQ(patched.out, "configmap/c patched\nsecret/s patched\n");
  EXPECT_EQ(patched.err, "Error from server (NotFound): configmaps \"x\" not found\n");

  const Outcome whole =
      call({"patch", "cm/c", "secret/s", "-p", "{metadata: {labels: {a: c}}}", "-o", "yaml"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  const auto list = kube::yaml::parse(whole.out);
  ASSERT_TRUE(list) << whole.out;
  EXPECT_EQ(list->at_path({"items"})->if_array()->size(), 2U) << "one document, which apply takes";

  const Outcome deleted = call({"delete", "cm,secret", "c", "s", "-o", "name"});
  EXPECT_EQ(deleted.status, 1);
  EXPECT_EQ(deleted.out, "configmap/c\nsecret/s\n");
  EXPECT_EQ(deleted.err,
            "Error from server (NotFound): configmaps \"s\" not found\n"
            "Error from server (NotFound): secrets \"c\" not found\n");
  EXPECT_EQ(call({"delete", "cm/c", "secret/s", "--ignore-not-found"}).status, 0);

  ASSERT_EQ(apply("apiVersion: v1\nkind: Namespace\nmetadata: {name: gone}\n").status, 0);
  EXPECT_EQ(call({"delete", "ns", "gone"}).out, "namespace \"gone\" deleted\n");
}

TEST_F(WriteCommands, WaitForCreationWaitsForEachName) {
  apply(kMap);
  const Outcome late = call({"wait", "--for=create", "cm/c", "cm/nosuch", "--timeout=1s"});
  EXPECT_EQ(late.status, 1);
  EXPECT_EQ(late.out, "");
  EXPECT_EQ(late.err, "kubecpp: timed out waiting for the condition\n");
  EXPECT_EQ(call({"wait", "--for=create", "cm/x", "cm/y", "--timeout=0"}).status, 1);
  Program wait({KUBECPP, "wait", "--for=create", "cm/c", "cm/late", "--timeout=1m", "--server",
                server_->url()});
  ASSERT_TRUE(server_->load_text(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: late, namespace: default}\n"));
  EXPECT_EQ(wait.wait(), 0) << wait.err();
  EXPECT_EQ(wait.out(), "configmap/c condition met\nconfigmap/late condition met\n");
}

// kubectl handles the signals while it waits, and exits with 1.
TEST_F(WriteCommands, ASignalEndsAWaitWithOne) {
  apply(std::string(kMap) + "data: {a: '1'}\n");
  ASSERT_EQ(call({"patch", "cm", "c", "-p", "{metadata: {finalizers: [example.com/f]}}"}).status,
            0);
  Program deletion({KUBECPP, "delete", "cm", "c", "--server", server_->url()});
  ASSERT_TRUE(deletion.prints("deleted from"));
  deletion.send(SIGINT);
  EXPECT_EQ(deletion.wait(), 1);
  Program wait({KUBECPP, "wait", "--for=create", "--for=jsonpath={.data.a}=2", "cm/c", "--server",
                server_->url(), "--timeout=1m"});
  ASSERT_TRUE(wait.prints("configmap/c condition met"));
  wait.send(SIGTERM);
  EXPECT_EQ(wait.wait(), 1);
}

TEST_F(WriteCommands, PrintWhatHasBecomeOfObjects) {
  const std::string file = folder_.write("c.yaml", std::string(kMap) + "data: {a: '1'}\n");
  EXPECT_EQ(call({"apply", "-f", file, "-o", "name"}).out, "configmap/c\n");
  const Outcome yaml = call({"apply", "-f", file, "-o", "yaml"});
  EXPECT_EQ(yaml.status, 0) << yaml.err;
  EXPECT_THAT(yaml.out,
              HasSubstr("apiVersion: v1\ndata:\n  a: \"1\"\nkind: ConfigMap\nmetadata:\n"));
  EXPECT_EQ(yaml.out, map()) << "managed fields are not shown";
  const std::string two = folder_.write(
      "two.yaml", std::string(kMap) + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
  const Outcome json = call({"apply", "-f", two, "-o", "json"});
  EXPECT_THAT(
      json.out,
      HasSubstr("{\n    \"kind\": \"List\",\n    \"apiVersion\": \"v1\",\n    \"metadata\": "
                "{},\n    \"items\": [\n        {\n"));

  const std::string change = "{data: {b: '2'}}";
  EXPECT_THAT(call({"patch", "cm/c", "-p", change, "-o", "yaml"}).out,
              HasSubstr("data:\n  b: \"2\"\nkind: ConfigMap\n"));
  EXPECT_THAT(call({"patch", "cm/c", "-p", change, "-o", "json"}).out,
              HasSubstr("    \"data\": {\n        \"b\": \"2\"\n    },\n"));
  EXPECT_EQ(call({"patch", "cm/c", "-p", change, "-o", "name"}).out, "configmap/c\n");
  EXPECT_EQ(call({"delete", "-f", file, "-o", "name"}).out, "configmap/c\n");
  EXPECT_EQ(call({"delete", "cm/c", "-o", "yaml"}).status, 1);

  const Outcome failed =
      call({"apply", "-o", "yaml", "-f",
            folder_.write("bad.yaml", std::string(kMap) + "---\napiVersion: v1\nkind: "
                                                          "ConfigMap\nmetadata: {name: BAD}\n")});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.out, IsEmpty());
}

}  // namespace
}  // namespace kubecpp
