// SPDX-License-Identifier: Apache-2.0
//
// Plugins for credentials on a terminal: they may read it, but not where the command does.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "terminal_program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr const char* kEndOfInput = "\x04";
constexpr const char* kPlugin =
    R"(echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
    R"("status":{"token":"t"}}')";

class ExecPlugin : public ::testing::Test {
 protected:
  std::string kubeconfig(const std::string& mode) const {
    // Plain http servers get no credentials. The plugin runs before it is found that nobody
    // listens.
    return folder_.write(
        mode,
        "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
        "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"
        "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
        "command: sh, args: [" +
            script_ + "], interactiveMode: " + mode + "}}}]\n");
  }
  // Runs kubecpp on a terminal where that is typed; returns what it has shown.
  std::string on_terminal(const std::string& mode, Words words,
                          const std::string& typed = {}) const {
    std::filesystem::remove(info_);
    words.insert(words.begin(), KUBECPP);
    words.insert(words.begin() + 2, {"--kubeconfig", kubeconfig(mode), "--cache-dir",
                                     folder_.path("cache"), "--discovery-ttl", "0s"});
    programs::TerminalProgram program(words, 200, 50);
    if (!typed.empty()) program.type(typed);
    EXPECT_NE(program.wait(), -1) << words[1];
    return program.text();
  }
  // What the plugin was told.
  std::string info() const {
    std::ifstream file(info_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const TemporaryFolder folder_;
  const std::string info_ = folder_.path("info");
  const std::string script_ =
      folder_.write("plugin", "printf %s \"$KUBERNETES_EXEC_INFO\" >'" + info_ + "'\n" + kPlugin);
};

TEST_F(ExecPlugin, MayReadATerminalThatTheCommandDoesNotRead) {
  for (const Words& line :
       std::vector<Words>{{"get", "pods"}, {"exec", "web", "--", "sh"}, {"delete", "pod", "web"}}) {
    on_terminal("IfAvailable", line);
    EXPECT_THAT(info(), HasSubstr(R"("interactive":true)")) << line[0];
  }
}

TEST_F(ExecPlugin, MustNotReadWhatTheCommandReads) {
  for (const Words& line : std::vector<Words>{{"apply", "-f", "-"},
                                              {"get", "-f", "-"},
                                              {"describe", "-f", "-"},
                                              {"delete", "-f", "-"},
                                              {"wait", "--for=delete", "-f", "-"}}) {
    on_terminal(
        "IfAvailable", line,
        std::string("{apiVersion: v1, kind: ConfigMap, metadata: {name: typed}}\n") + kEndOfInput);
    EXPECT_THAT(info(), HasSubstr(R"("interactive":false)")) << line[0];
  }
  for (const Words& line :
       std::vector<Words>{{"exec", "-i", "web", "--", "sh"}, {"attach", "-it", "web"}}) {
    on_terminal("IfAvailable", line);
    EXPECT_THAT(info(), HasSubstr(R"("interactive":false)")) << line[0];
  }
}

TEST_F(ExecPlugin, ThatHasToReadItIsRefused) {
  on_terminal("Always", {"get", "pods"});
  EXPECT_THAT(info(), HasSubstr(R"("interactive":true)"));
  EXPECT_THAT(on_terminal("Always", {"exec", "-i", "web", "--", "sh"}),
              HasSubstr("exec plugin cannot support interactive mode: standard input is "
                        "unavailable"));
  EXPECT_EQ(info(), "");
}

TEST_F(ExecPlugin, ThatIsMissingIsReportedWithTheHintInLines) {
  const std::string config =
      folder_.write("missing",
                    "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
                    "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"
                    "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
                    "command: no-such-plugin, interactiveMode: Never, "
                    "installHint: \"run:\\n  brew install \\x1b[31mx\"}}}]\n");
  const Outcome outcome =
      run({KUBECPP, "get", "pods", "--kubeconfig", config, "--cache-dir", folder_.path("cache")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "kubecpp: find out what the server serves: get /api: GET https://127.0.0.1:1/api: "
            "getting credentials: exec: executable no-such-plugin not found\n"
            "\n"
            "It looks like you are trying to use a client-go credential plugin that is not "
            "installed.\n"
            "\n"
            "To learn more about this feature, consult the documentation available at:\n"
            "      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
            "#client-go-credential-plugins\n"
            "\n"
            "run:\n"
            "  brew install U+001B[31mx\n");
}

}  // namespace
}  // namespace kubecpp
