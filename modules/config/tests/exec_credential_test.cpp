// SPDX-License-Identifier: Apache-2.0
#include <kube/config/exec_credential.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/exec_plugin.hpp"
#include "plugin_folder.hpp"

namespace kube::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string info_error(const std::string& text) {
  const auto info = load_exec_info([&](std::string_view name) {
    return name == "KUBERNETES_EXEC_INFO" && text != "unset" ? std::optional(text) : std::nullopt;
  });
  return info ? "no error" : info.error().message();
}

TEST(ExecCredentialTest, AUTH_26_APluginLearnsItsClusterAndMistakesAreNamed) {
  EXPECT_EQ(info_error("unset"), "KUBERNETES_EXEC_INFO env var is unset or empty");
  EXPECT_EQ(info_error(""), "KUBERNETES_EXEC_INFO env var is unset or empty");
  EXPECT_THAT(info_error("nonsense"), StartsWith("decode: "));
  EXPECT_THAT(info_error("[]"), StartsWith("decode: "));
  EXPECT_THAT(
      info_error(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v9"})"),
      StartsWith("decode: "));
  EXPECT_THAT(
      info_error(
          R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":5}}})"),
      StartsWith("decode: spec.cluster.server"));
  EXPECT_EQ(info_error(R"({"kind":"Pod","apiVersion":"client.authentication.k8s.io/v1"})"),
            "invalid group/kind: wanted ExecCredential.client.authentication.k8s.io, got "
            "Pod.client.authentication.k8s.io");
  EXPECT_EQ(info_error(R"({"kind":"ExecCredential","apiVersion":"apps/v1"})"),
            "invalid group/kind: wanted ExecCredential.client.authentication.k8s.io, got "
            "ExecCredential.apps");
  EXPECT_EQ(
      info_error(
          R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{}})"),
      "ExecCredential does not contain cluster information");

  // What our own client passes is read back.
  const PluginFolder folder;
  folder.print_token("abc");
  ExecConfig exec = folder.config();
  exec.provide_cluster_info = true;
  const ExecCluster cluster{.server = "https://c:6443",
                            .tls_server_name = "name",
                            .certificate_authority_data = "CA bytes",
                            .proxy_url = "http://p",
                            .config = R"({"a":1})"};
  for (const char* version : {"v1", "v1beta1"}) {
    exec.api_version = std::string("client.authentication.k8s.io/") + version;
    folder.print_status({{"token", "abc"}}, exec.api_version);
    ExecPlugin plugin(exec, cluster);
    const RefreshContext context{Runtime{.executor = std::make_shared<SeededExecutor>(1)}};
    ASSERT_TRUE(plugin.run(context, {}));
    const auto info = parse_exec_info(folder.noted("info"));
    ASSERT_TRUE(info) << info.error().to_string();
    EXPECT_EQ(info->api_version, exec.api_version);
    EXPECT_FALSE(info->interactive);
    EXPECT_EQ(info->cluster, cluster);
    EXPECT_EQ(info->config, exec_cluster_to_config(cluster));
    EXPECT_EQ(info->config, anonymous(info->config));
  }
}

}  // namespace
}  // namespace kube::rest
