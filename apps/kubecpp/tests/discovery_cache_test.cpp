// SPDX-License-Identifier: Apache-2.0
//
// What kubecpp keeps of a server between its runs.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kubecpp
