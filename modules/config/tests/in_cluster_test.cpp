// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/kubeconfig.hpp>
#include <kube/testing/recording_logger.hpp>

#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using ::testing::HasSubstr;

class InCluster : public ::testing::Test {
 protected:
  InClusterOptions options() {
    return {.directory = directory.path().string(),
            .environment = [this](std::string_view name) -> std::optional<std::string> {
              const auto found = variables.find(name);
              if (found == variables.end()) return std::nullopt;
              return found->second;
            },
            .logger = log};
  }
  void in_a_pod() {
    variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    directory.write("token", "pod-token\n");
    directory.write("ca.crt", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");
    directory.write("namespace", "web\n");
  }

  TemporaryDirectory directory;
  std::map<std::string, std::string, std::less<>> variables;
  std::shared_ptr<testing::RecordingLogger> log = std::make_shared<testing::RecordingLogger>();
};

TEST_F(InCluster, RCFG_17_NeedsBothServiceVariables) {
  for (const char* variable : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    for (const bool empty : {false, true}) {
      in_a_pod();
      variables.erase(variable);
      if (empty) variables[variable] = "";
      const auto config = in_cluster_config(options());
      ASSERT_FALSE(config);
      EXPECT_EQ(config.error().code(), ErrorCode::Config);
      EXPECT_EQ(config.error().message(),
                "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
                "KUBERNETES_SERVICE_PORT must be defined");
    }
  }
}

TEST_F(InCluster, RCFG_19_RCFG_20_HostTokenFileAndCa) {
  in_a_pod();
  const auto config = in_cluster_config(options());
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(*config, (Config{.host = "https://10.0.0.1:443",
                             .tls = {.ca = {.file = directory / "ca.crt"}},
                             .bearer_token = "pod-token",
                             .bearer_token_file = directory / "token",
                             .namespace_ = "web"}));
  variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(in_cluster_config(options()).value().host, "https://[fd00::1]:443");
}

TEST_F(InCluster, RCFG_18_TokenMustBeReadableAndABadCaIsOnlyLogged) {
  in_a_pod();
  directory.write("ca.crt", "no certificate");
  const auto config = in_cluster_config(options());
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->tls.ca.empty());
  EXPECT_THAT(log->lines(),
              ::testing::ElementsAre(HasSubstr("config: the cluster's CA file can't be used")));
  std::filesystem::remove(directory / "ca.crt");
  EXPECT_TRUE(in_cluster_config(options()).value().tls.ca.empty());
  EXPECT_EQ(log->entries().size(), 2U);
  std::filesystem::remove(directory / "token");
  const auto without = in_cluster_config(options());
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().to_string(), HasSubstr(directory / "token"));
}

TEST_F(InCluster, NamespaceComesFromTheVariableThenTheFile) {
  in_a_pod();
  variables["POD_NAMESPACE"] = "mine";
  EXPECT_EQ(in_cluster_config(options()).value().namespace_, "mine");
  variables.erase("POD_NAMESPACE");
  std::filesystem::remove(directory / "namespace");
  EXPECT_EQ(in_cluster_config(options()).value().namespace_, "default");
}

TEST_F(InCluster, DefaultConfigPrefersAKubeconfig) {
  in_a_pod();
  EXPECT_EQ(default_config(options()).value().host, "https://10.0.0.1:443");
  variables["KUBECONFIG"] = directory.write("config", R"(
current-context: c
contexts: [{name: c, context: {cluster: k}}]
clusters: [{name: k, cluster: {server: "http://from-file"}}]
)");
  EXPECT_EQ(default_config(options()).value().host, "http://from-file");
}

TEST_F(InCluster, ABrokenKubeconfigIsReportedEvenInAPod) {
  in_a_pod();
  variables["KUBECONFIG"] = directory.write("config", "{");
  EXPECT_FALSE(default_config(options()));
}

TEST_F(InCluster, OutsideOfAPodTheMissingKubeconfigIsTheError) {
  variables["HOME"] = directory / "home";
  const auto config = default_config(options());
  ASSERT_FALSE(config);
  EXPECT_TRUE(kubeconfig::is_empty_config(config.error()));
  EXPECT_THAT(config.error().message(), HasSubstr(directory / "home/.kube/config"));
}

TEST_F(InCluster, CFG_49_APossibleButFailingInClusterConfigIsTheError) {
  in_a_pod();
  directory.write("token", "\n");
  const auto config = default_config(options());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().to_string(), HasSubstr("in-cluster configuration: read empty token"));
}

}  // namespace
}  // namespace kube::rest
