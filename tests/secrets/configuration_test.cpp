// SPDX-License-Identifier: Apache-2.0
//
// Secrets of kubeconfig files, right and wrong, and of configurations that a program makes itself.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kube/client/client.hpp>
#include <kube/config/kubeconfig.hpp>
#include <kube/config/modify.hpp>
#include <kube/json/base64.hpp>

#include "canary.hpp"
#include "client_use.hpp"
#include "proxy_shapes.hpp"
#include "temporary_folder.hpp"

namespace secrets {
namespace {

std::string base64(const std::string& text) {
  std::string encoded;
  kube::json::write_base64(text, encoded);
  return encoded;
}

std::string pem(const std::string& what) {
  return "-----BEGIN " + what + "-----\n" + base64(std::string(kCanary)) + "\n-----END " + what +
         "-----\n";
}

// Members of a user's entry, right and wrong.
std::vector<std::string> users() {
  return {
      // A token, and what YAML makes of one that is not quoted.
      "token: CANARY",
      "token: [CANARY]",
      "token: {CANARY: CANARY}",
      "token: *CANARY",
      "token: &CANARY",
      "token: !CANARY a",
      "token: !!int CANARY",
      "token: !!float CANARY",
      "token: !!bool CANARY",
      "token: !!binary \"CANARY!\"",
      "token: CANARY: a",
      "token: \"CANARY",
      "token: \"CANARY\\q\"",
      "token: 'CANARY",
      "token: @CANARY",
      "token: `CANARY`",
      "token: %CANARY",
      "token: [CANARY",
      "token: {CANARY",
      "token: |CANARY",
      "token: >CANARY",
      "token: CANARY\n      CANARY",
      "token: a\nCANARY",
      "token: \"a\"CANARY",
      "token: ? CANARY",
      "\tCANARY: a",
      "token: a\x01"
      "CANARY",
      "token: \xff"
      "CANARY",
      "token: \"CANARY\\n\"",
      "token: \"CANARY\\u0001\"",
      "token: a\n--- CANARY",
      "token: a\n...\nCANARY",
      "token: a\n%CANARY",
      "<<: CANARY",
      "<<: *CANARY",
      "CANARY: {}",
      // Ways to log in that exclude each other.
      "{token: CANARY, username: CANARY, password: CANARY}",
      "{username: a, password: CANARY}",
      "{password: CANARY}",
      "{username: a, password: \"CANARY\\n\"}",
      "{username: a, password: [CANARY]}",
      // Certificates and keys.
      "client-key-data: CANARY",
      "client-key-data: \"" + base64(std::string(kCanary)) + "\"",
      "{client-certificate-data: CANARY!, client-key-data: CANARY!}",
      "{client-certificate-data: CANARY, client-key-data: CANARY}",
      "{client-certificate-data: \"" + base64(std::string(kCanary)) + "\", client-key-data: \"" +
          base64(std::string(kCanary)) + "\"}",
      "{client-certificate-data: \"" + base64(pem("CERTIFICATE")) + "\", client-key-data: \"" +
          base64(pem("PRIVATE KEY")) + "\"}",
      "{client-certificate-data: \"" + base64(pem("CERTIFICATE")) + "\", client-key-data: \"" +
          base64(pem("ENCRYPTED PRIVATE KEY")) + "\"}",
      "{client-certificate: FILE, client-key: FILE}",
      // Files.
      "tokenFile: FILE",
      "tokenFile: BINARY",
      "tokenFile: /nowhere",
      // What is refused as a whole.
      "exec: {command: login, args: [--password, CANARY], env: [{name: A, value: CANARY}]}",
      "exec: CANARY",
      "auth-provider: {name: oidc, config: {id-token: CANARY, refresh-token: CANARY}}",
      "auth-provider: {config: {access-token: CANARY}}",
      "auth-provider: CANARY",
      "{token: CANARY, as: somebody, as-user-extra: {scopes: [CANARY]}}",
      "{token: CANARY, as-user-extra: {scopes: [CANARY]}}",
      "[CANARY]",
      "CANARY",
  };
}

// Of the cluster: what makes the whole configuration wrong, or every request fail.
constexpr const char* kClusters[] = {
    "{server: \"https://127.0.0.1:1\"}",
    "{server: \"https://127.0.0.1:1\", certificate-authority-data: \"!\"}",
    "{server: \"https://127.0.0.1:1\", certificate-authority: /nowhere}",
    "{server: \"https://127.0.0.1:1\", insecure-skip-tls-verify: 1}",
    "{server: \"http://127.0.0.1:1\"}",
    "{server: \"\"}",
    "[]",
};

std::string kubeconfig_with(const std::string& cluster, const std::string& user) {
  const std::string member = user.starts_with('{') || user.starts_with('[') || user == "CANARY"
                                 ? "  user: " + user
                                 : "  user:\n    " + user;
  return "kind: Config\napiVersion: v1\ncurrent-context: c\ncontexts:\n- name: c\n  context: "
         "{cluster: c, user: u}\nclusters:\n- name: c\n  cluster: " +
         cluster + "\nusers:\n- name: u\n" + member + "\n";
}

void use_kubeconfig(const std::string& text, Outputs& outputs) {
  const auto config = kube::kubeconfig::parse(text, "", "/", "the file");
  if (!config) return outputs.add("kubeconfig", config.error());
  use(*config, outputs);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

TEST(ConfigurationSecrets, OfUsersInKubeconfigsAreNotShown) {
  const programs::TemporaryFolder folder;
  const std::string text_file =
      folder.write("text", std::string(kCanary) + "\n" + std::string(kCanary));
  const std::string binary_file =
      folder.write("binary", std::string("\x01") + std::string(kCanary));
  for (std::string user : users()) {
    user = with_canary(user);
    replace(user, "FILE", text_file);
    replace(user, "BINARY", binary_file);
    for (const char* cluster : kClusters) {
      Outputs outputs;
      use_kubeconfig(kubeconfig_with(cluster, user), outputs);
      EXPECT_GT(outputs.size(), 2U);
      outputs.expect_no_canary(user + "\nin the cluster " + cluster);
    }
  }
}

TEST(ConfigurationSecrets, OfKubeconfigsThatAreShownOrChangedAreNotShown) {
  const programs::TemporaryFolder folder;
  const std::string file = folder.write(
      "config", with_canary("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: "
                            "u}}]\nclusters: [{name: k, cluster: {server: 'https://h', proxy-url: "
                            "'http://me:CANARY@p:1'}}, {name: l, cluster: {server: "
                            "'https://h', proxy-url: 'http://me:CANARY@p:port'}}]\n"
                            "users:\n- name: u\n  user:\n    token: CANARY\n"
                            "    auth-provider: {name: oidc, config: {id-token: CANARY, "
                            "refresh-token: CANARY, client-secret: CANARY}}\n"
                            "- {name: v, user: {password: CANARY, client-key-data: " +
                            base64(std::string(kCanary)) + "}}\n"));
  Outputs outputs;
  kube::kubeconfig::LoadingRules rules;
  rules.explicit_path = file;
  auto config = rules.load();
  ASSERT_TRUE(config);
  kube::kubeconfig::Kubeconfig shown = *config;
  redact(shown);
  outputs.add("redacted YAML", to_yaml(shown));
  outputs.add("redacted JSON", to_json(shown));
  const std::string canary(kCanary);
  for (const char* property : {"users.u.token.x", "users.v.client-key-data", "users.u.exec.args",
                               "clusters.k", "token", "clusters.k.insecure-skip-tls-verify"}) {
    const auto done = set(*config, property, canary + "!");
    ASSERT_FALSE(done) << property;
    outputs.add(property, done.error());
  }
  const auto resolved = kube::kubeconfig::load({.path = file});
  ASSERT_TRUE(resolved);
  const auto lock = kube::kubeconfig::FileLock::acquire(file);
  const auto stored = resolved->auth_provider->persist({{"id-token", canary + "2"}});
  ASSERT_FALSE(stored);
  outputs.add("persist", stored.error());
  const auto modified = modify(rules, [&](kube::kubeconfig::Kubeconfig& changed) {
    changed.users["u"].token = canary + "3";
    return kube::Result<void>();
  });
  ASSERT_FALSE(modified);
  outputs.add("modify", modified.error());
  outputs.expect_no_canary("a kubeconfig that is shown or changed");
}

TEST(ConfigurationSecrets, OfFilesThatAreNoKubeconfigsAreNotShown) {
  for (const char* text : {"CANARY",
                           "\"CANARY\"",
                           "CANARY: a",
                           "[CANARY]",
                           "- CANARY",
                           "{\"token\": \"CANARY\"x}",
                           "{\"token\": CANARY}",
                           "{\"CANARY",
                           "{CANARY",
                           "\x01"
                           "CANARY",
                           "--- CANARY",
                           "%CANARY\n---",
                           "users: CANARY",
                           "users: [CANARY]",
                           "users: {CANARY: a}",
                           "users: [{name: [CANARY]}]",
                           "current-context: [CANARY]",
                           "-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----",
                           "user:CANARY@host",
                           "machine host login user password CANARY",
                           "token=CANARY",
                           "*CANARY",
                           "&CANARY"}) {
    Outputs outputs;
    use_kubeconfig(with_canary(text), outputs);
    outputs.expect_no_canary(text);
  }
}

TEST(ConfigurationSecrets, OfUrlsOfServersAreNotShown) {
  for (std::string shape : proxy_shapes()) {
    if (shape.find('?') != std::string::npos || shape.find('#') != std::string::npos) continue;
    Outputs outputs;
    use({.host = with_canary(shape)}, outputs);
    EXPECT_GT(outputs.size(), 2U);
    outputs.expect_no_canary("host=" + shape);

    Outputs of_kubeconfig;
    replace(shape, "'", "''");
    use_kubeconfig(kubeconfig_with("{server: '" + with_canary(shape) + "'}", "token: a"),
                   of_kubeconfig);
    of_kubeconfig.expect_no_canary("server: " + shape);
  }
}

TEST(ConfigurationSecrets, OfUrlsOfServersAreNotShownWhenTheyAreInTheQuery) {
  for (const char* host :
       {"https://127.0.0.1:1/?token=CANARY", "https://127.0.0.1:1?token=CANARY",
        "https://127.0.0.1:1/#CANARY", "http://127.0.0.1:1/a?token=CANARY",
        "https://user:a?CANARY@127.0.0.1:1", "https://user:CANARY#a@127.0.0.1:1"}) {
    Outputs outputs;
    use({.host = with_canary(host)}, outputs);
    use_kubeconfig(kubeconfig_with("{server: \"" + with_canary(host) + "\"}", "token: a"), outputs);
    outputs.expect_no_canary(host);
  }
}

TEST(ConfigurationSecrets, OfConfigsAreNotShown) {
  const std::string secret(kCanary);
  const programs::TemporaryFolder folder;
  const std::string file = folder.write("file", secret + "\x01");
  const kube::rest::Config server{.host = "http://127.0.0.1:1"};
  const auto with = [&](auto change) {
    kube::rest::Config config = server;
    change(config);
    return config;
  };
  using Config = kube::rest::Config;
  for (const Config& config : {
           with([&](Config& c) { c.bearer_token = secret; }),
           with([&](Config& c) { c.bearer_token = secret + "\n"; }),
           with([&](Config& c) { c.bearer_token = "a\r\nX-Token: " + secret; }),
           with([&](Config& c) { c.bearer_token = std::string("\0", 1) + secret; }),
           with([&](Config& c) { c.bearer_token_file = file; }),
           with([&](Config& c) {
             c.bearer_token_file = file;
             c.bearer_token = secret;
           }),
           with([&](Config& c) {
             c.username = "a";
             c.password = secret;
           }),
           with([&](Config& c) {
             c.username = "a";
             c.password = secret + "\r\n\x01";
           }),
           with([&](Config& c) {
             c.username = "a";
             c.bearer_token = c.password = secret;
           }),
           with([&](Config& c) { c.tls.key.data = secret; }),
           with([&](Config& c) { c.tls.key.data = c.tls.certificate.data = secret; }),
           with([&](Config& c) { c.tls.key.file = c.tls.certificate.file = file; }),
           with([&](Config& c) { c.tls.ca.data = secret; }),
       }) {
    Outputs outputs;
    use(config, outputs);
    EXPECT_GT(outputs.size(), 2U);
    outputs.expect_no_canary(kube::rest::to_string(config));
  }
}

}  // namespace
}  // namespace secrets
