// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get` as people run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kObjects = R"(
apiVersion: v1
kind: Pod
metadata: {name: front, namespace: default, labels: {app: web}}
spec: {nodeName: n1, containers: [{name: c, image: i}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: back-office, namespace: kube-system}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
)";

// What an API server with nothing but pods answers, the last answer being that for them.
std::vector<std::string> answers_with(std::string pods) {
  std::vector<std::string> answers = {
      R"({"kind":"APIVersions","versions":["v1"]})",
      R"({"kind":"APIGroupList","apiVersion":"v1","groups":[]})",
      R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
      R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
      R"("verbs":["get","list"]}]})",
      std::move(pods)};
  for (std::string& answer : answers) {
    answer.insert(0, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                         std::to_string(answer.size()) + "\r\nConnection: close\r\n\r\n");
  }
  return answers;
}

class GetCommand : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_->load_text(kObjects)); }
  Outcome get(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {KUBECPP, "get"});
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return run(std::move(arguments));
  }
  const std::unique_ptr<ApiServer> server_ = ApiServer::start().value();
};

TEST(TablePrinter, ColumnsAreThreeSpacesApartAndTheLastIsNotPadded) {
  const auto table = kube::json::parse(R"({
    "columnDefinitions":[{"name":"Name","priority":0},{"name":"N","priority":0},
                         {"name":"Node","priority":1},{"name":"Age","priority":0}],
    "rows":[{"cells":["a-long-name",1,"n\u00e4",null],"object":{"metadata":{"namespace":"x"}}},
            {"cells":["b",22,"two\nlines","3d"],"object":{"metadata":{"namespace":"y"}}}]})");
  ASSERT_TRUE(table);
  TablePrinter narrow({});
  narrow.add(*table);
  EXPECT_EQ(narrow.take_text(),
            "NAME          N     AGE\n"
            "a-long-name   1     \n"
            "b             22    3d\n");
  TablePrinter wide({.wide = true, .with_namespace = true, .headers = false});
  wide.add(*table);
  const std::string text = wide.take_text();
  EXPECT_THAT(text, HasSubstr("two...   3d\n"));
  EXPECT_THAT(text, HasSubstr("nä       \n"));
  EXPECT_THAT(text, Not(HasSubstr("NAME")));
}

TEST(TablePrinter, EscapesWhatATerminalObeysEverywhere) {
  const auto table = kube::json::parse(R"({
    "columnDefinitions":[{"name":"Na\u001b[1mme","priority":0},{"name":"b\u0007\n","priority":0}],
    "rows":[{"cells":["x\u001b]0;t\u0007","\u009b2J\u007f"],
             "object":{"metadata":{"namespace":"n\u001b[2J\r"}}},
            {"cells":["y",{"a":"\u009b"}],"object":{"metadata":{"namespace":"n"}}}]})");
  ASSERT_TRUE(table);
  TablePrinter printer({.with_namespace = true});
  printer.add(*table);
  EXPECT_EQ(printer.take_text("pod/"),
            "NAMESPACE   NA^[[1MME         B\\x07...\n"
            "n^[[2J...   pod/x^[]0;t\\x07   \\xc2\\x9b2J\\x7f\n"
            "n           pod/y             {\"a\":\"\\xc2\\x9b\"}\n");
}

TEST_F(GetCommand, PrintsTheServersColumns) {
  const Outcome pods = get({"pods"});
  EXPECT_EQ(pods.status, 0) << pods.err;
  EXPECT_THAT(pods.out, MatchesRegex("NAME    READY   STATUS    RESTARTS   AGE\n"
                                     "front   0/1     Running   0          [0-9]+s\n"));
  EXPECT_EQ(get({"po"}).out.substr(0, 4), "NAME");
  EXPECT_THAT(get({"pods", "--no-headers"}).out, MatchesRegex("front .*\n"));

  const Outcome wide = get({"pods", "-A", "-o", "wide"});
  EXPECT_THAT(wide.out, HasSubstr("NAMESPACE     NAME          READY   STATUS "));
  EXPECT_THAT(wide.out, HasSubstr(" NODE "));
  EXPECT_THAT(wide.out, HasSubstr("\ndefault       front         0/1 "));
  EXPECT_THAT(wide.out, HasSubstr("\nkube-system   back-office   0/1 "));

  EXPECT_THAT(get({"deployments/web", "-o", "table"}).out, HasSubstr("UP-TO-DATE"));
  EXPECT_THAT(get({"namespaces", "-A"}).out, Not(HasSubstr("NAMESPACE"))) << "they are in none";
}

TEST_F(GetCommand, SelectsAndNames) {
  EXPECT_EQ(get({"pods", "-A", "-o", "name", "-l", "app=web"}).out, "pod/front\n");
  EXPECT_EQ(get({"pods", "-A", "-o", "name", "--field-selector", "metadata.name=back-office"}).out,
            "pod/back-office\n");
  EXPECT_EQ(get({"deploy", "web", "-o", "name"}).out, "deployment.apps/web\n");
  EXPECT_EQ(get({"pods", "-n", "kube-system", "-o", "name"}).out, "pod/back-office\n");
}

TEST_F(GetCommand, PrintsObjectsByTheNamesOfTheirMembers) {
  const Outcome yaml = get({"pod", "front", "-o", "yaml"});
  EXPECT_EQ(yaml.status, 0) << yaml.err;
  EXPECT_THAT(yaml.out, HasSubstr("apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: "));
  EXPECT_THAT(yaml.out, HasSubstr("\n  nodeName: n1\n"));
  EXPECT_THAT(yaml.out, Not(HasSubstr("managedFields")));
  const Outcome json = get({"pods", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        {\n"
                                  "            \"apiVersion\": \"v1\",\n"
                                  "            \"kind\": \"Pod\",\n"));
  EXPECT_THAT(json.out, HasSubstr("    \"kind\": \"List\",\n    \"metadata\": {\n"
                                  "        \"resourceVersion\": \"\"\n    }\n}\n"));
}

TEST_F(GetCommand, SaysWhatThereIsNotInKubectlsWords) {
  const Outcome none = get({"configmaps"});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_EQ(none.err, "No resources found in default namespace.\n");
  EXPECT_EQ(get({"configmaps", "-A"}).err, "No resources found\n");

  const Outcome missing = get({"pods", "x"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "Error from server (NotFound): pods \"x\" not found\n");
  const Outcome unknown = get({"nosuch"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("the server doesn't have a resource type \"nosuch\""));
}

TEST_F(GetCommand, ShortOptionsTakeTheirValuesBehindAnEqualsSign) {
  EXPECT_EQ(get({"pods", "-l=app=web", "-o=name", "-n=default"}).out, "pod/front\n");
  EXPECT_EQ(get({"pods", "-Ao=name"}).out, "pod/front\npod/back-office\n");
  // A value is taken as it is.
  EXPECT_THAT(get({"pods", "-l", "-o=name"}).err, HasSubstr("--selector: "));
  EXPECT_THAT(get({"pods", "--selector", "-o=name"}).err, HasSubstr("--selector: "));
  EXPECT_THAT(get({"pods", "-o="}).err, HasSubstr("output format \"\""));
  const Outcome words = get({"-o=name", "--", "-o=x"});
  EXPECT_NE(words.status, 0);
  EXPECT_THAT(words.err, HasSubstr("-o=x"));
}

TEST_F(GetCommand, ACategoryIsAllOfItsResources) {
  const std::string two =
      "NAME        READY .*\npod/front   0/1 .*\n\n"
      "NAME                  READY .*\ndeployment.apps/web   0/1 .*\n";
  const Outcome all = get({"all"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_THAT(all.out, MatchesRegex(two));
  EXPECT_THAT(get({"pods,all"}).out, MatchesRegex(two)) << "nothing twice";
  EXPECT_EQ(get({"all", "-A", "-o", "name"}).out,
            "pod/front\npod/back-office\nservice/kubernetes\ndeployment.apps/web\n");
  const Outcome none = get({"all", "-n", "other"});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.err, "No resources found in other namespace.\n");
  const Outcome named = get({"all/front"});
  EXPECT_EQ(named.status, 1);
  EXPECT_THAT(named.err, HasSubstr("the server doesn't have a resource type \"all\""));
}

TEST_F(GetCommand, FromTheFirstNamespacedResourceOnAllTablesHaveTheNamespace) {
  ASSERT_TRUE(server_->load_text("{apiVersion: v1, kind: Node, metadata: {name: n1}}"));
  EXPECT_THAT(get({"deploy,nodes", "-A"}).out,
              MatchesRegex("NAMESPACE   NAME .*\ndefault     deployment.apps/web .*\n\n"
                           "NAMESPACE   NAME .*\n            node/n1 .*\n"));
  EXPECT_THAT(get({"nodes,deploy", "-A"}).out,
              MatchesRegex("NAME .*\nnode/n1 .*\n\n"
                           "NAMESPACE   NAME .*\ndefault     deployment.apps/web .*\n"));
}

TEST_F(GetCommand, PrintsATableForEachOfSeveralResources) {
  const std::string two =
      "NAME        READY   STATUS    RESTARTS   AGE\n"
      "pod/front   0/1     Running   0          [0-9]+s\n"
      "\n"
      "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
      "deployment.apps/web   0/1     0            0           [0-9]+s\n";
  for (const std::vector<std::string>& call : {std::vector<std::string>{"po,deploy"},
                                               {"pods,po,configmaps,deploy"},
                                               {"pod/front", "deploy/web"}}) {
    const Outcome outcome = get(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, MatchesRegex(two));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
  EXPECT_THAT(get({"po,deploy", "--no-headers"}).out,
              MatchesRegex("pod/front .*s\ndeployment.apps/web .*s\n"));
  EXPECT_THAT(get({"po,deploy", "-A"}).out, HasSubstr("\nkube-system   pod/back-office   0/1 "));
  EXPECT_EQ(get({"po,deploy", "-A", "-o", "name"}).out,
            "pod/front\npod/back-office\ndeployment.apps/web\n");
  EXPECT_EQ(get({"configmaps,secrets"}).err, "No resources found in default namespace.\n");
  EXPECT_EQ(get({"configmaps,nodes"}).err, "No resources found\n");
}

TEST_F(GetCommand, WhatIsNotThereKeepsNothingElseFromBeingPrinted) {
  const Outcome names = get({"pods", "x", "front", "y"});
  EXPECT_EQ(names.status, 1);
  EXPECT_THAT(names.out, MatchesRegex("NAME    READY .*\nfront   0/1 .*s\n"));
  EXPECT_EQ(names.err,
            "Error from server (NotFound): pods \"x\" not found\n"
            "Error from server (NotFound): pods \"y\" not found\n");

  const Outcome words = get({"po,deploy", "front", "web", "-o", "name"});
  EXPECT_EQ(words.status, 1);
  EXPECT_EQ(words.out, "pod/front\ndeployment.apps/web\n");
  EXPECT_EQ(words.err,
            "Error from server (NotFound): pods \"web\" not found\n"
            "Error from server (NotFound): deployments.apps \"front\" not found\n");

  const Outcome list = get({"pod/front", "pod/x", "-o", "yaml"});
  EXPECT_EQ(list.status, 1);
  EXPECT_THAT(list.out, HasSubstr("apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n"));
  const Outcome single = get({"pod/x", "-o", "yaml"});
  EXPECT_EQ(single.status, 1);
  EXPECT_THAT(single.out, IsEmpty());

  const Outcome unknown = get({"pods,nosuch"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.out, IsEmpty()) << "nothing is asked for before all of it is known";
}

TEST(GetFromABrokenServer, SaysWhatWasAskedFor) {
  for (const char* output : {"table", "yaml"}) {
    const TcpServer server(answers_with(R"({"kind":"Table",)"));
    const Outcome outcome = run({KUBECPP, "get", "pods", "-o", output, "--server", server.url()});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, StartsWith("kubecpp: list pods in namespace \"default\": "));
    EXPECT_EQ(outcome.err.find("list pods"), outcome.err.rfind("list pods")) << outcome.err;
  }
}

TEST(GetFromABrokenServer, NeitherARefusalNorANullIsAnObject) {
  const std::vector<std::pair<std::string, std::string>> answers = {
      {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"nope",)"
       R"("reason":"Forbidden","code":403})",
       "Error from server (Forbidden): nope"},
      {"null", "expected an object, found null"},
      {R"({"apiVersion":"v1","metadata":{}})", "found an object without a kind"},
  };
  for (const auto& [answer, complaint] : answers) {
    for (const std::vector<std::string>& which : {std::vector<std::string>{}, {"front"}}) {
      const TcpServer server(answers_with(answer));
      std::vector<std::string> call = {KUBECPP, "get", "pods"};
      call.insert(call.end(), which.begin(), which.end());
      call.insert(call.end(), {"--server", server.url()});
      const Outcome outcome = run(call);
      EXPECT_EQ(outcome.status, 1) << answer;
      EXPECT_EQ(outcome.out, "") << answer;
      EXPECT_THAT(outcome.err, HasSubstr(complaint));
    }
  }
}

TEST(GetFromABrokenServer, AListWithoutItemsIsAnEmptyOne) {
  for (const char* items : {R"(,"items":null)", ""}) {
    const std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{})";
    for (const char* output : {"table", "json"}) {
      const TcpServer server(answers_with(list + items + "}"));
      const Outcome outcome = run({KUBECPP, "get", "pods", "-o", output, "--server", server.url()});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      if (output == std::string("table")) {
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err, "No resources found in default namespace.\n");
      } else {
        EXPECT_THAT(outcome.out, HasSubstr(R"("items": [])"));
      }
    }
  }
}

TEST(GetFromABrokenServer, NoFormForPeopleLetsATerminalObey) {
  for (const char* output : {"name", "table", "wide", "yaml", "json"}) {
    const TcpServer fresh(
        answers_with(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)"
                     R"({"metadata":{"name":"a\u001b[31m\nb\u009bc","namespace":"n\u0007"}}]})"));
    const Outcome outcome =
        run({KUBECPP, "get", "pods", "-A", "-o", output, "--server", fresh.url()});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("[31m")) << output;
    for (const char* raw : {"\x1b", "\x07", "\u009b"}) {
      EXPECT_THAT(outcome.out, Not(HasSubstr(raw))) << output;
    }
  }
}

TEST_F(GetCommand, WrongCallsAreFailures) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{}, "resource"},
      {{"--raw", "/version", "pods"}, "arguments may not be passed when --raw is specified"},
      {{"--raw", "version"}, "--raw must be a valid URL path"},
      {{"-f", "x", "pods"}, "you may not specify resource arguments as well"},
      {{"pods", "-o", "jsonpath="}, "template format specified but no template given"},
      {{"pods", "-o", "jsonpath={.a"},
       "kubecpp: error parsing jsonpath {.a, offset 3: unclosed action"},
      {{"pods", "-o", "go-template={{.kind}}"}, "templates of Go are not supported"},
      {{"pods", "-o", "custom-columns"}, "no custom columns given"},
      {{"pods", "-o", "custom-columns=A"},
       "kubecpp: unexpected custom-columns spec: A, expected <header>:<json-path-expr>"},
      {{"pods", "-o", "name=x"}, "expected name without an argument"},
      {{"pods", "--sort-by", "{{a}"}, "unexpected path string"},
      {{"pods", "--show-labels", "-o", "yaml"}, "cannot be used with yaml printer"},
      {{"pods,deploy", "-w"}, "you may only specify a single resource type"},
      {{"pods", "--output-watch-events"}, "can only be used with --watch or --watch-only"},
      {{"pods", "--chunk-size", "-1"}, "--chunk-size"},
      {{"pods", "-o", "xml"}, "kubecpp: unable to match a printer suitable for the output"},
      {{"pods", "front", "-A"}, "cannot be retrieved by name across all namespaces"},
      {{"pods", "front", "-l", "a=b"}, "name cannot be provided when a selector is specified"},
      {{"pods/front", "back"}, "there is no need to specify a resource type as a separate"},
      {{"po", "a", "svc/b"},
       "in resource/name form (e.g. pod/web instead of pod pod/web), found \"po\""},
      {{"pods,services/front"}, "must have a single resource and name"},
      {{"pods/a/b"}, "may not have more than one slash"},
      {{"pods/"}, "resource/name form"},
      {{"pods", "-n", "BAD NS"}, "--namespace \"BAD NS\": "},
      {{"pods", "-l", "a in b"}, "--selector: "},
      {{"pods", "--field-selector", "a"}, "--field-selector: "},
  };
  for (const auto& [arguments, expected] : calls) {
    const Outcome outcome = get(arguments);
    EXPECT_EQ(outcome.status, 1) << expected;
    EXPECT_THAT(outcome.err, HasSubstr(expected));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

}  // namespace
}  // namespace kubecpp
