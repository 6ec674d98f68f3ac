// SPDX-License-Identifier: Apache-2.0
//
// The flags of `kubecpp patch`, the names that commands write under, and `delete -i`.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

constexpr const char* kObjectsToPatch = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default}
data: {a: '1'}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: i}]}
)";

class PatchCommand : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_->load_text(kObjectsToPatch)); }
  Outcome call(Words words) const {
    words.insert(words.begin(), KUBECPP);
    words.insert(words.end(), {"--server", server_->url()});
    return run(std::move(words));
  }
  std::string data() const { return call({"get", "cm", "c", "-o", "jsonpath={.data}"}).out; }
  // `delete -i` with that on standard input.
  Outcome deletes(const std::string& answer, const std::string& what) const {
    return run({"/bin/sh", "-c",
                "printf '" + answer + "' | exec " KUBECPP " delete -i " + what + " --server " +
                    server_->url()});
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start().value();
};

TEST_F(PatchCommand, ADryRunStoresNothing) {
  const Words patch = {"patch", "cm", "c", "-p", R"({"data":{"b":"2"}})"};
  for (const char* flag : {"--dry-run=client", "--dry-run=server"}) {
    Words words = patch;
    words.push_back(flag);
    EXPECT_EQ(call(words).out, "configmap/c patched\n");
    words.insert(words.end(), {"-o", "yaml"});
    EXPECT_THAT(call(words).out, HasSubstr("data:\n  a: \"1\"\n  b: \"2\"\n")) << flag;
    EXPECT_EQ(data(), R"({"a":"1"})") << flag;
  }
  EXPECT_EQ(call({"patch", "cm", "c", "--dry-run=client", "-p", R"({"data":{"a":"1"}})"}).out,
            "configmap/c patched (no change)\n");
  EXPECT_THAT(call({"patch", "cm", "c", "--dry-run=client", "--type=json", "-o", "json", "-p",
                    R"([{"op":"remove","path":"/data/a"}])"})
                  .out,
              Not(HasSubstr("\"a\"")));
}

TEST_F(PatchCommand, ReadsThePatchOfAFile) {
  const std::string file = folder_.write("patch.yaml", "data: {b: '2'}\n");
  EXPECT_EQ(call({"patch", "cm", "c", "--patch-file", file}).out, "configmap/c patched\n");
  EXPECT_EQ(data(), R"({"a":"1","b":"2"})");
  EXPECT_EQ(call({"patch", "cm", "c", "--patch-file=" + file, "-p", "{}"}).err,
            "kubecpp: cannot specify --patch and --patch-file together\n");
  EXPECT_EQ(call({"patch", "cm", "c"}).err,
            "kubecpp: must specify --patch or --patch-file containing the contents of the patch\n");
  EXPECT_THAT(call({"patch", "cm", "c", "--patch-file", "none"}).err,
              HasSubstr("unable to read patch file: none: No such file or directory"));
  EXPECT_EQ(call({"patch", "cm", "c", "-p", "{}", "--type", "apply"}).err,
            "kubecpp: --type must be one of [json merge strategic], not \"apply\"\n");
}

TEST_F(PatchCommand, TakesObjectsFromFiles) {
  const std::string file = folder_.write("c.yaml",
                                         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, "
                                         "namespace: default}\n");
  EXPECT_EQ(call({"patch", "-f", file, "-p", R"({"data":{"b":"2"}})"}).out,
            "configmap/c patched\n");
  EXPECT_EQ(data(), R"({"a":"1","b":"2"})");
  const Outcome local = run({KUBECPP, "patch", "--local", "-f", file, "-p", "{data: {z: '1'}}",
                             "-o", "yaml", "--kubeconfig", "none"});
  EXPECT_THAT(local.out, HasSubstr("data:\n  z: \"1\"\nkind: ConfigMap\n")) << local.err;
  EXPECT_EQ(call({"patch", "cm", "c", "--local", "-p", "{}"}).err,
            "kubecpp: cannot specify --local and server resources\n");
}

TEST_F(PatchCommand, PatchesASubresource) {
  const Outcome scaled = call({"patch", "deploy", "web", "--subresource=scale", "--type=merge",
                               "-p", R"({"spec":{"replicas":2}})"});
  EXPECT_EQ(scaled.out, "scale.autoscaling/web patched\n") << scaled.err;
  EXPECT_EQ(call({"get", "deploy", "web", "-o", "jsonpath={.spec.replicas}"}).out, "2");
  EXPECT_EQ(call({"patch", "deploy", "web", "--subresource=status", "--type=merge", "-p",
                  R"({"status":{"replicas":2}})"})
                .out,
            "deployment.apps/web patched\n");
}

// The embedded server records no managers: tests/scenarios compares them on a real one.
TEST(FieldManagers, AreKubectlsUnlessTheyAreNamed) {
  for (const auto& [command, manager] :
       std::vector<std::pair<Words, std::string>>{{{"patch"}, "kubectl-patch"},
                                                  {{"label"}, "kubectl-label"},
                                                  {{"annotate"}, "kubectl-annotate"},
                                                  {{"rollout", "restart"}, "kubectl-rollout"}}) {
    Words line = {KUBECPP};
    line.insert(line.end(), command.begin(), command.end());
    line.push_back("--help");
    EXPECT_THAT(run(line).out, HasSubstr("--field-manager TEXT=" + manager)) << command[0];
  }
}

TEST_F(PatchCommand, DeleteAsksWhenItIsInteractive) {
  const std::string question =
      "You are about to delete the following 2 resource(s):\nconfigmap/c\ndeployment.apps/web\n"
      "Do you want to continue? (y/N): ";
  for (const char* answer : {"n\\n", "", "\\n", "yes\\n", "y y\\n"}) {
    const Outcome kept = deletes(answer, "cm/c deploy/web");
    EXPECT_EQ(kept.out, question + "deletion is cancelled\n") << answer;
    EXPECT_EQ(kept.status, 0) << kept.err;
  }
  EXPECT_EQ(data(), R"({"a":"1"})");
  EXPECT_EQ(deletes("Y\\n", "cm/c deploy/web").out,
            question +
                "configmap \"c\" deleted from default namespace\n"
                "deployment.apps \"web\" deleted from default namespace\n");
  EXPECT_EQ(deletes("y\\n", "cm --all -n none").out, "No resources found\n");
  EXPECT_EQ(call({"delete", "-i", "--raw", "/x"}).err,
            "kubecpp: --interactive can not be used with --raw\n");
}

}  // namespace
}  // namespace kubecpp
