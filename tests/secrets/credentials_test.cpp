// SPDX-License-Identifier: Apache-2.0
//
// Secrets of exec plugins, of what they print, and of auth providers.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <kube/config/auth_info.hpp>
#include <kube/config/exec_credential.hpp>
#include <kube/config/kubeconfig_types.hpp>

#include "canary.hpp"
#include "client_use.hpp"
#include "temporary_folder.hpp"

namespace secrets {
namespace {

constexpr const char* kServer = "https://127.0.0.1:1";

// What a plugin may print, right and wrong; STATUS is put into an ExecCredential.
std::vector<std::string> plugin_outputs() {
  std::vector<std::string> texts = {
      "CANARY",
      "\"CANARY\"",
      "[\"CANARY\"]",
      R"({"token":"CANARY"})",
      R"({"kind":"ExecCredential","status":{"token":"CANARY"}})",
      R"({"kind":"CANARY","apiVersion":"client.authentication.k8s.io/v1","status":{}})",
      R"({"kind":"ExecCredential","apiVersion":"CANARY","status":{"token":"CANARY"}})",
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
      R"("status":{"token":"CANARY"}})",
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":"CANARY"})",
      "{\"kind\":\"ExecCredential\" CANARY",
  };
  for (
      const char* status :
      {R"({"token":"CANARY"})", R"({"token":"CANARY\r\n"})", R"({"token":["CANARY"]})",
       R"({"token":"a","expirationTimestamp":"CANARY"})", R"({"clientKeyData":"CANARY"})",
       R"({"clientCertificateData":"CANARY"})",
       R"({"clientCertificateData":"CANARY","clientKeyData":"CANARY"})",
       R"({"clientCertificateData":"-----BEGIN CERTIFICATE-----\nCANARY\n-----END CERTIFICATE-----",)"
       R"("clientKeyData":"-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----"})"}) {
    texts.push_back(
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
        std::string(status) + "}");
  }
  return texts;
}

kube::rest::Config with_plugin(const std::string& command) {
  return {.host = kServer,
          .exec_provider =
              kube::rest::ExecConfig{.command = command,
                                     .args = {with_canary("--password=CANARY")},
                                     .env = {{"PASSWORD", std::string(kCanary)}},
                                     .api_version = "client.authentication.k8s.io/v1",
                                     .interactive_mode = kube::rest::ExecInteractiveMode::Never,
                                     .config = with_canary(R"({"password":"CANARY"})")}};
}

void use_and_search(const kube::rest::Config& config, const std::string& input) {
  Outputs outputs;
  use(config, outputs);
  EXPECT_GT(outputs.size(), 2U);
  outputs.expect_no_canary(input);
}

TEST(CredentialSecrets, OfWhatPluginsPrintAreNotShown) {
  const programs::TemporaryFolder folder;
  const std::string plugin = folder.write(
      "plugin",
      "#!/bin/sh\ncat \"$(dirname \"$0\")/answer\"\ntest ! -e \"$(dirname \"$0\")/fail\"\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  for (const std::string& text : plugin_outputs()) {
    folder.write("answer", with_canary(text));
    use_and_search(with_plugin(plugin), text);
  }
  folder.write("fail", "");
  use_and_search(with_plugin(plugin), "a plugin that fails");
  use_and_search(with_plugin("no-such-plugin"), "a plugin that is missing");
}

TEST(CredentialSecrets, OfAuthProvidersAreNotShown) {
  using Settings = kube::rest::AuthProviderSettings;
  const std::string secret(kCanary);
  const std::string issuer = "https://127.0.0.1:1";
  int number = 0;
  for (Settings settings : {
           Settings{{"id-token", secret}},
           Settings{{"id-token", secret + "." + secret + "." + secret}},
           Settings{{"refresh-token", secret}, {"client-secret", secret}},
           Settings{{"refresh-token", secret}, {"idp-certificate-authority-data", secret + "!"}},
           Settings{{"refresh-token", secret}, {"idp-issuer-url", "https://a:" + secret + "@h:1"}},
           Settings{{"refresh-token", secret}, {"idp-issuer-url", issuer + "?a=" + secret}},
           Settings{{"refresh-token", secret}, {"idp-issuer-url", "nonsense " + secret}},
       }) {
    settings.insert({{"idp-issuer-url", issuer}, {"client-id", std::to_string(++number)}});
    use_and_search(
        {.host = kServer,
         .auth_provider = kube::rest::AuthProviderConfig{.name = "oidc", .config = settings}},
        "provider " + std::to_string(number));
  }
}

// A failed EXPECT_EQ prints its arguments: the bytes of those that have no other form.
TEST(CredentialSecrets, OfStructsThatGoogleTestPrintsAreNotShown) {
  const std::string secret(kCanary);
  Outputs outputs;
  const auto add = [&](const std::string& what, const auto& value) {
    outputs.add(what, testing::PrintToString(value));
  };
  const kube::transport::KeySource key{.data = secret};
  add("KeySource", key);
  add("TlsConfig", kube::transport::TlsConfig{.key = key});
  add("rest::AuthInfo", kube::rest::AuthInfo{.password = secret, .bearer_token = secret});
  add("Config",
      kube::rest::Config{.tls = {.key = key}, .bearer_token = secret, .password = secret});
  const kube::rest::AuthProviderConfig provider{.name = "oidc", .config = {{"id-token", secret}}};
  add("AuthProviderConfig", provider);
  add("AuthProviderSettings", provider.config);
  const kube::kubeconfig::AuthInfo user{
      .client_key_data = secret, .token = secret, .password = secret, .auth_provider = provider};
  add("kubeconfig::AuthInfo", user);
  add("users", kube::kubeconfig::Entries<kube::kubeconfig::AuthInfo>{{"u", user}});
  outputs.expect_no_canary("a struct");
}

TEST(CredentialSecrets, OfFilesOfCredentialsAndOfInfoForPluginsAreNotShown) {
  const programs::TemporaryFolder folder;
  for (const char* text : {"CANARY", R"({"BearerToken":["CANARY"]})", R"({"Password":"CANARY)",
                           R"({"Insecure":"CANARY"})"}) {
    Outputs outputs;
    const auto info = kube::rest::AuthInfo::load(folder.write("info", with_canary(text)));
    ASSERT_FALSE(info);
    outputs.add("AuthInfo", info.error());
    const auto exec = kube::rest::parse_exec_info(with_canary(text));
    ASSERT_FALSE(exec);
    outputs.add("ExecInfo", exec.error());
    outputs.expect_no_canary(text);
  }
}

}  // namespace
}  // namespace secrets
