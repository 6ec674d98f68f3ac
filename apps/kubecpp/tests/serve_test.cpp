// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp serve`: a cluster's resources from a cache, for kubecpp as for other clients.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <latch>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/testing/eventually.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kCluster = R"(
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web, labels: {app: web}},
 spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: other, labels: {app: db}},
 spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,
 metadata: {name: widgets.example.com},
 spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget},
        versions: [{name: v1, served: true, storage: true,
          additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}],
          schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: web}, spec: {size: 7}}
)";

class ServeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_ = kube::apiserver::ApiServer::start().value();
    ASSERT_TRUE(cluster_->load_text(kCluster));
  }
  /// Starts it, waits until it is ready, and returns its URL.
  std::string start(std::vector<std::string> arguments) {
    std::vector<std::string> all = {KUBECPP, "serve", "--server", cluster_->url()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    serve_ = std::make_unique<Program>(all);
    EXPECT_TRUE(serve_->prints("\n")) << serve_->err();
    const std::string line = serve_->out();
    return line.substr(8, line.find('\n') - 8);  // after "serving "
  }
  /// The output of a get that succeeds; before the cache has synced it fails.
  static std::string get(const std::string& url, std::vector<std::string> arguments) {
    std::vector<std::string> all = {KUBECPP, "get", "--server", url};
    all.insert(all.end(), arguments.begin(), arguments.end());
    Outcome outcome = run(all);
    for (int again = 0; again < 50 && outcome.status != 0; ++again) outcome = run(all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  std::unique_ptr<kube::apiserver::ApiServer> cluster_;
  std::unique_ptr<Program> serve_;
};

TEST_F(ServeCommand, AnswersForTheNamedResourcesUntilItIsStopped) {
  const std::string url = start({"pods", "widgets"});
  EXPECT_THAT(get(url, {"pods", "-A", "-o", "name"}), "pod/b\npod/a\n");
  EXPECT_THAT(get(url, {"pods", "-A", "-l", "app=web", "-o", "name"}), "pod/a\n");
  EXPECT_THAT(get(url, {"widgets", "-n", "web"}), HasSubstr("NAME   SIZE\nw      7"));
  EXPECT_THAT(run({KUBECPP, "get", "services", "--server", url}).err,
              HasSubstr("the server doesn't have a resource type \"services\""));
  EXPECT_EQ(cluster_->statistics().watchers, 2U);
  serve_->send(SIGTERM);
  EXPECT_EQ(serve_->wait(), 0);
}

TEST_F(ServeCommand, NamespacesLimitWhatIsCached) {
  const std::string url = start({"pods", "-n", "web"});
  EXPECT_EQ(get(url, {"pods", "-n", "web", "-o", "name"}), "pod/a\n");
  EXPECT_THAT(run({KUBECPP, "get", "pods", "-A", "--server", url}).err,
              HasSubstr("this cache has the objects of these namespaces only: web"));
}

TEST_F(ServeCommand, WritesNeedAllowWrites) {
  const std::string url = start({"pods"});
  static_cast<void>(get(url, {"pods", "-A"}));
  const Outcome refused = run({KUBECPP, "delete", "pod", "a", "-n", "web", "--server", url});
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr("start it with --allow-writes"));
  serve_.reset();
  const std::string writable = start({"pods", "--allow-writes"});
  static_cast<void>(get(writable, {"pods", "-A"}));
  const Outcome allowed = run({KUBECPP, "delete", "pod", "a", "-n", "web", "--server", writable});
  EXPECT_EQ(allowed.status, 0) << allowed.err;
}

TEST_F(ServeCommand, AllIsWhatCanBeCachedAndSecretsHaveToBeNamed) {
  const auto names = [](const std::string& url) {
    std::set<std::string> out;
    std::istringstream lines(
        run({KUBECPP, "api-resources", "-o", "name", "--verbs=list,watch", "--server", url}).out);
    for (std::string line; std::getline(lines, line);) out.insert(line);
    return out;
  };
  std::set<std::string> expected = names(cluster_->url());
  EXPECT_EQ(expected.erase("secrets"), 1U);
  EXPECT_TRUE(expected.contains("widgets.example.com"));
  const std::string url = start({"--all"});
  EXPECT_EQ(names(url), expected);
  EXPECT_THAT(get(url, {"widgets", "-n", "web"}), HasSubstr("NAME   SIZE\nw      7"));
  EXPECT_THAT(run({KUBECPP, "get", "secrets", "--server", url}).err,
              HasSubstr("the server doesn't have a resource type \"secrets\""));
  serve_.reset();
  expected.insert("secrets");
  EXPECT_EQ(names(start({"secrets,pods", "--all"})), expected);
}

TEST_F(ServeCommand, AllNamesTheGroupsThatAreDown) {
  const auto aggregated = [](const std::string& items) {
    const std::string body = R"({"kind":"APIGroupDiscoveryList","items":[)" + items + "]}";
    return "HTTP/1.1 200 OK\r\nContent-Type: "
           "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
  };
  const std::string core = aggregated(
      R"({"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[)"
      R"({"resource":"pods","responseKind":{"version":"v1","kind":"Pod"},"scope":"Namespaced",)"
      R"("singularResource":"pod","verbs":["get","list"]}]}]})");
  const std::string stale = aggregated(
      R"({"metadata":{"name":"metrics.io"},"versions":[{"version":"v1","freshness":"Stale"}]})");
  const TcpServer server({core, stale, core, stale});
  const TemporaryFolder folder;
  const Outcome outcome = run(
      {KUBECPP, "serve", "--all", "--server", server.url(), "--cache-dir", folder.path("cache")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("Warning: not served: unable to retrieve the complete list of "
                                     "server APIs: metrics.io/v1: stale"));
  EXPECT_THAT(outcome.err,
              HasSubstr("--all: discovery lists nothing that can be listed and watched\n"))
      << "pods have no watch";
}

TEST_F(ServeCommand, RulesSayWhoseTokensReadWhat) {
  const TemporaryFolder files;
  const std::string tokens = files.write("tokens", "ann-token,ann,1\n");
  const std::string rules =
      files.write("rules", "- users: [ann]\n  resources: [pods]\n  namespaces: [web]\n");
  // Over HTTP without TLS kubecpp, like kubectl, sends no token.
  const std::string url = start({"pods", "--listen", "unix:" + files.path("socket"),
                                 "--token-auth-file", tokens, "--authorization-rules-file", rules});
  EXPECT_EQ(get(url, {"pods", "-n", "web", "-o", "name", "--token", "ann-token"}), "pod/a\n");
  EXPECT_EQ(run({KUBECPP, "get", "pods", "-A", "--token", "ann-token", "--server", url}).err,
            "Error from server (Forbidden): pods is forbidden: User \"ann\" cannot list resource "
            "\"pods\" in API group \"\" at the cluster scope\n");
  const Outcome unknown = run({KUBECPP, "serve", "services", "--server", cluster_->url(),
                               "--token-auth-file", tokens, "--authorization-rules-file", rules});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_EQ(unknown.err, "kubecpp: rules file \"" + rules +
                             "\": line 2: resource \"pods\" is not served; expected \"*\" or one "
                             "of services\n");
}

TEST_F(ServeCommand, ResumesFromItsStateDirWithoutAList) {
  const TemporaryFolder files;
  const std::string folder = files.path("state");
  const std::string url = start({"pods", "--state-dir", folder});
  static_cast<void>(get(url, {"pods", "-A"}));
  serve_->send(SIGTERM);
  EXPECT_EQ(serve_->wait(), 0);
  ASSERT_TRUE(
      cluster_->load_text("{apiVersion: v1, kind: Pod, metadata: {name: c, namespace: web}, "
                          "spec: {containers: [{name: c, image: i}]}}"));
  const std::string again = start({"pods", "--state-dir", folder});
  EXPECT_TRUE(kube::testing::eventually([&] {
    return get(again, {"pods", "-A", "-o", "name"}) == "pod/b\npod/a\npod/c\n";
  }));
  EXPECT_THAT(run({KUBECPP, "get", "--raw", "/readyz?verbose", "--server", again}).out,
              HasSubstr("[+]pods ok; resumed from a state that was "));
  // kill -9 leaves the file; what follows a damaged one is a list.
  serve_.reset();
  std::ofstream(folder + "/pods.v1.state", std::ios::app) << "x";
  const std::string listed = start({"pods", "--state-dir", folder});
  static_cast<void>(get(listed, {"pods", "-A"}));
  EXPECT_THAT(serve_->err(), HasSubstr("pods.v1.state: it is damaged"));
  EXPECT_THAT(run({KUBECPP, "get", "--raw", "/readyz?verbose", "--server", listed}).out,
              HasSubstr("[+]pods ok\n"));
}

TEST_F(ServeCommand, AStateFolderThatCantBeUsedIsNamedAtTheStart) {
  const TemporaryFolder files;
  const auto refused = [&](const std::string& folder) {
    const Outcome outcome =
        run({KUBECPP, "serve", "pods", "--server", cluster_->url(), "--state-dir", folder});
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  };
  const std::string file = files.write("file", "");
  EXPECT_EQ(refused(file),
            "kubecpp: --state-dir \"" + file + "\": expected a folder: Not a directory\n");
  EXPECT_THAT(refused("/proc/none"), HasSubstr("--state-dir \"/proc/none\": expected a folder that "
                                               "exists or can be made: "));
  EXPECT_THAT(refused("/proc"), HasSubstr("--state-dir \"/proc\": expected a folder that this user "
                                          "can write to: "));
  const std::string folder = files.path("state");
  start({"pods", "--state-dir", folder});
  EXPECT_EQ(refused(folder), "kubecpp: --state-dir \"" + folder +
                                 "\": expected a folder that no other process uses, found one that "
                                 "holds its lock\n");
  serve_.reset();
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  start({"pods", "--state-dir", folder});
  EXPECT_THAT(serve_->err(), HasSubstr("Warning: other users can write to the folder \"" + folder));
}

TEST_F(ServeCommand, WhoElseGetsTheValuesOfSecretsIsSaid) {
  const TemporaryFolder files;
  const std::string saved = "Warning: the values of Secrets are saved in the folder ";
  const std::string for_all = "Warning: every user of this machine can read the Secrets ";
  start({"secrets", "--state-dir", files.path("state")});
  EXPECT_THAT(serve_->err(), AllOf(HasSubstr(saved), HasSubstr(for_all)));
  start({"secrets", "--token-auth-file", files.write("tokens", "t,u,1\n")});
  EXPECT_THAT(serve_->err(), Not(AnyOf(HasSubstr(saved), HasSubstr(for_all))));
  start({"secrets", "--listen", "unix:" + files.path("socket")});
  EXPECT_EQ(serve_->err(), "");
  start({"pods", "--state-dir", files.path("state2")});
  EXPECT_EQ(serve_->err(), "");
}

TEST_F(ServeCommand, AStopWaitsForItsTimeoutAndSaysWhatMayHaveBeenDone) {
  std::atomic<bool> holds{false};
  std::latch held(1);
  std::latch let_go(1);
  kube::apiserver::ApiServer::Options options;
  options.on_write = [&](const kube::apiserver::StoreWrite&) {
    if (!holds.exchange(false)) return;
    held.count_down();
    let_go.wait();
  };
  cluster_ = kube::apiserver::ApiServer::start(options).value();
  ASSERT_TRUE(cluster_->load_text(kCluster));
  const std::string url = start({"pods", "--allow-writes", "--shutdown-timeout", "1ms"});
  static_cast<void>(get(url, {"pods", "-A"}));
  holds = true;
  Program writer({KUBECPP, "label", "pod", "a", "-n", "web", "x=y", "--server", url});
  held.wait();
  serve_->send(SIGTERM);
  EXPECT_EQ(serve_->wait(), 0);
  EXPECT_EQ(writer.wait(), 1);
  EXPECT_THAT(writer.err(),
              HasSubstr("the request was passed on to the cluster, which may have carried it out"));
  let_go.count_down();
  cluster_->stop();  // before what on_write uses
}

TEST_F(ServeCommand, WrongUseIsNamed) {
  const auto serve = [&](std::vector<std::string> arguments) {
    std::vector<std::string> all = {KUBECPP, "serve", "--server", cluster_->url()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run(all);
  };
  EXPECT_EQ(serve({"pods", "--listen", "0.0.0.0:0"}).status, 1);
  EXPECT_THAT(serve({"pods", "--listen", "0.0.0.0:0"}).err, HasSubstr("expected loopback"));
  EXPECT_EQ(serve({"pods", "--max-age", "1m59s"}).err,
            "kubecpp: --max-age 1m59s: expected at least 2m, because a cluster to which nothing "
            "happens is heard of once a minute\n");
  EXPECT_EQ(serve({}).err, "kubecpp: expected resources, such as pods, or --all\n");
  EXPECT_EQ(serve({"pods/a"}).status, 1);
  EXPECT_EQ(serve({"pods,bindings"}).err, "kubecpp: the server can't list bindings\n");
  EXPECT_THAT(serve({"gadgets"}).err, HasSubstr("doesn't have a resource type \"gadgets\""));
}

}  // namespace
}  // namespace kubecpp
