// SPDX-License-Identifier: Apache-2.0
//
// Wrong kubeconfigs and the whole text of their errors: each mistake has a line with the file, the
// line, the field and what was expected, and none has the value of a credential.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/transport_for.hpp>

namespace kube::kubeconfig {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Wrong {
  const char* what;
  const char* text;
  const char* message;
};

// The beginning of a file whose line 4 is the cluster and line 5 the user.
#define KUBE_TEST_CONTEXT \
  "current-context: c\n"  \
  "contexts:\n"           \
  "- {name: c, context: {cluster: k, user: u}}\n"
#define KUBE_TEST_SERVER "clusters: [{name: k, cluster: {server: 'https://h'}}]\n"

constexpr Wrong kWrong[] = {
    {"not YAML", "clusters: [\n", "F: yaml: line 2: found unexpected end of stream"},
    {"a binary file",
     "\x7f"
     "ELF\x02",
     "F: expected YAML or JSON, got a control character at offset 4"},
    {"a list", "- name: k\n", "F: line 1: the document: expected a map, got array"},
    {"another kind", "apiVersion: apps/v1\nkind: Deployment\n",
     "F: line 1: apiVersion: expected \"v1\", got \"apps/v1\"\n"
     "F: line 2: kind: expected \"Config\", got \"Deployment\""},
    {"maps in place of lists", "clusters: {k: {}}\nusers: secret\ncontexts: 5\n",
     "F: line 1: clusters: expected a list, got object\n"
     "F: line 2: users: expected a list, got string\n"
     "F: line 3: contexts: expected a list, got number"},
    {"wrong types of fields",
     "clusters:\n- name: k\n  cluster:\n    server: 1.5\n    disable-compression: 'secret'\n"
     "users:\n- name: u\n  user:\n    token: 123456\n    as-groups: secret\n    exec:\n"
     "      command: x\n      env: [secret]\n      provideClusterInfo: 'no'\n",
     "F: line 4: clusters[0].cluster.server: expected a string, got number\n"
     "F: line 5: clusters[0].cluster.disable-compression: expected a boolean, got string\n"
     "F: line 9: users[0].user.token: expected a string, got number\n"
     "F: line 10: users[0].user.as-groups: expected a list, got string\n"
     "F: line 13: users[0].user.exec.env[0]: expected a map, got string\n"
     "F: line 14: users[0].user.exec.provideClusterInfo: expected a boolean, got string"},
    {"data that is not base64",
     "clusters: [{name: k, cluster: {certificate-authority-data: '-----BEGIN'}}]\n"
     "users: [{name: u, user: {client-key-data: '*secret', client-certificate-data: '!'}}]\n",
     "F: line 1: clusters[0].cluster.certificate-authority-data: expected base64\n"
     "F: line 2: users[0].user.client-certificate-data: expected base64\n"
     "F: line 2: users[0].user.client-key-data: expected base64"},
    {"duplicate names", "users:\n- name: u\n- name: v\n- name: u\n",
     "F: line 4: users[2].name: duplicate name \"u\" in list"},
    {"no context chosen", "contexts: [{name: a}, {name: b}]\n",
     "F: current-context: no context chosen: current-context is not set; contexts: a, b"},
    {"an unknown context", "current-context: gone\ncontexts: [{name: a}]\n",
     "F: line 1: current-context: context was not found for specified context: gone; contexts: a"},
    {"a context of unknown entries", KUBE_TEST_CONTEXT,
     "invalid configuration:\n"
     "F: line 3: contexts[0].context.user: user \"u\" was not found for context \"c\"\n"
     "F: line 3: contexts[0].context.cluster: cluster \"k\" was not found for context \"c\""},
    {"a context without a cluster, in a wrong namespace",
     "current-context: c\ncontexts:\n- name: c\n  context:\n    namespace: My_NS\n",
     "invalid configuration:\n"
     "F: line 4: contexts[0].context.cluster: cluster was not specified for context \"c\"\n"
     "F: line 5: contexts[0].context.namespace: namespace \"My_NS\" for context \"c\" does not "
     "conform to the kubernetes DNS_LABEL rules"},
    {"a cluster without a server", KUBE_TEST_CONTEXT "clusters: [{name: k}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: no server found for cluster "
     "\"k\""},
    {"a proxy of another scheme",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: h, proxy-url: 'ftp://me:secret@p'}}]\n"
     "users: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.proxy-url: invalid 'proxy-url' "
     "\"ftp://***@p\" for cluster \"k\": unsupported scheme \"ftp\", must be http, https, or "
     "socks5"},
    {"a CA in two forms, one of which is not there",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: h, certificate-authority: /none,\n"
                       "    certificate-authority-data: Q0E=}}]\nusers: [{name: u}]\n",
     "invalid configuration:\n"
     "F: line 5: clusters[0].cluster.certificate-authority-data: certificate-authority-data and "
     "certificate-authority are both specified for k. certificate-authority-data will override.\n"
     "F: line 4: clusters[0].cluster.certificate-authority: unable to read certificate-authority "
     "/none for k due to /none: No such file or directory"},
    {"a client certificate without a key",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {client-certificate: /none}}]\n",
     "invalid configuration:\n"
     "F: line 5: users[0].user.client-certificate: client-key-data or client-key must be specified "
     "for u to use the clientCert authentication method.\n"
     "F: line 5: users[0].user.client-certificate: unable to read client-cert /none for u due to "
     "/none: No such file or directory"},
    {"client certificate and key in two forms",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    client-certificate: /none/c\n    client-key: /none/k\n"
     "    client-certificate-data: c2VjcmV0\n    client-key-data: c2VjcmV0\n",
     "invalid configuration:\n"
     "F: line 10: users[0].user.client-certificate-data: client-cert-data and client-cert are both "
     "specified for u. client-cert-data will override.\n"
     "F: line 11: users[0].user.client-key-data: client-key-data and client-key are both specified "
     "for u; client-key-data will override\n"
     "F: line 8: users[0].user.client-certificate: unable to read client-cert /none/c for u due to "
     "/none/c: No such file or directory\n"
     "F: line 9: users[0].user.client-key: unable to read client-key /none/k for u due to /none/k: "
     "No such file or directory"},
    {"a token and a password",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users: [{name: u, user: {token: secret, username: me, password: secret}}]\n",
     "invalid configuration: F: line 5: users[0].user.token: more than one authentication method "
     "found for u; found [token basicAuth], only one is allowed"},
    {"an exec plugin without anything, and an auth provider",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    exec:\n      env:\n      - value: secret\n"
     "    auth-provider: {name: oidc, config: {id-token: secret}}\n",
     "invalid configuration:\n"
     "F: line 11: users[0].user.auth-provider: authProvider cannot be provided in combination with "
     "an exec plugin for u\n"
     "F: line 8: users[0].user.exec.command: command must be specified for u to use exec "
     "authentication plugin\n"
     "F: line 8: users[0].user.exec.apiVersion: apiVersion must be specified for u to use exec "
     "authentication plugin\n"
     "F: line 10: users[0].user.exec.env[0].name: env variable name must be specified for u to use "
     "exec authentication plugin\n"
     "F: line 8: users[0].user.exec.interactiveMode: interactiveMode must be specified for u to "
     "use exec authentication plugin"},
    {"an unknown interactive mode",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    exec:\n      command: x\n"
     "      apiVersion: client.authentication.k8s.io/v1\n      interactiveMode: Sometimes\n",
     "invalid configuration: F: line 11: users[0].user.exec.interactiveMode: invalid "
     "interactiveMode for u: \"Sometimes\", must be Never, IfAvailable or Always"},
    {"groups without a user to impersonate",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {as-groups: [g]}}]\n",
     "invalid configuration: F: line 5: users[0].user: requesting uid, groups or user-extra for u "
     "without impersonating a user"},
    {"a token file that is not there",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {tokenFile: /none/t}}]\n",
     "invalid configuration: F: line 5: users[0].user.tokenFile: /none/t: No such file or "
     "directory"},
    {"a server of another scheme",
     KUBE_TEST_CONTEXT "clusters: [{name: k, cluster: {server: 'ftp://h'}}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host has the scheme \"ftp\"; "
     "expected http or https"},
    {"a server with a port that does not exist",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://h:99999'}}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host must be a URL or a "
     "host:port "
     "pair: the port is not a number up to 65535"},
    {"a server with a password",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://me:secret@h'}}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.server: host must not hold a user and "
     "password; set username and password instead"},
    {"a CA that is not used",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://h', insecure-skip-tls-verify: true,\n"
     "    certificate-authority-data: c2VjcmV0}}]\nusers: [{name: u}]\n",
     "invalid configuration: F: line 4: clusters[0].cluster.insecure-skip-tls-verify: specifying a "
     "root certificates file with the insecure flag is not allowed"},
    {"an exec plugin of a version that was removed",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users:\n- name: u\n  user:\n    exec:\n      command: x\n"
                                        "      apiVersion: client.authentication.k8s.io/v1alpha1\n",
     "invalid configuration: F: line 10: users[0].user.exec.apiVersion: invalid apiVersion "
     "\"client.authentication.k8s.io/v1alpha1\"; expected client.authentication.k8s.io/v1 or "
     "client.authentication.k8s.io/v1beta1"},
    {"a token of two lines",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER "users: [{name: u, user: {token: \"secret\\nsecret\"}}]\n",
     "invalid configuration: F: line 5: users[0].user.token: the bearer token contains a line "
     "break "
     "or control character"},
    {"several that were found one after the other",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'ftp://h', proxy-url: 'ftp://p'}}]\n"
     "users: [{name: u, user: {as-uid: '1', exec: {command: x, interactiveMode: Never,\n"
     "    apiVersion: client.authentication.k8s.io/v1alpha1}}}]\n",
     "invalid configuration:\n"
     "F: line 4: clusters[0].cluster.server: host has the scheme \"ftp\"; expected http or https\n"
     "F: line 4: clusters[0].cluster.proxy-url: invalid 'proxy-url' \"ftp://p\" for cluster \"k\": "
     "unsupported scheme \"ftp\", must be http, https, or socks5\n"
     "F: line 6: users[0].user.exec.apiVersion: invalid apiVersion "
     "\"client.authentication.k8s.io/v1alpha1\"; expected client.authentication.k8s.io/v1 or "
     "client.authentication.k8s.io/v1beta1\n"
     "F: line 5: users[0].user: requesting uid, groups or user-extra for u without impersonating a "
     "user"},
    {"nothing", "# not yet\n",
     "invalid configuration: no configuration has been provided: F has no cluster, user, context "
     "or current-context"},
};

// What the use of a field shows.
constexpr Wrong kUnusable[] = {
    {"a CA and a certificate that are not PEM",
     KUBE_TEST_CONTEXT
     "clusters: [{name: k, cluster: {server: 'https://h', certificate-authority-data: c2VjcmV0}}]\n"
     "users:\n- name: u\n  user:\n    client-key-data: c2VjcmV0\n"
     "    client-certificate-data: c2VjcmV0\n",
     "F: line 4: clusters[0].cluster.certificate-authority-data: the CA data contains no PEM "
     "certificate\n"
     "F: line 9: users[0].user.client-certificate-data: the client certificate data contains no "
     "PEM "
     "certificate"},
    {"an auth provider that was removed",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users: [{name: u, user: {auth-provider: {name: gcp, config: {access-token: secret}}}}]\n",
     "F: line 5: users[0].user.auth-provider.name: The gcp auth plugin has "
     "been removed.\nPlease use the \"gke-gcloud-auth-plugin\" kubectl/client-go credential plugin "
     "instead.\nSee https://cloud.google.com/blog/products/containers-kubernetes/"
     "kubectl-auth-changes-in-gke for further details"},
    {"OIDC without an issuer",
     KUBE_TEST_CONTEXT KUBE_TEST_SERVER
     "users:\n- name: u\n  user:\n    auth-provider:\n      name: oidc\n"
     "      config: {id-token: secret}\n",
     "F: line 10: users[0].user.auth-provider.config: Must provide "
     "idp-issuer-url"},
};

#undef KUBE_TEST_CONTEXT
#undef KUBE_TEST_SERVER

TEST(WrongKubeconfigs, EachMistakeIsNamedWithFileLineFieldAndWhatWasExpected) {
  static_assert(std::size(kWrong) >= 20);
  for (const Wrong& wrong : kWrong) {
    const auto config = parse(wrong.text, "", "/", "F");
    ASSERT_FALSE(config) << wrong.what;
    EXPECT_EQ(config.error().code(), ErrorCode::Config) << wrong.what;
    EXPECT_EQ(config.error().to_string(), wrong.message) << wrong.what;
    EXPECT_THAT(config.error().to_string(), Not(HasSubstr("secret"))) << wrong.what;
  }
}

TEST(WrongKubeconfigs, WhatItsFieldsReferToIsCheckedBeforeTheFirstRequest) {
  for (const Wrong& wrong : kUnusable) {
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
      "clusters: [{name: k, cluster: {server: 'https://h'}}]\n",
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
