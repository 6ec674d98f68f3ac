// SPDX-License-Identifier: Apache-2.0
#include <kube/config/exec_cluster.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace kube::rest {
namespace {

using ::testing::HasSubstr;

TEST(ExecCluster, RCFG_24_ConvertingThereAndBackGivesTheAnonymousConfig) {
  const TemporaryDirectory directory;
  Config config{.host = "https://h:6443/prefix",
                .tls = {.ca = {.file = directory.write("ca.crt", "PEM")},
                        .certificate = {.data = "certificate"},
                        .key = {.data = "key"},
                        .server_name = "name",
                        .insecure_skip_verify = true},
                .bearer_token = "token",
                .proxy_url = "socks5://proxy:1080",
                .disable_compression = true};
  config.exec_provider = ExecConfig{.command = "plugin", .config = R"({"audience":"x"})"};

  const auto cluster = config_to_exec_cluster(config);
  ASSERT_TRUE(cluster) << cluster.error().to_string();
  EXPECT_EQ(*cluster, (ExecCluster{.server = "https://h:6443/prefix",
                                   .tls_server_name = "name",
                                   .insecure_skip_tls_verify = true,
                                   .certificate_authority_data = "PEM",
                                   .proxy_url = "socks5://proxy:1080",
                                   .disable_compression = true,
                                   .config = R"({"audience":"x"})"}));

  Config expected = anonymous(config);
  expected.tls.ca = {.data = "PEM"};
  EXPECT_EQ(exec_cluster_to_config(*cluster), expected);

  config.tls.ca.file = directory / "none";
  const auto unreadable = config_to_exec_cluster(config);
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(unreadable.error().to_string(), HasSubstr(directory / "none"));
}

TEST(ExecCluster, JsonHasTheMembersThatAreSetAndReadsBack) {
  EXPECT_EQ(to_json({}), "{}");
  const ExecCluster cluster{.server = "https://h",
                            .tls_server_name = "name",
                            .insecure_skip_tls_verify = true,
                            .certificate_authority_data = "PEM",
                            .proxy_url = "http://p",
                            .disable_compression = true,
                            .config = R"({"a":[1,"<"]})"};
  EXPECT_EQ(to_json(cluster),
            R"({"server":"https://h","tls-server-name":"name","proxy-url":"http://p",)"
            R"("insecure-skip-tls-verify":true,"disable-compression":true,)"
            R"("certificate-authority-data":"UEVN","config":{"a":[1,"\u003c"]}})");
  const auto again = exec_cluster_from_json(to_json(cluster));
  ASSERT_TRUE(again) << again.error().to_string();
  EXPECT_EQ(again->server, "https://h");
  EXPECT_EQ(to_json(*again), to_json(cluster));
}

TEST(ExecCluster, AMemberOfAnotherTypeIsNamed) {
  for (const auto& [text, message] :
       {std::pair(R"({"server":1})", "cluster.server: expected a string"),
        {R"({"insecure-skip-tls-verify":"x"})",
         "cluster.insecure-skip-tls-verify: expected a boolean"},
        {R"({"certificate-authority-data":"*"})",
         "cluster.certificate-authority-data: expected base64"},
        {"[]", "cluster: expected an object"}}) {
    const auto cluster = exec_cluster_from_json(text);
    ASSERT_FALSE(cluster) << text;
    EXPECT_EQ(cluster.error().message(), message);
  }
  EXPECT_EQ(exec_cluster_from_json(R"({"future":1,"server":null})").value(), ExecCluster{});
}

}  // namespace
}  // namespace kube::rest
