// SPDX-License-Identifier: Apache-2.0
//
// The flags of `kubecpp patch` beside those of kubectl, and the names that commands write under.
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kubectl_twin.hpp"

namespace scenarios {
namespace {

constexpr const char* kPatchedObjects = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: "1"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
)";

class KubecppPatchScenario : public KubectlTwin {
 protected:
  void SetUp() override { create_both(kPatchedObjects); }
};

TEST_F(KubecppPatchScenario, FlagsBesideKubectl) {
  const std::string change = R"({"data":{"b":"2"}})";
  const std::string file = folder_.write("patch.yaml", "data: {c: '3'}\n");
  const std::string object =
      folder_.write("c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  const std::vector<Arguments> lines = {
      {"patch", "cm", "c", "-p", change, "--dry-run=client"},
      {"patch", "cm", "c", "-p", change, "--dry-run=server"},
      {"patch", "cm", "c", "-p", R"({"data":{"a":"1"}})", "--dry-run=client"},
      {"patch", "cm", "c", "-p", change, "--dry-run=sometimes"},
      {"patch", "cm", "c", "--patch-file", file},
      {"patch", "cm", "c", "--patch-file", file, "-p", change},
      {"patch", "cm", "c"},
      {"patch", "cm", "c", "-p", change, "--type=apply"},
      {"patch", "-f", object, "-p", change},
      {"patch", "-f", object, "-p", change, "--local", "-o", "json"},
      {"patch", "cm", "c", "-p", change, "--local"},
      {"patch", "deploy", "web", "--subresource=scale", "--type=merge", "-p",
       R"({"spec":{"replicas":0}})"},
      {"patch", "deploy", "web", "--subresource=status", "--type=merge", "-p",
       R"({"status":{"observedGeneration":1}})"},
  };
  for (const Arguments& line : lines) both(line);
}

TEST_F(KubecppPatchScenario, CommandsWriteUnderKubectlsNames) {
  // Sorted: those of one second have no order.
  const auto managers = [&](const std::string& object) {
    const Arguments line = {"get", object, "-o", "jsonpath={.metadata.managedFields[*].manager}"};
    const auto sorted = [](const programs::Outcome& outcome) {
      std::istringstream words(outcome.out);
      return std::multiset<std::string>(std::istream_iterator<std::string>(words), {});
    };
    const auto mine = sorted(ours(programs::run(our_line(line))));
    EXPECT_EQ(mine.empty(), !has(Capability::ServerSideApply)) << "who owns what";
    if (has_kubectl()) {
      EXPECT_EQ(mine, sorted(theirs(programs::run(their_line(line)))));
    }
  };
  both({"label", "cm/c", "a=b"});
  both({"annotate", "cm/c", "a=b"});
  both({"patch", "cm/c", "-p", R"({"data":{"b":"2"}})"});
  both({"patch", "cm/c", "-p", R"({"data":{"c":"2"}})", "--field-manager=me"});
  managers("cm/c");
  both({"scale", "deploy/web", "--replicas=1"});
  both({"rollout", "restart", "deploy/web"});
  managers("deploy/web");
}

TEST_F(KubecppPatchScenario, DeleteAsksWhenItIsInteractive) {
  for (const std::string answer : {"n\n", "\n", "y y\n", "Y\n"}) {
    SCOPED_TRACE(answer);
    std::vector<programs::Outcome> outcomes;
    const auto answered = [&](const Arguments& line) {
      programs::Program program(line, {.stdin_pipe = true});
      EXPECT_TRUE(program.prints("(y/N): ")) << program.err();
      EXPECT_TRUE(program.write(answer));
      const int status = program.wait();
      return programs::Outcome{status, program.out(), program.err()};
    };
    const Arguments line = {"delete", "cm", "c", "-i"};
    const auto mine = ours(answered(our_line(line)));
    EXPECT_EQ(mine.status, 0) << mine.err;
    if (!has_kubectl()) continue;
    const auto other = theirs(answered(their_line(line)));
    EXPECT_EQ(mine.out, other.out);
    EXPECT_EQ(mine.err, other.err);
    EXPECT_EQ(mine.status, other.status);
  }
}

}  // namespace
}  // namespace scenarios
