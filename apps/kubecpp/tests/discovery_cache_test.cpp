// SPDX-License-Identifier: Apache-2.0
//
// What kubecpp keeps of a server between its runs.
#include <cstdint>
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/base/file.hpp>
#include <kube/json/value.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPods = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)"
                              R"({"metadata":{"name":"front","namespace":"default"}}]})";

std::string answer(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

// Three answers to discovery, then only pods: a second discovery would fail.
std::vector<std::string> answers_once() {
  return {answer(R"({"kind":"APIVersions","versions":["v1"]})"),
          answer(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[]})"),
          answer(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
                 R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
                 R"("verbs":["get","list"]}]})"),
          answer(kPods)};
}

class DiscoveryCacheOfKubecpp : public ::testing::Test {
 protected:
  Outcome get_pods(std::vector<std::string> flags,
                   std::vector<std::string> environment = {}) const {
    flags.insert(flags.begin(), {KUBECPP, "get", "pods", "-o", "name", "--server", server_.url()});
    return run(std::move(flags), {.environment = std::move(environment)});
  }
  std::string discovery_file(const std::string& root, const std::string& name) const {
    std::string host = server_.url().substr(7);
    host[host.find(':')] = '_';
    return root + "/discovery/" + host + "/" + name;
  }
  const TemporaryFolder folder_;
  const TcpServer server_{answers_once()};
};

TEST_F(DiscoveryCacheOfKubecpp, ASecondRunAsksForNothingButThePods) {
  const std::string root = folder_.path("cache");
  EXPECT_EQ(get_pods({"--cache-dir", root}).out, "pod/front\n");
  EXPECT_EQ(get_pods({"--cache-dir", root}).out, "pod/front\n");
  EXPECT_EQ(get_pods({}, {"KUBECACHEDIR=" + root}).out, "pod/front\n");
  EXPECT_TRUE(std::filesystem::exists(discovery_file(root, "servergroups.json")));
}

TEST_F(DiscoveryCacheOfKubecpp, IsInTheHomeFolderAsKubectlsIs) {
  const std::string home = folder_.path("");
  EXPECT_EQ(get_pods({}, {"HOME=" + home}).out, "pod/front\n");
  EXPECT_TRUE(
      std::filesystem::exists(discovery_file(home + "/.kube/cache", "v1/serverresources.json")));
}

TEST_F(DiscoveryCacheOfKubecpp, AnOldCacheIsAskedForAgain) {
  const std::string root = folder_.path("cache");
  EXPECT_EQ(get_pods({"--cache-dir", root}).status, 0);
  const Outcome again = get_pods({"--cache-dir", root, "--discovery-ttl", "0s"});
  EXPECT_EQ(again.status, 1) << "this server does not answer it twice";
}

TEST_F(DiscoveryCacheOfKubecpp, AFolderThatCannotBeWrittenIsNoError) {
  const std::string root = folder_.write("cache", "a file");
  const Outcome pods = get_pods({"--cache-dir", root});
  EXPECT_EQ(pods.out, "pod/front\n") << pods.err;
  EXPECT_EQ(pods.err, "");
}

TEST_F(DiscoveryCacheOfKubecpp, AWrongTimeToLiveIsAUsageError) {
  const Outcome pods = get_pods({"--cache-dir", folder_.path("cache"), "--discovery-ttl=soon"});
  EXPECT_EQ(pods.status, 1);
  EXPECT_THAT(pods.err, HasSubstr("--discovery-ttl: expected a duration such as 10m or 6h"));
}

// Whole servers, whose requests are counted.
class CachedRunsOfKubecpp : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = kube::apiserver::ApiServer::start();
    ASSERT_TRUE(started) << started.error().to_string();
    server_ = *std::move(started);
    ASSERT_TRUE(server_->load_text(kPod));
  }
  std::vector<std::string> get(const std::string& what) const {
    return {KUBECPP,        "get",         what,
            "-o",           "name",        "--server",
            server_->url(), "--cache-dir", folder_.path("cache")};
  }
  std::uint64_t requests() const { return server_->statistics().requests; }

  static constexpr std::string_view kPod =
      "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default},"
      " spec: {containers: [{name: c, image: i}]}}";
  static constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
)";
  const TemporaryFolder folder_;
  std::unique_ptr<kube::apiserver::ApiServer> server_;
};

TEST_F(CachedRunsOfKubecpp, EightProcessesShareOneCache) {
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < 8; ++i) programs.push_back(std::make_unique<Program>(get("pods")));
  for (const auto& program : programs) {
    EXPECT_EQ(program->wait(), 0) << program->err();
    EXPECT_EQ(program->out(), "pod/a\n");
    EXPECT_EQ(program->err(), "");
  }
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder_.path("cache") + "/discovery")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const auto text = kube::read_file(entry.path().string());
    ASSERT_TRUE(text);
    EXPECT_TRUE(kube::json::parse(*text)) << entry.path();
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::AnyOf("servergroups.json", "serverresources.json"));
  }
  EXPECT_GT(files, 1U);
  const std::uint64_t before = requests();
  EXPECT_EQ(run(get("pods")).out, "pod/a\n");
  EXPECT_EQ(requests(), before + 1) << "the pods alone";
}

TEST_F(CachedRunsOfKubecpp,
       ADefinitionThatComesIsFoundAndAnUnknownNameCostsAFixedNumberOfRequests) {
  const Outcome before = run(get("widgets"));
  EXPECT_EQ(before.status, 1);
  EXPECT_THAT(before.err, HasSubstr("the server doesn't have a resource type \"widgets\""));
  const std::uint64_t cold = requests();
  EXPECT_EQ(run(get("widgets")).status, 1);
  const std::uint64_t warm = requests() - cold;
  EXPECT_LE(warm, cold) << "it is asked for once more, and no more";
  ASSERT_TRUE(server_->load_text(kDefinition));
  const Outcome after = run(get("widgets"));
  EXPECT_EQ(after.status, 0) << after.err;
}

TEST(StaleGroupsOfKubecpp, AreNamedInAWarningAndHideNothing) {
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
  const std::string warning =
      "Warning: unable to retrieve the complete list of server APIs: metrics.io/v1: stale "
      "GroupVersion discovery: metrics.io/v1\n";
  for (const char* command : {"api-resources", "api-versions"}) {
    const TcpServer server({core, stale});
    const TemporaryFolder folder;
    const Outcome listed =
        run({KUBECPP, command, "--server", server.url(), "--cache-dir", folder.path("cache")});
    EXPECT_EQ(listed.status, 0);
    EXPECT_EQ(listed.err, warning);
    EXPECT_THAT(listed.out, HasSubstr("v1"));
    EXPECT_THAT(listed.out, ::testing::Not(HasSubstr("metrics.io")));
  }
  const TcpServer server({core, stale, core, stale});
  const TemporaryFolder folder;
  const Outcome missing = run(
      {KUBECPP, "get", "gizmos", "--server", server.url(), "--cache-dir", folder.path("cache")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err,
              HasSubstr("the server doesn't have a resource type \"gizmos\" (unable to "
                        "retrieve the complete list of server APIs: metrics.io/v1: "));
}

}  // namespace
}  // namespace kubecpp
