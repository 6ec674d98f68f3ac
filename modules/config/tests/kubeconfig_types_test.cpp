// SPDX-License-Identifier: Apache-2.0
#include <kube/config/kubeconfig_types.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/client_config.hpp>

#include "temporary_directory.hpp"

namespace kube::kubeconfig {
namespace {

using rest::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWhole = R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority: pki/ca.crt
    disable-compression: true
    extensions:
    - extension:
        a:
        - 1
        - 2
      name: client.authentication.k8s.io/exec
    insecure-skip-tls-verify: true
    proxy-url: http://p
    server: https://h
    tls-server-name: name
  name: "0"
contexts:
- context:
    cluster: "0"
    namespace: web
    user: ""
  name: "433e40"
current-context: "433e40"
extensions:
- extension: text
  name: one
kind: Config
preferences:
  colors: true
users:
- name: u
  user:
    as: me
    as-groups:
    - g
    as-uid: "7"
    as-user-extra:
      scope:
      - view
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args:
      - get-token
      command: bin/plugin
      env:
      - name: A
        value: b
      installHint: install it
      interactiveMode: Never
      provideClusterInfo: true
    token: abc
- name: v
  user:
    auth-provider:
      config:
        id-token: secret-id
      name: oidc
    client-certificate-data: Y2VydA==
    client-key-data: a2V5
    password: pw
    username: me
)";

Kubeconfig read(std::string_view text, const std::string& file = "") {
  Result<Kubeconfig> config = read_kubeconfig(text, file);
  EXPECT_TRUE(config) << config.error().to_string();
  return config ? *std::move(config) : Kubeconfig{};
}

TEST(KubeconfigTypes, CFG_31_CFG_59_AWholeFileIsReadAndWrittenAsKubectlWritesIt) {
  const Kubeconfig config = read(kWhole);
  EXPECT_EQ(to_yaml(config), kWhole);
  EXPECT_EQ(config.extensions.at("one"), "\"text\"");
  EXPECT_EQ(config.clusters.at("0").extensions.at("client.authentication.k8s.io/exec"),
            R"({"a":[1,2]})");
  EXPECT_EQ(read(to_yaml(config)), config);
  EXPECT_EQ(read(to_json(config)), config);
  EXPECT_EQ(to_yaml({}),
            "apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: \"\"\n"
            "kind: Config\nusers: null\n");
}

TEST(KubeconfigTypes, JsonHasTheFieldsInTheOrderOfKubectl) {
  EXPECT_EQ(to_json(read("clusters: [{name: k, cluster: {server: s, proxy-url: p, "
                         "tls-server-name: t}}]\nusers: [{name: u, user: {exec: {command: c}}}]")),
            R"({
    "kind": "Config",
    "apiVersion": "v1",
    "clusters": [
        {
            "name": "k",
            "cluster": {
                "server": "s",
                "tls-server-name": "t",
                "proxy-url": "p"
            }
        }
    ],
    "users": [
        {
            "name": "u",
            "user": {
                "exec": {
                    "command": "c",
                    "args": null,
                    "env": null,
                    "apiVersion": "",
                    "provideClusterInfo": false
                }
            }
        }
    ],
    "contexts": null,
    "current-context": ""
}
)");
}

TEST(KubeconfigTypes, CFG_32_AFileOfDefaultsHasEmptyMaps) {
  const Kubeconfig config = read(to_yaml({}));
  EXPECT_TRUE(config.clusters.empty());
  EXPECT_TRUE(config.users.empty());
  EXPECT_TRUE(config.contexts.empty());
  EXPECT_TRUE(config.extensions.empty());
  EXPECT_TRUE(config.empty());
}

TEST(KubeconfigTypes, CFG_33_DuplicateNamesAreAnErrorThatNamesAllOfThem) {
  const auto config = read_kubeconfig(
      "clusters: [{name: a}, {name: a}]\ncontexts: [{name: b}, {name: b}]\n"
      "users: [{name: c}, {name: c}]\n"
      "extensions: [{name: d, extension: 1}, {name: d, extension: 2}]\n",
      "F");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(),
            "F: line 1: clusters[1].name: duplicate name \"a\" in list\n"
            "F: line 2: contexts[1].name: duplicate name \"b\" in list\n"
            "F: line 3: users[1].name: duplicate name \"c\" in list\n"
            "F: line 4: extensions[1].name: duplicate name \"d\" in list");
}

TEST(KubeconfigTypes, CFG_21_WithoutAnInteractiveModeOldVersionsHaveOne) {
  const auto mode_of = [](const std::string& version) {
    return read(
               "users: [{name: u, user: {exec: {command: c, apiVersion: "
               "client.authentication.k8s.io/" +
               version + "}}}]")
        .users.at("u")
        .exec->interactive_mode;
  };
  EXPECT_EQ(mode_of("v1alpha1"), rest::ExecInteractiveMode::IfAvailable);
  EXPECT_EQ(mode_of("v1beta1"), rest::ExecInteractiveMode::IfAvailable);
  EXPECT_EQ(mode_of("v1"), rest::ExecInteractiveMode::Unset);
  const auto usable =
      ClientConfig(
          read("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
               "clusters: [{name: k, cluster: {server: 'https://h'}}]\n"
               "users: [{name: u, user: {exec: {command: c, apiVersion: "
               "client.authentication.k8s.io/v1}}}]"))
          .confirm_usable();
  ASSERT_FALSE(usable);
  EXPECT_EQ(usable.error().message(),
            "invalid configuration: interactiveMode must be specified for u to use exec "
            "authentication plugin");
}

TEST(KubeconfigTypes, CFG_34_RelativePathsResolveAgainstTheFilesFolder) {
  Kubeconfig config = read(
      "clusters: [{name: k, cluster: {certificate-authority: pki/ca.crt}}]\n"
      "users:\n"
      "- {name: relative, user: {client-certificate: c.crt, client-key: ../k, tokenFile: t, "
      "exec: {command: bin/x}}}\n"
      "- {name: absolute, user: {client-certificate: /c, client-key: /k, tokenFile: /t, "
      "exec: {command: /x}}}\n"
      "- {name: by-path, user: {exec: {command: x}}}\n",
      "/base/dir/config");
  resolve_paths(config);
  EXPECT_EQ(config.clusters.at("k").certificate_authority, "/base/dir/pki/ca.crt");
  const AuthInfo& relative = config.users.at("relative");
  EXPECT_EQ(relative.client_certificate, "/base/dir/c.crt");
  EXPECT_EQ(relative.client_key, "/base/k");
  EXPECT_EQ(relative.token_file, "/base/dir/t");
  EXPECT_EQ(relative.exec->command, "/base/dir/bin/x");
  const AuthInfo& absolute = config.users.at("absolute");
  EXPECT_EQ(absolute.client_certificate + absolute.client_key + absolute.token_file, "/c/k/t");
  EXPECT_EQ(absolute.exec->command, "/x");
  EXPECT_EQ(config.users.at("by-path").exec->command, "x");
}

TEST(KubeconfigTypes, CFG_35_PathsBelowTheFolderBecomeRelative) {
  EXPECT_EQ(relativize("/base/subdir/f", "/base").value(), "subdir/f");
  EXPECT_EQ(relativize("/base/x/../f", "/base/").value(), "f");
  EXPECT_EQ(relativize("/other/f", "/base").value(), "/other/f");
  EXPECT_EQ(relativize("", "/base").value(), "");
  const auto wrong = relativize("../x", "/base");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), "\"../x\" is not an absolute path");

  Cluster cluster{.certificate_authority = "/base/pki/ca", .origin = {.file = "/base/config"}};
  ASSERT_TRUE(relativize_paths(cluster));
  EXPECT_EQ(cluster.certificate_authority, "pki/ca");
  AuthInfo user{.client_key = "/other/k", .token_file = "/base/t"};
  user.exec.ensure().command = "/base/x";
  user.origin.file = "/base/config";
  ASSERT_TRUE(relativize_paths(user));
  EXPECT_EQ(user.client_key, "/other/k");
  EXPECT_EQ(user.token_file, "t");
  EXPECT_EQ(user.exec->command, "./x") << "without a '/' it would be looked for in PATH";
}

TEST(KubeconfigTypes, CFG_53_MinifyKeepsTheCurrentContextWithItsClusterAndUser) {
  const std::string text =
      "current-context: b\n"
      "contexts: [{name: a, context: {cluster: x, user: x}}, {name: b, context: {cluster: k, user: "
      "u}}, {name: c}]\nclusters: [{name: a}, {name: k}, {name: x}]\n"
      "users: [{name: a}, {name: u}, {name: x}]\n";
  Kubeconfig config = read(text);
  ASSERT_TRUE(minify(config));
  EXPECT_EQ(config, read("current-context: b\ncontexts: [{name: b, context: {cluster: k, user: "
                         "u}}]\nclusters: [{name: k}]\nusers: [{name: u}]"));
  const auto failure = [&](auto change) {
    Kubeconfig broken = read(text);
    change(broken);
    const auto done = minify(broken);
    return done ? "no error" : done.error().message();
  };
  EXPECT_EQ(failure([](Kubeconfig& c) { c.current_context = ""; }),
            "current-context must exist in order to minify");
  EXPECT_EQ(failure([](Kubeconfig& c) { c.current_context = "X"; }), "cannot locate context X");
  EXPECT_EQ(failure([](Kubeconfig& c) { c.clusters.clear(); }), "cannot locate cluster k");
  EXPECT_EQ(failure([](Kubeconfig& c) { c.users.clear(); }), "cannot locate user u");
}

TEST(KubeconfigTypes, CFG_54_FlattenEmbedsTheContentOfTheFiles) {
  const TemporaryDirectory directory;
  directory.write("pki/ca", "CA");
  directory.write("c", "CERT");
  directory.write("k", "KEY");
  const std::string text =
      "clusters: [{name: k, cluster: {certificate-authority: pki/ca}}]\n"
      "users: [{name: u, user: {client-certificate: c, client-key: " +
      (directory / "k") + "}}]\n";
  Kubeconfig config = read(text, directory / "config");
  ASSERT_TRUE(flatten(config));
  EXPECT_EQ(config, read("clusters: [{name: k, cluster: {certificate-authority-data: Q0E=}}]\n"
                         "users: [{name: u, user: {client-certificate-data: Q0VSVA==, "
                         "client-key-data: S0VZ}}]"));
  for (const char* field : {"ca", "certificate", "key"}) {
    Kubeconfig both = read(text, directory / "config");
    if (*field == 'k') both.users.at("u").client_key_data = "x";
    if (field == std::string_view("certificate")) both.users.at("u").client_certificate_data = "x";
    if (field == std::string_view("ca")) both.clusters.at("k").certificate_authority_data = "x";
    const auto done = flatten(both);
    ASSERT_FALSE(done) << field;
    EXPECT_THAT(done.error().message(), HasSubstr("cannot have values for both path and contents"));
  }
  std::filesystem::remove(directory / "k");
  config = read(text, directory / "config");
  const auto missing = flatten(config);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(),
            (directory / "config") + ": line 2: users[0].user.client-key: " + (directory / "k") +
                ": No such file or directory");
}

TEST(KubeconfigTypes, CFG_55_ShortenOmitsDataAndTokensAndKeepsPasswords) {
  Kubeconfig config = read(
      "clusters: [{name: k, cluster: {certificate-authority-data: Q0E=}}]\n"
      "users: [{name: u, user: {client-certificate-data: Q0E=, client-key-data: Q0E=, token: abc, "
      "password: pw}}, {name: v, user: {}}]\n");
  shorten(config);
  EXPECT_EQ(to_yaml(config),
            "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: DATA+OMITTED\n"
            "    server: \"\"\n  name: k\ncontexts: null\ncurrent-context: \"\"\nkind: Config\n"
            "users:\n- name: u\n  user:\n    client-certificate-data: DATA+OMITTED\n"
            "    client-key-data: DATA+OMITTED\n    password: pw\n    token: REDACTED\n"
            "- name: v\n  user: {}\n");
}

TEST(KubeconfigTypes, RedactReplacesEachSecretAndNothingElse) {
  Kubeconfig config = read(kWhole);
  redact(config);
  Kubeconfig expected = read(kWhole);
  expected.users.at("u").token = "REDACTED";
  expected.users.at("v").password = "REDACTED";
  expected.users.at("v").client_key_data = "REDACTED";
  expected.users.at("v").auth_provider->config["id-token"] = "REDACTED";
  EXPECT_EQ(config, expected);
  EXPECT_THAT(to_yaml(config), AllOf(Not(HasSubstr("abc")), Not(HasSubstr("pw")),
                                     Not(HasSubstr("a2V5")), Not(HasSubstr("secret-id"))));
}

TEST(KubeconfigTypes, RedactHidesUserAndPasswordOfUrls) {
  Kubeconfig config = read(
      "clusters:\n"
      "- {name: k, cluster: {server: 'https://h/a', proxy-url: 'http://me:secret@p:3128'}}\n"
      "- {name: l, cluster: {server: 'https://me:secret@h', proxy-url: 'http://me:secret@p:x'}}\n"
      "- {name: m, cluster: {server: 'https://h:6443', proxy-url: 'socks5://p'}}\n");
  redact(config);
  EXPECT_EQ(config.clusters.at("k").server, "https://h/a");
  EXPECT_EQ(config.clusters.at("k").proxy_url, "http://***@p:3128");
  EXPECT_EQ(config.clusters.at("l").server, "https://***@h");
  EXPECT_EQ(config.clusters.at("l").proxy_url, "(not a URL)");
  EXPECT_EQ(config.clusters.at("m").server, "https://h:6443");
  EXPECT_EQ(config.clusters.at("m").proxy_url, "socks5://p");
}

TEST(KubeconfigTypes, AllMistakesOfATextAreReportedInTheOrderOfItsLines) {
  const auto config = read_kubeconfig(
      "clusters:\n"
      "- name: k\n"
      "  cluster:\n"
      "    server: 5\n"
      "    insecure-skip-tls-verify: secret\n"
      "users:\n"
      "- name: u\n"
      "  user:\n"
      "    token: [secret]\n"
      "    client-key-data: '*secret*'\n"
      "current-context: {}\n",
      "/home/me/.kube/config");
  ASSERT_FALSE(config);
  const std::string at = "/home/me/.kube/config: line ";
  EXPECT_EQ(
      config.error().message(),
      at + "4: clusters[0].cluster.server: expected a string, got number\n" + at +
          "5: clusters[0].cluster.insecure-skip-tls-verify: expected a boolean, got string\n" + at +
          "9: users[0].user.token: expected a string, got array\n" + at +
          "10: users[0].user.client-key-data: expected base64\n" + at +
          "11: current-context: expected a string, got object");
  EXPECT_THAT(config.error().to_string(), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace kube::kubeconfig
