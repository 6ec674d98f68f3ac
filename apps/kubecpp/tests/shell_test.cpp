// SPDX-License-Identifier: Apache-2.0
//
// Completion in a real bash, kubecpp as a plugin of the real kubectl, and the page of all commands.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "command_help.hpp"
#include "kubectl_program.hpp"
#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

/// A server with two pods and a kubeconfig for it.
class ShellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_->load_text(R"(
apiVersion: v1
kind: Pod
metadata: {name: front, namespace: web}
spec: {containers: [{name: c, image: i}, {name: d, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: back, namespace: web}
spec: {containers: [{name: c, image: i}]}
)"));
  }

  Outcome in_environment(Words words) const {
    const std::string folder = std::filesystem::path(KUBECPP).parent_path();
    words.insert(words.begin(), {"/usr/bin/env", "KUBECONFIG=" + kubeconfig_, "HOME=" + home_,
                                 "PATH=" + folder + ":/usr/bin:/bin"});
    return run(std::move(words));
  }
  /// What bash offers for a line; `pieces` are its words as bash splits them.
  std::string offered(const std::string& line, const std::string& pieces) const {
    const std::string script =
        "source <(kubecpp completion bash); COMP_LINE='" + line + "'; COMP_WORDS=(" + pieces +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kubecpp_completion; printf '%s ' "
        "\"${COMPREPLY[@]}\"";
    const Outcome outcome = in_environment({"bash", "--norc", "-c", script});
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start().value();
  const std::string home_ = folder_.path("home");
  const std::string kubeconfig_ = folder_.write(
      "config",
      "current-context: one\ncontexts: [{name: one, context: {cluster: k, namespace: web}}, "
      "{name: two, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: '" +
          server_->url() + "'}}]\n");
};

TEST_F(ShellTest, BashCompletesCommandsFlagsAndValues) {
  EXPECT_EQ(offered("kubecpp ge", "kubecpp ge"), "get ");
  EXPECT_EQ(offered("kubecpp config use", "kubecpp config use"), "use-context ");
  EXPECT_EQ(offered("kubecpp -n web ge", "kubecpp -n web ge"), "get ");
  EXPECT_EQ(offered("kubecpp get --sort", "kubecpp get --sort"), "--sort-by ");
  EXPECT_EQ(offered("kubecpp get pods -o y", "kubecpp get pods -o y"), "yaml ");
  EXPECT_EQ(offered("kubecpp get --output=y", "kubecpp get --output = y"), "yaml ");
  EXPECT_EQ(offered("kubecpp convert x --to y", "kubecpp convert x --to y"), "yaml ");
  EXPECT_EQ(offered("kubecpp completion ", "kubecpp completion \"\""), "bash zsh fish ");
  EXPECT_EQ(offered("kubecpp help config use", "kubecpp help config use"), "use-context ");
  EXPECT_EQ(offered("kubecpp bogus ", "kubecpp bogus \"\""), " ");
}

TEST_F(ShellTest, BashCompletesWhatTheServerAndTheKubeconfigHave) {
  EXPECT_EQ(offered("kubecpp config use-context ", "kubecpp config use-context \"\""), "one two ");
  EXPECT_EQ(offered("kubecpp --context t", "kubecpp --context t"), "two ");
  EXPECT_EQ(offered("kubecpp get dep", "kubecpp get dep"), "deployments.apps ");
  EXPECT_EQ(offered("kubecpp get pods ", "kubecpp get pods \"\""), "back front ");
  EXPECT_EQ(offered("kubecpp delete pods back ", "kubecpp delete pods back \"\""), "front ");
  EXPECT_EQ(offered("kubecpp get po/f", "kubecpp get po/f"), "po/front ");
  EXPECT_EQ(offered("kubecpp get pods --context two ", "kubecpp get pods --context two \"\""), " ");
  EXPECT_EQ(offered("kubecpp logs front -c ", "kubecpp logs front -c \"\""), "c d ");
  EXPECT_EQ(
      offered("kubecpp exec pod/front --container=d", "kubecpp exec pod/front --container = d"),
      "d ");
  EXPECT_THAT(offered("kubecpp get pods -n kube-s", "kubecpp get pods -n kube-s"),
              StartsWith("kube-system "));
}

TEST_F(ShellTest, EachShellHasAScriptForItsProgram) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run({KUBECPP, "completion", shell});
    EXPECT_EQ(script.status, 0);
    EXPECT_THAT(script.out, HasSubstr("__complete"));
    EXPECT_THAT(script.out, Not(HasSubstr("NAME")));
    const std::string file = folder_.write("script", script.out);
    if (in_environment({"sh", "-c", std::string("command -v ") + shell}).status != 0) continue;
    EXPECT_EQ(in_environment({shell, "-n", file}).err, "");
  }
  EXPECT_EQ(run({KUBECPP, "completion", "csh"}).status, 1);
}

TEST_F(ShellTest, KubectlRunsItAsAPlugin) {
  const std::string kubectl = kubectl_program();
  if (kubectl.empty()) GTEST_SKIP() << "no kubectl: ./dev cluster build kubectl";
  const Outcome pods = in_environment({kubectl, "cpp", "get", "pods", "-o", "name"});
  EXPECT_EQ(pods.out, "pod/back\npod/front\n") << pods.err;
  const Outcome list = in_environment({kubectl, "plugin", "list"});
  EXPECT_THAT(list.out, HasSubstr("/kubectl-cpp"));
  EXPECT_THAT(list.out + list.err, Not(HasSubstr("warning")));
  EXPECT_THAT(in_environment({kubectl, "cpp", "get", "--help"}).out,
              HasSubstr("Usage: kubectl cpp get"));
  EXPECT_THAT(in_environment({kubectl, "cpp", "gte"}).err,
              HasSubstr("unknown command \"gte\"; similar: get (see kubectl cpp --help)"));
  EXPECT_THAT(in_environment({kubectl, "-n", "x", "cpp", "get", "pods"}).err,
              HasSubstr("flags cannot be placed before plugin name"));
  const Outcome words = in_environment({kubectl, "__complete", "cpp", "get", "pods", "f"});
  EXPECT_THAT(words.out, StartsWith("front\n")) << words.err;
}

TEST(Docs, EachExampleIsInTheHelpOfItsCommand) {
  std::map<std::string, std::string> help;
  for (const CommandExample& each : all_examples()) {
    if (!help.contains(each.command))
      help[each.command] = run({"/bin/sh", "-c", KUBECPP " help " + std::string(each.command)}).out;
    EXPECT_THAT(help[each.command], HasSubstr(std::string("  kubecpp ") + each.arguments + "\n"));
  }
}

// KUBE_UPDATE_DOCS=1 writes it.
TEST(Docs, ThePageOfAllCommandsIsWhatTheirHelpSays) {
  const std::string page = run({KUBECPP, "__docs"}).out;
  if (std::getenv("KUBE_UPDATE_DOCS") != nullptr) std::ofstream(KUBECPP_DOCS) << page;
  std::ifstream file(KUBECPP_DOCS);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), page);
}

TEST(Docs, EachCommandOfThePageHasAnExample) {
  const std::string page = run({KUBECPP, "__docs"}).out;
  std::size_t commands = 0;
  for (std::size_t at = 0; (at = page.find("\n### kubecpp ", at)) != std::string::npos; ++at) {
    ++commands;
    const std::size_t next = std::min(page.find("\n### ", at + 1), page.find("\n#### ", at + 1));
    EXPECT_THAT(page.substr(at, next - at), HasSubstr("```console\n# "));
  }
  EXPECT_GT(commands, 10U);
}

}  // namespace
}  // namespace kubecpp
