// SPDX-License-Identifier: Apache-2.0
//
// Which plugins for credentials the file kuberc permits.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace kubecpp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

class Kuberc : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_.path("home/.kube")); }

  static std::string preference(const std::string& fields) {
    return "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n" + fields;
  }
  // `get pods` of a user whose plugin is `sh`, with that environment; returns the errors. The
  // plugin runs before it is found that no server listens.
  std::string errors(const Words& environment, const Words& flags = {}) const {
    std::filesystem::remove(folder_.path("ran"));
    Words line = {"/usr/bin/env", "-u", "KUBERC", "HOME=" + folder_.path("home")};
    line.insert(line.end(), environment.begin(), environment.end());
    line.insert(line.end(), {KUBECPP, "get", "pods", "--kubeconfig", kubeconfig_, "--cache-dir",
                             folder_.path("cache"), "--discovery-ttl", "0s"});
    line.insert(line.end(), flags.begin(), flags.end());
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  }
  bool ran() const { return std::filesystem::exists(folder_.path("ran")); }
  void write_default(const std::string& text) const { folder_.write("home/.kube/kuberc", text); }

  const TemporaryFolder folder_;
  const std::string script_ = folder_.write(
      "plugin", "touch '" + folder_.path("ran") +
                    "'\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":"
                    "\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"t\"}}'\n");
  const std::string kubeconfig_ = folder_.write(
      "config",
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n"
      "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, "
      "args: ['" +
          script_ + "'], interactiveMode: Never}}}]\n");
};

TEST_F(Kuberc, WithoutAPolicyAllPluginsRun) {
  errors({});
  EXPECT_TRUE(ran());
  for (const char* fields :
       {"", "credentialPluginPolicy: ''\n", "credentialPluginPolicy: AllowAll\n",
        "credentialPluginAllowlist: null\n", "defaults: []\naliases: []\n"}) {
    write_default(preference(fields));
    EXPECT_THAT(errors({}), Not(HasSubstr("kuberc"))) << fields;
    EXPECT_TRUE(ran()) << fields;
  }
}

TEST_F(Kuberc, ThePolicyDecidesWhichPluginsRun) {
  write_default(preference("credentialPluginPolicy: DenyAll\n"));
  EXPECT_THAT(errors({}), HasSubstr("plugin \"sh\" is not allowed: policy set to \"DenyAll\""));
  EXPECT_FALSE(ran());
  write_default(
      preference("credentialPluginPolicy: Allowlist\n"
                 "credentialPluginAllowlist: [{command: other}]\n"));
  EXPECT_THAT(errors({}),
              HasSubstr("plugin \"sh\" is not permitted by the credential plugin allowlist"));
  EXPECT_FALSE(ran());
  for (const char* entry : {"{command: sh}", "{name: sh}", "{name: sh, command: sh}"}) {
    write_default(preference("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [" +
                             std::string(entry) + "]\n"));
    errors({});
    EXPECT_TRUE(ran()) << entry;
  }
}

TEST_F(Kuberc, TheFileIsTheOneThatKubectlReads) {
  const std::string deny = preference("credentialPluginPolicy: DenyAll\n");
  const std::string other = folder_.write("other", deny);
  errors({}, {"--kuberc", other});
  EXPECT_FALSE(ran());
  errors({"KUBERC=" + other});
  EXPECT_FALSE(ran());
  errors({"KUBERC=" + other}, {"--kuberc", folder_.write("all", preference(""))});
  EXPECT_TRUE(ran()) << "the flag comes first";
  write_default(deny);
  errors({"KUBERC=off"});
  EXPECT_TRUE(ran());
  errors({"KUBECTL_KUBERC=false"});
  EXPECT_TRUE(ran());
  EXPECT_EQ(errors({"KUBERC=off"}, {"--kuberc", other}),
            "kubecpp: disabling kuberc via KUBERC=off and passing kuberc flag are mutually "
            "exclusive\n");
  // The first document of the kind counts, whatever the others are.
  for (const std::string before : {"kind: Other\napiVersion: v1\n", "{{{\n", "# none\n"}) {
    write_default(before + "---\n" + deny + "---\n" + preference("") + "---\n{{{\n");
    EXPECT_THAT(errors({}), Not(HasSubstr("kuberc"))) << before;
    EXPECT_FALSE(ran()) << before;
  }
}

TEST_F(Kuberc, AFileThatIsNamedMustBeRight) {
  EXPECT_THAT(errors({}, {"--kuberc", "none"}),
              StartsWith("kubecpp: kuberc: none: No such file or directory"));
  const std::string wrong = folder_.write("wrong", "kind: Other\napiVersion: v1\n");
  EXPECT_THAT(errors({"KUBERC=" + wrong}),
              StartsWith("kubecpp: kuberc: no valid preferences found in " + wrong));
  write_default("kind: Other\napiVersion: v1\n");
  EXPECT_THAT(errors({}), StartsWith("kuberc: no preferences loaded from "));
  EXPECT_TRUE(ran());
}

TEST_F(Kuberc, APolicyThatDoesNotFitTogetherIsAnError) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"credentialPluginPolicy: Some\n", "unknown plugin policy: \"Some\""},
      {"credentialPluginPolicy: Allowlist\n", "but allowlist is unspecified"},
      {"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []\n",
       "but allowlist is empty; use \"DenyAll\" policy instead"},
      {"credentialPluginAllowlist: [{command: sh}]\n", "but allowlist is non-nil"},
      {"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{}]\n", "entry #1 is empty"},
  };
  for (const auto& [fields, expected] : files) {
    write_default(preference(fields));
    EXPECT_THAT(errors({}), HasSubstr(expected)) << fields;
    EXPECT_FALSE(ran()) << fields;
  }
  write_default(preference("credentialPluginPolcy: DenyAll\n"));
  EXPECT_THAT(errors({}), HasSubstr("unknown field \"credentialPluginPolcy\""));
}

}  // namespace
}  // namespace kubecpp
