// SPDX-License-Identifier: Apache-2.0
//
// Wrong kubeconfigs and the whole text of their errors: each mistake has a line with the file, the
// line, the field and what was expected, and none has the value of a credential.
#include <iterator>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/transport_for.hpp>

#include "wrong_kubeconfigs.hpp"

namespace kube::kubeconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(WrongKubeconfigs, EachMistakeIsNamedWithFileLineFieldAndWhatWasExpected) {
  static_assert(std::size(kWrong) >= 20);
  for (const WrongKubeconfig& wrong : kWrong) {
    const auto config = parse(wrong.text, "", "/", "F");
    ASSERT_FALSE(config) << wrong.what;
    EXPECT_EQ(config.error().code(), ErrorCode::Config) << wrong.what;
    EXPECT_EQ(config.error().to_string(), wrong.message) << wrong.what;
    EXPECT_THAT(config.error().to_string(), Not(HasSubstr("secret"))) << wrong.what;
  }
}

TEST(WrongKubeconfigs, WhatItsFieldsReferToIsCheckedBeforeTheFirstRequest) {
  for (const WrongKubeconfig& wrong : kUnusable) {
    const auto config = parse(wrong.text, "", "/", "F");
    ASSERT_TRUE(config) << wrong.what << ": " << config.error().to_string();
    const auto made =
        rest::transport_for(*config, {.executor = std::make_shared<SeededExecutor>(1)});
    ASSERT_FALSE(made) << wrong.what;
    EXPECT_EQ(made.error().to_string(), wrong.message) << wrong.what;
    EXPECT_THAT(made.error().to_string(), Not(HasSubstr("secret"))) << wrong.what;
  }
}

TEST(WrongKubeconfigs, AValueOfAnOverrideIsNotBlamedOnTheFile) {
  const auto config = read_kubeconfig(
      "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
      "clusters: [{name: k, cluster: {server: 'https://127.0.0.1:1'}}]\n",
      "F");
  ASSERT_TRUE(config);
  ConfigOverrides overrides;
  overrides.cluster.server = "ftp://h";
  EXPECT_EQ(ClientConfig(*config, overrides).client_config().error().message(),
            "invalid configuration: host has the scheme \"ftp\"; expected http or https");
}

// An empty cluster, which no file has.
TEST(WrongKubeconfigs, EntriesWithoutAFileAreNamedWithoutAPlace) {
  Kubeconfig config;
  config.current_context = "c";
  config.contexts["c"].cluster = "k";
  config.clusters["k"];
  EXPECT_EQ(ClientConfig(config).client_config().error().message(),
            "invalid configuration: cluster has no server defined");
  config.clusters["k"].proxy_url = "http://p";
  EXPECT_EQ(ClientConfig(config).client_config().error().message(),
            "invalid configuration: no server found for cluster \"k\"");
  ConfigOverrides defaults;
  defaults.cluster.proxy_url = "http://p";
  EXPECT_EQ(ClientConfig(Kubeconfig{}, defaults).client_config().error().message(),
            "invalid configuration: default cluster has no server defined");
}

TEST(WrongKubeconfigs, AllEntriesOfAFileAreValidatedAtOnce) {
  const auto config = read_kubeconfig(
      "current-context: gone\ncontexts: [{name: c, context: {}}]\nclusters: [{name: k}]\n"
      "users: [{name: u, user: {as-uid: '1'}}]\n",
      "F");
  ASSERT_TRUE(config);
  const auto valid = validate(*config);
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().message(),
            "invalid configuration:\n"
            "F: line 1: current-context: context was not found for specified context: gone\n"
            "F: line 2: contexts[0].context.user: user was not specified for context \"c\"\n"
            "F: line 2: contexts[0].context.cluster: cluster was not specified for context \"c\"\n"
            "F: line 4: users[0].user: requesting uid, groups or user-extra for u without "
            "impersonating a user\n"
            "F: line 3: clusters[0].cluster.server: no server found for cluster \"k\"");
}

}  // namespace
}  // namespace kube::kubeconfig
