// SPDX-License-Identifier: Apache-2.0
#include <kube/config/client_config.hpp>

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace kube::kubeconfig {
namespace {

using namespace std::chrono_literals;
using rest::TemporaryDirectory;
using ::testing::HasSubstr;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Kubeconfig read(std::string_view text, const std::string& file = "") {
  Result<Kubeconfig> config = read_kubeconfig(text, file);
  EXPECT_TRUE(config) << config.error().to_string();
  return config ? *std::move(config) : Kubeconfig{};
}

// A configuration of one context, which is current.
Kubeconfig one(const std::string& cluster = "server: 'https://h'", const std::string& user = "",
               const std::string& context = "") {
  return read("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u" + context +
              "}}]\nclusters: [{name: k, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" +
              user + "}}]\n");
}

rest::Config made(const Kubeconfig& config, const ConfigOverrides& overrides = {}) {
  const auto out = ClientConfig(config, overrides).client_config();
  EXPECT_TRUE(out) << out.error().to_string();
  return out ? *out : rest::Config{};
}

std::string failure(const Kubeconfig& config, const ConfigOverrides& overrides = {},
                    const std::string& context = "") {
  const auto out = ClientConfig(config, overrides, context).client_config();
  return out ? "no error" : out.error().message();
}

TEST(ClientConfig, CFG_01_CFG_02_OverridesMergeIntoTheFile) {
  const Kubeconfig config = one("server: one, proxy-url: 'http://p'",
                                "token: one, as: me, as-groups: [a, b], as-user-extra: {x: [1a], "
                                "w: [2b]}, exec: {command: one, args: [a], installHint: hint}");
  ConfigOverrides overrides;
  overrides.cluster.server = "two";
  overrides.user.impersonate.groups = {"c"};
  overrides.user.impersonate.extra = {{"w", {"3c"}}, {"z", {"4d"}}};
  Kubeconfig merged = ClientConfig(config, overrides).merged_raw_config().value();
  EXPECT_EQ(merged.clusters.at("k").server, "two");
  EXPECT_EQ(merged.clusters.at("k").proxy_url, "http://p");
  const AuthInfo& user = merged.users.at("u");
  EXPECT_EQ(user.token, "one");
  EXPECT_EQ(user.impersonate,
            (rest::ImpersonationConfig{.user_name = "me",
                                       .groups = {"c"},
                                       .extra = {{"x", {"1a"}}, {"w", {"3c"}}, {"z", {"4d"}}}}));
  EXPECT_EQ(user.exec->command, "one") << "not set in the override: kept";

  overrides.user.exec = rest::ExecConfig{.command = "two"};
  merged = ClientConfig(config, overrides).merged_raw_config().value();
  EXPECT_EQ(*merged.users.at("u").exec, rest::ExecConfig{.command = "two"}) << "replaced wholly";
}

TEST(ClientConfig, CFG_04_CompressionIsDisabledByAnOverride) {
  EXPECT_FALSE(made(one()).disable_compression);
  ConfigOverrides overrides;
  overrides.cluster.disable_compression = true;
  EXPECT_TRUE(made(one(), overrides).disable_compression);
}

TEST(ClientConfig, CFG_05_CFG_06_AnOverrideOfTheTrustReplacesAllOfIt) {
  const TemporaryDirectory directory;
  ConfigOverrides insecure;
  insecure.cluster.insecure_skip_tls_verify = true;
  rest::Config config = made(one("server: 'https://h', certificate-authority-data: Q0E=, "
                                 "certificate-authority: /none"),
                             insecure);
  EXPECT_TRUE(config.tls.insecure_skip_verify);
  EXPECT_TRUE(config.tls.ca.empty());

  ConfigOverrides file;
  file.cluster.certificate_authority = directory.write("ca", "PEM");
  config = made(one("server: 'https://h', certificate-authority-data: Q0E=, "
                    "insecure-skip-tls-verify: true"),
                file);
  EXPECT_FALSE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.tls.ca.data, "");
  EXPECT_EQ(config.tls.ca.file, directory / "ca");
}

TEST(ClientConfig, CFG_07_AServersOverrideClearsTheTlsServerName) {
  const Kubeconfig config = one("server: 'https://h', tls-server-name: from-file");
  EXPECT_EQ(made(config).tls.server_name, "from-file");
  ConfigOverrides overrides;
  overrides.cluster.tls_server_name = "other";
  EXPECT_EQ(made(config, overrides).tls.server_name, "other");
  overrides.cluster.server = "https://other";
  EXPECT_EQ(made(config, overrides).tls.server_name, "other");
  overrides.cluster.tls_server_name = "";
  EXPECT_EQ(made(config, overrides).tls.server_name, "");
  EXPECT_EQ(made(config, overrides).host, "https://other");
}

TEST(ClientConfig, CFG_08_ImpersonationReachesTheConfigEvenOverPlainHttp) {
  const rest::ImpersonationConfig wanted{
      .user_name = "me", .uid = "7", .groups = {"a", "b"}, .extra = {{"x", {"1a", "2b"}}}};
  const Kubeconfig config =
      one("server: 'https://h'",
          "as: me, as-uid: '7', as-groups: [a, b], as-user-extra: {x: [1a, 2b]}");
  EXPECT_EQ(made(config).impersonate, wanted);
  ConfigOverrides overrides;
  overrides.cluster.server = "http://h";
  EXPECT_EQ(made(config, overrides).impersonate, wanted);
  overrides = {};
  overrides.user.impersonate = wanted;
  EXPECT_EQ(made(one("server: 'http://h'"), overrides).impersonate, wanted);
}

TEST(ClientConfig, CFG_09_PlainHttpGetsNoCredentials) {
  const TemporaryDirectory directory;
  const std::string pem = directory.write("pem", "PEM");
  const auto without = [&](const std::string& server, const std::string& user) {
    const rest::Config config =
        made(one("server: '" + server + "', certificate-authority: " + pem, user));
    return config == rest::Config{.host = server};
  };
  for (const std::string& user :
       {std::string("token: abc"), std::string("username: me, password: pw"),
        "client-certificate: " + pem + ", client-key: " + pem, "tokenFile: " + pem,
        std::string("exec: {command: x, apiVersion: client.authentication.k8s.io/v1beta1}"),
        std::string("auth-provider: {name: oidc}")}) {
    EXPECT_TRUE(without("http://h", user)) << user;
    EXPECT_FALSE(without("https://h", user)) << user;
  }
}

TEST(ClientConfig, AUnixSocketGetsTheCredentials) {
  const std::string user = "token: t, client-certificate-data: Yw==, client-key-data: aw==";
  for (const std::string host : {"unix:///run/kube.sock", "unix:/run/kube.sock"}) {
    const rest::Config config = made(one("server: '" + host + "'", user));
    EXPECT_EQ(rest::unix_socket(config), "/run/kube.sock");
    EXPECT_EQ(config.bearer_token, "t");
    EXPECT_EQ(*rest::base_url(config), "http://localhost/") << "a certificate alone is no TLS";
  }
  const rest::Config secure =
      made(one("server: 'unix:///run/kube.sock', certificate-authority-data: Yw==", user));
  EXPECT_EQ(*rest::base_url(secure), "https://localhost/");
  EXPECT_EQ(secure.tls.certificate.data, "c");
}

TEST(ClientConfig, CFG_10_TheNamespaceOfTheContextIsNoOverride) {
  const Kubeconfig config = one("server: 'https://h'", "", ", namespace: web");
  EXPECT_EQ(ClientConfig(config).namespace_().value(), (NamespaceChoice{"web", false}));
  EXPECT_EQ(ClientConfig(one()).namespace_().value(), (NamespaceChoice{"default", false}));
  ConfigOverrides overrides;
  overrides.context.namespace_ = "mine";
  EXPECT_EQ(ClientConfig(config, overrides).namespace_().value(), (NamespaceChoice{"mine", true}));
  EXPECT_EQ(ClientConfig({}, overrides).namespace_().value(), (NamespaceChoice{"mine", true}));
  EXPECT_FALSE(ClientConfig({}).namespace_());
}

TEST(ClientConfig, CFG_15_ServersPassThroughAndAnEmptyOneTakesTheDefaults) {
  for (const char* server : {"https://h:8080/foo/bar", "http://h:8080//", "h:8080", "anything"})
    EXPECT_EQ(made(one("server: '" + std::string(server) + "'")).host, server);
  ConfigOverrides overrides;
  overrides.cluster_defaults.server = "https://default";
  EXPECT_EQ(made(one("server: ''"), overrides).host, "https://default");
  EXPECT_EQ(made(one(), overrides).host, "https://h");
}

TEST(ClientConfig, CFG_17_AnUnknownContextOfTheCallerIsNamed) {
  ConfigOverrides defaults;
  defaults.cluster_defaults.server = "https://default";
  for (const ConfigOverrides& overrides : {ConfigOverrides{}, defaults}) {
    EXPECT_THAT(failure(one(), overrides, "not-present"),
                HasSubstr("context was not found for specified context: not-present"));
  }
}

TEST(ClientConfig, CFG_18_UnknownNamesOfOverridesAreNamed) {
  ConfigOverrides context;
  context.current_context = "x";
  EXPECT_EQ(failure(one(), context), "context \"x\" does not exist; contexts: c");
  ConfigOverrides user;
  user.context.user = "x";
  EXPECT_EQ(failure(one(), user), "auth info \"x\" does not exist; users: u");
  ConfigOverrides cluster;
  cluster.context.cluster = "x";
  EXPECT_EQ(failure(one(), cluster), "cluster \"x\" does not exist; clusters: k");
  cluster.context.cluster = "k";
  EXPECT_EQ(failure(one(), cluster), "no error");
}

TEST(ClientConfig, CFG_19_TheInstallHintLosesItsControlCharacters) {
  const auto hint = [](const std::string& text) {
    Kubeconfig config = one("server: 'https://h'",
                            "exec: {command: x, apiVersion: client.authentication.k8s.io/v1beta1}");
    config.users.at("u").exec->install_hint = text;
    return made(config).exec_provider.value().install_hint;
  };
  EXPECT_EQ(hint("\x1b[31mred\x1b[0m"), "U+001B[31mredU+001B[0m");
  EXPECT_EQ(hint(std::string("\0\a\x7f\xc2\x9b", 5)), "U+0000U+0007U+007FU+009B");
  EXPECT_EQ(hint("\xe2\x80\xae\xe2\x80\x8b"), "U+202EU+200B");
  const std::string kept =
      "\t\n\v\f\r Az09 .,;!? $+<=> "
      "\xc3\xa9 \xce\xa9 \xe4\xb8\xad \xd7\xa9 \xd9\xa3 e\xcc\x81 \xe2\x82\xac \xf0\x9f\x98\x80"
      "\xc2\xa0\xe3\x80\x80";
  EXPECT_EQ(hint(kept), kept);
}

TEST(ClientConfig, CFG_22_TheClustersExtensionIsThePluginsConfig) {
  const rest::Config config = made(one(
      "server: 'https://h', extensions: [{name: other, extension: 1}, {name: "
      "client.authentication.k8s.io/exec, extension: {audience: [a, 1, null], deep: {x: true}}}]",
      "exec: {command: x, args: [a], env: [{name: V1, value: v}], provideClusterInfo: true, "
      "interactiveMode: Always, apiVersion: client.authentication.k8s.io/v1}"));
  EXPECT_EQ(*config.exec_provider,
            (rest::ExecConfig{.command = "x",
                              .args = {"a"},
                              .env = {{"V1", "v"}},
                              .api_version = "client.authentication.k8s.io/v1",
                              .provide_cluster_info = true,
                              .interactive_mode = rest::ExecInteractiveMode::Always,
                              .config = R"({"audience":["a",1,null],"deep":{"x":true}})"}));
}

TEST(ClientConfig, CFG_23_TheMergedConfigChangesTheEffectiveEntriesOnly) {
  Kubeconfig config = one("server: 'https://h'", "token: t");
  config.contexts["other"] = {.cluster = "o", .user = "o"};
  config.clusters["o"].server = "https://o";
  config.users["o"].token = "o";
  ConfigOverrides overrides;
  overrides.current_context = "other";
  overrides.cluster.server = "https://new";
  overrides.user.token = "new";
  overrides.context.namespace_ = "ns";
  Kubeconfig expected = config;
  expected.current_context = "other";
  expected.contexts["other"].namespace_ = "ns";
  expected.clusters["o"].server = "https://new";
  expected.users["o"].token = "new";
  EXPECT_EQ(ClientConfig(config, overrides).merged_raw_config().value(), expected);
}

TEST(ClientConfig, CFG_24_ClientCertificatesOfAnOverrideReplaceFileAndData) {
  const TemporaryDirectory directory;
  const std::string pem = directory.write("pem", "PEM");
  ConfigOverrides files;
  files.user.client_certificate = files.user.client_key = pem;
  rest::Config config = made(
      one("server: 'https://h'", "client-certificate-data: Yw==, client-key-data: aw=="), files);
  EXPECT_EQ(config.tls.certificate.data + config.tls.key.data.reveal(), "");
  EXPECT_EQ(config.tls.certificate.file, pem);
  EXPECT_EQ(config.tls.key.file, pem);
  ConfigOverrides data;
  data.user.client_certificate_data = "c";
  data.user.client_key_data = "k";
  config = made(one("server: 'https://h'", "client-certificate: /none, client-key: /none"), data);
  EXPECT_EQ(config.tls.certificate.data + config.tls.key.data.reveal(), "ck");
  EXPECT_EQ(config.tls.certificate.file + config.tls.key.file, "");
}

TEST(ClientConfig, CFG_41_AnEmptyConfigIsToldFromOtherErrors) {
  const auto empty = ClientConfig({}).client_config();
  ASSERT_FALSE(empty);
  EXPECT_TRUE(is_empty_config(empty.error()));
  EXPECT_TRUE(is_empty_config(validate(Kubeconfig{}).error()));
  EXPECT_FALSE(is_empty_config(ClientConfig(one("")).client_config().error()));
  EXPECT_FALSE(is_empty_config(Error(ErrorCode::Config, "no configuration has been provided")));
}

TEST(ClientConfig, CFG_42_AMissingContextIsRecognized) {
  EXPECT_TRUE(is_context_not_found(ClientConfig(one(), {}, "x").client_config().error()));
  Kubeconfig unchosen = one();
  unchosen.current_context = "";
  const auto none = ClientConfig(unchosen).client_config();
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("no context chosen"));
  EXPECT_TRUE(is_context_not_found(none.error()));
  Kubeconfig gone = one();
  gone.current_context = "gone";
  EXPECT_TRUE(is_context_not_found(validate(gone).error()));
  EXPECT_FALSE(is_context_not_found(
      Error(ErrorCode::Internal, "x: context was not found for specified context: y")));
  EXPECT_FALSE(is_context_not_found(ClientConfig(one("")).client_config().error()));
  EXPECT_FALSE(is_context_not_found(Error(ErrorCode::Config, "context")));
}

TEST(ClientConfig, InvalidConfigurationsAreRecognized) {
  EXPECT_TRUE(is_configuration_invalid(ClientConfig(one("")).client_config().error()));
  EXPECT_TRUE(is_configuration_invalid(
      ClientConfig(one("", "as-uid: '1'")).client_config().error().with_context("start")));
  EXPECT_TRUE(is_configuration_invalid(ClientConfig(one(), {}, "x").client_config().error()));
  EXPECT_TRUE(is_configuration_invalid(ClientConfig({}).client_config().error()));
  Kubeconfig gone = one();
  gone.current_context = "gone";
  EXPECT_TRUE(is_configuration_invalid(validate(gone).error()));
  EXPECT_FALSE(is_configuration_invalid(Error(ErrorCode::Config, "other")));
}

TEST(ClientConfig, CFG_44_OnlyTheChosenContextIsChecked) {
  Kubeconfig config = one();
  config.contexts["broken"] = {.cluster = "none", .user = "none"};
  config.clusters["broken"].proxy_url = "socks6://p";
  config.users["broken"].exec.ensure();
  EXPECT_TRUE(ClientConfig(config).confirm_usable());
  EXPECT_FALSE(ClientConfig(config, {}, "broken").confirm_usable());
  EXPECT_FALSE(validate(config)) << "which checks all";
}

TEST(ClientConfig, CFG_46_TwoFormsOfOneCredentialAreReported) {
  const std::string both = failure(
      one("server: 'https://h'",
          "client-certificate: /none/c, client-certificate-data: Yw==, client-key: /none/k, "
          "client-key-data: aw=="));
  EXPECT_THAT(both, HasSubstr("client-cert-data and client-cert are both specified for u. "
                              "client-cert-data will override."));
  EXPECT_THAT(both, HasSubstr("client-key-data and client-key are both specified for u; "
                              "client-key-data will override"));
  EXPECT_EQ(
      failure(one("server: 'https://h'", "client-certificate-data: Yw==, client-key-data: aw==")),
      "no error");
}

TEST(ClientConfig, CFG_51_NamespacesOfArguments) {
  for (const char* text : {"namespaces/foo", "NAMESPACE/foo", "ns/foo", "NS/foo"})
    EXPECT_EQ(namespace_of_argument(text), "foo") << text;
  for (const char* text : {"ns/", "namespace/", "namespaces/", "foo", "pods/foo", ""})
    EXPECT_EQ(namespace_of_argument(text), text);
}

TEST(ClientConfig, CFG_52_Timeouts) {
  EXPECT_EQ(parse_timeout("5").value(), 5s);
  EXPECT_EQ(parse_timeout("1m").value(), 60s);
  EXPECT_EQ(parse_timeout("0").value(), 0s);
  EXPECT_EQ(parse_timeout("x").error().message(),
            "Invalid timeout value. Timeout must be a single integer in seconds, or an integer "
            "followed by a corresponding time unit (e.g. 1s | 2m | 3h)");
  ConfigOverrides overrides;
  overrides.timeout = "1m30s";
  EXPECT_EQ(made(one(), overrides).timeout, 90s);
  overrides.timeout = "x";
  EXPECT_THAT(failure(one(), overrides), HasSubstr("Invalid timeout value."));
}

TEST(ClientConfig, CFG_58_ATextsContextIsCurrentAndItsTokensAreNotStored) {
  const std::string text =
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
      "clusters: [{name: k, cluster: {server: 'https://h'}}]\n"
      "users: [{name: u, user: {auth-provider: {name: oidc, config: {client-id: x}}}}]\n";
  const auto config = parse(text, "", "/", "text");
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->host, "https://h");
  EXPECT_EQ(*config->auth_provider,
            (rest::AuthProviderConfig{.name = "oidc", .config = {{"client-id", "x"}}}));
  EXPECT_FALSE(config->auth_provider->persist);
  EXPECT_FALSE(made(read(text)).auth_provider.value().persist);
  EXPECT_TRUE(made(read(text, "/file")).auth_provider.value().persist);
}

class Deferred : public ::testing::Test {
 protected:
  DeferredClientConfig::Options options() {
    const auto environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    return {.rules = LoadingRules::defaults(environment),
            .overrides = overrides,
            .in_cluster = {.directory = directory.path().string(), .environment = environment},
            .default_config = default_config};
  }
  void in_a_pod() {
    variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    directory.write("token", "pod-token");
    directory.write("namespace", "pod-ns\n");
  }
  void with_file(const std::string& text) { variables["KUBECONFIG"] = directory.write("f", text); }
  std::string host() {
    const auto config = DeferredClientConfig(options()).client_config();
    return config ? config->host : "error: " + config.error().message();
  }
  NamespaceChoice chosen() {
    const auto choice = DeferredClientConfig(options()).namespace_();
    return choice ? *choice : NamespaceChoice{"error: " + choice.error().message(), false};
  }

  TemporaryDirectory directory;
  std::map<std::string, std::string, std::less<>> variables;
  ConfigOverrides overrides;
  std::function<Result<rest::Config>()> default_config;
};

constexpr const char* kFile =
    "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
    "clusters: [{name: k, cluster: {server: 'https://from-file'}}]\n";

TEST_F(Deferred, CFG_20_OverridesInAPodReplaceTokenAndCaAndNothingElse) {
  in_a_pod();
  const auto config = [&] { return DeferredClientConfig(options()).client_config().value(); };
  const rest::Config plain = config();
  overrides.user.token = "mine";
  overrides.user.token_file = "/mine";
  rest::Config expected = plain;
  expected.bearer_token = "mine";
  expected.bearer_token_file = "/mine";
  EXPECT_EQ(config(), expected);
  overrides = {};
  overrides.user.token_file = "/mine";
  expected.bearer_token = "";
  EXPECT_EQ(config(), expected);
  overrides = {};
  overrides.user.username = "me";
  overrides.user.client_key_data = "k";
  EXPECT_EQ(config(), plain);
}

TEST_F(Deferred, CFG_48_ThePodIsAskedWhereNoConfigurationIsFound) {
  EXPECT_THAT(host(), HasSubstr("no configuration has been provided"));
  in_a_pod();
  EXPECT_EQ(host(), "https://10.0.0.1:443");
  with_file(kFile);
  EXPECT_EQ(host(), "https://from-file");
  default_config = [] { return rest::Config{.host = "https://from-file"}; };
  EXPECT_EQ(host(), "https://10.0.0.1:443") << "equal to the default one";
  default_config = [] { return rest::Config{.host = "https://other"}; };
  EXPECT_EQ(host(), "https://from-file");
  default_config = [] { return Error(ErrorCode::Config, "invalid"); };
  EXPECT_EQ(host(), "https://from-file") << "the default one is invalid";
  variables.erase("KUBERNETES_SERVICE_PORT");
  default_config = [] { return rest::Config{.host = "https://from-file"}; };
  EXPECT_EQ(host(), "https://from-file") << "in no pod";
  in_a_pod();
  with_file("clusters: 1");
  EXPECT_THAT(host(), HasSubstr("clusters: expected a list"));
}

TEST_F(Deferred, CFG_50_TheNamespaceOfThePodIsUsedWhereNoneIsChosen) {
  const std::string context =
      "current-context: c\nclusters: [{name: k, cluster: {server: h}}]\n"
      "contexts: [{name: c, context: {cluster: k";
  with_file(context + ", namespace: default}}]");
  EXPECT_EQ(chosen(), (NamespaceChoice{"default", false}));
  in_a_pod();
  EXPECT_EQ(chosen(), (NamespaceChoice{"default", false})) << "said by the context";
  with_file(context + "}}]");
  EXPECT_EQ(chosen(), (NamespaceChoice{"pod-ns", false})) << "not said by the context";
  with_file(context + ", namespace: web}}]");
  EXPECT_EQ(chosen(), (NamespaceChoice{"web", false}));
  overrides.context.namespace_ = "mine";
  EXPECT_EQ(chosen(), (NamespaceChoice{"mine", true}));
  overrides = {};
  variables.erase("KUBECONFIG");
  EXPECT_EQ(chosen(), (NamespaceChoice{"pod-ns", false})) << "no configuration";
  variables["POD_NAMESPACE"] = "by-variable";
  EXPECT_EQ(chosen(), (NamespaceChoice{"by-variable", false}));
  variables.erase("KUBERNETES_SERVICE_HOST");
  EXPECT_THAT(chosen().name, HasSubstr("no configuration has been provided")) << "in no pod";
  with_file("clusters: 1");
  EXPECT_THAT(chosen().name, HasSubstr("clusters: expected a list"));
}

}  // namespace
}  // namespace kube::kubeconfig
