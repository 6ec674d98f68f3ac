// SPDX-License-Identifier: Apache-2.0
#include <kube/config/config.hpp>

#include <mutex>
#include <sstream>
#include <thread>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/config/transport_for.hpp>

namespace kube::rest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

static_assert(std::is_aggregate_v<Config>, "designated initializers");
static_assert(std::is_copy_assignable_v<Config> && std::is_nothrow_move_constructible_v<Config>);

std::string url_of(const Config& config) {
  const Result<std::string> url = base_url(config);
  return url ? *url : "error: " + url.error().to_string();
}

TEST(BaseUrl, EmptyHostIsLocalhostAndNonsenseIsAnError) {
  EXPECT_EQ(url_of({}), "http://localhost/");
  EXPECT_EQ(url_of({.host = "://"}),
            "error: host must be a URL or a host:port pair: not a URL: expected scheme://host");
  EXPECT_EQ(url_of({.host = "https://"}),
            "error: host must be a URL or a host:port pair: the host is missing");
  EXPECT_FALSE(base_url({.host = "two words"}));
  EXPECT_FALSE(base_url({.host = "https://host:70000"}));
  EXPECT_FALSE(base_url({.host = "https://host:http"}));
  EXPECT_FALSE(base_url({.host = "https://[::1"}));
  EXPECT_FALSE(base_url({.host = "https://[::1]x"}));
}

TEST(BaseUrl, URL_02_URL_03_HostWithoutSchemeGetsOne) {
  EXPECT_EQ(url_of({.host = "127.0.0.1"}), "http://127.0.0.1/");
  EXPECT_EQ(url_of({.host = "127.0.0.1:8080"}), "http://127.0.0.1:8080/");
  EXPECT_EQ(url_of({.host = "foo.bar.com"}), "http://foo.bar.com/");
  EXPECT_EQ(url_of({.host = "foo.bar.com", .tls = {.insecure_skip_verify = true}}),
            "https://foo.bar.com/");
  EXPECT_EQ(url_of({.host = "http://host/prefix"}), "http://host/prefix/");
  EXPECT_EQ(url_of({.host = "https://[::1]:6443"}), "https://[::1]:6443/");
}

TEST(BaseUrl, URL_05_HostWithoutSchemeHasNoPath) {
  EXPECT_EQ(url_of({.host = "host/server"}), "error: host must be a URL or a host:port pair");
}

TEST(BaseUrl, URL_07_EndsWithSlashAndHasNoQuery) {
  EXPECT_EQ(url_of({.host = "https://host/a/b?x=1#y"}), "https://host/a/b/");
  EXPECT_EQ(url_of({.host = "https://host"}), "https://host/");
}

TEST(BaseUrl, URL_08_TlsFollowsSchemeOrOptions) {
  EXPECT_TRUE(is_tls({.host = "https://host"}));
  EXPECT_FALSE(is_tls({.host = "http://host", .tls = {.insecure_skip_verify = true}}));
  EXPECT_TRUE(is_tls({.host = "host", .tls = {.ca = {.data = "PEM"}}}));
  EXPECT_TRUE(is_tls({.host = "host", .tls = {.ca = {.file = "ca.crt"}}}));
  EXPECT_TRUE(is_tls({.host = "host", .tls = {.certificate = {.data = "PEM"}}}));
  EXPECT_TRUE(is_tls({.host = "host", .tls = {.certificate = {.file = "tls.crt"}}}));
  EXPECT_TRUE(is_tls({.host = "host", .tls = {.insecure_skip_verify = true}}));
  EXPECT_FALSE(is_tls({.host = "host"}));
  EXPECT_FALSE(is_tls({.host = "two words", .tls = {.insecure_skip_verify = true}}));
}

TEST(BaseUrl, OtherSchemesAndPasswordsInTheUrlAreRefusedWithoutShowingThem) {
  EXPECT_EQ(url_of({.host = "ftp://host"}),
            "error: host has the scheme \"ftp\"; expected http or https");
  const std::string text = url_of({.host = "https://admin:hunter2@host"});
  EXPECT_THAT(text, HasSubstr("set username and password instead"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

Config with_everything() {
  return {.host = "https://user:host-secret@host:6443",
          .tls = {.ca = {.data = "ca-bytes", .file = "/etc/ca.crt"},
                  .certificate = {.data = "certificate-bytes"},
                  .key = {.data = "key-secret", .file = "/etc/tls.key"},
                  .server_name = "name"},
          .bearer_token = "token-secret",
          .bearer_token_file = "/run/token",
          .username = "admin",
          .password = "password-secret",
          .namespace_ = "web",
          .user_agent = "agent",
          .proxy_url = "http://user:proxy-secret@proxy:3128",
          .disable_compression = true,
          .timeout = std::chrono::seconds(3),
          .qps = 5,
          .burst = 10};
}

TEST(Config, RCFG_07_PrintsWithoutSecrets) {
  std::ostringstream out;
  out << with_everything();
  EXPECT_EQ(out.str(),
            "rest.Config{host=\"https://***@host:6443\", ca_data=--- TRUNCATED ---, "
            "ca_file=\"/etc/ca.crt\", certificate_data=--- TRUNCATED ---, "
            "key_data=--- REDACTED ---, key_file=\"/etc/tls.key\", server_name=\"name\", "
            "bearer_token=--- REDACTED ---, bearer_token_file=\"/run/token\", "
            "username=\"admin\", password=--- REDACTED ---, namespace=\"web\", "
            "user_agent=\"agent\", proxy_url=\"http://***@proxy:3128\", "
            "disable_compression=true, timeout=3000ms, qps=5.000000, burst=10}");
  EXPECT_THAT(out.str(), Not(HasSubstr("secret")));
  EXPECT_THAT(out.str(), Not(HasSubstr("bytes")));
  EXPECT_EQ(to_string(Config{}), "rest.Config{}");
}

// with_everything() with a plugin, an auth provider and impersonation.
Config with_providers() {
  Config config = with_everything();
  config.impersonate = {
      .user_name = "me", .uid = "7", .groups = {"admins"}, .extra = {{"scope", {"extra-secret"}}}};
  config.exec_provider = ExecConfig{.command = "/bin/plugin",
                                    .args = {"argument-secret"},
                                    .env = {{"AWS_KEY", "variable-secret"}},
                                    .api_version = "client.authentication.k8s.io/v1",
                                    .install_hint = "install it",
                                    .provide_cluster_info = true,
                                    .interactive_mode = ExecInteractiveMode::Never,
                                    .config = R"({"x":"payload-secret"})"};
  config.auth_provider =
      AuthProviderConfig{.name = "oidc", .config = {{"id-token", "provider-secret"}}};
  return config;
}

TEST(Config, RCFG_06_NoCredentialIsPrintedNorArgumentsOfPlugins) {
  const std::string text = to_string(with_providers());
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, HasSubstr("bearer_token=--- REDACTED ---"));
  EXPECT_THAT(text, HasSubstr("password=--- REDACTED ---"));
  EXPECT_THAT(text, HasSubstr("key_data=--- REDACTED ---"));
  EXPECT_THAT(text, HasSubstr("args=--- REDACTED ---, env.AWS_KEY=--- REDACTED ---"));
  EXPECT_THAT(text, HasSubstr(", config=--- REDACTED ---}"));
  EXPECT_THAT(text, HasSubstr("auth_provider={name=\"oidc\", config.id-token=--- REDACTED ---}"));
}

TEST(Config, RCFG_08_NamesAndFilesArePrintedInClear) {
  Config config = with_providers();
  config.host = "https://host:6443/api/path";
  const std::string text = to_string(config);
  for (const char* shown :
       {"username=\"admin\"", "host=\"https://host:6443/api/path\"", "user_agent=\"agent\"",
        "ca_file=\"/etc/ca.crt\"", "key_file=\"/etc/tls.key\"", "bearer_token_file=\"/run/token\"",
        "command=\"/bin/plugin\"", "user_name=\"me\", uid=\"7\", group=\"admins\""}) {
    EXPECT_THAT(text, HasSubstr(shown));
  }
}

TEST(Config, RCFG_10_TheAnonymousCopyDropsCredentialsOnly) {
  Config config = with_providers();
  config.tls.insecure_skip_verify = true;
  config.content_type = "application/json";
  config.accept_content_types = "application/json";
  config.idle_timeout = std::chrono::seconds(7);
  config.origin = "file";
  Config expected = config;
  expected.impersonate = {};
  expected.exec_provider.reset();
  expected.auth_provider.reset();
  expected.tls.certificate = {};
  expected.tls.key = {};
  expected.bearer_token = expected.password = {};
  expected.bearer_token_file = expected.username = "";
  EXPECT_EQ(anonymous(config), expected);
  EXPECT_EQ(anonymous(config).origin, "file");
}

TEST(Config, RCFG_11_CopiesAreIndependent) {
  const Config original = with_providers();
  Config copy = original;
  EXPECT_EQ(copy, original);
  copy.impersonate.extra["scope"].push_back("more");
  copy.tls.server_name = "other";
  copy.exec_provider->args.push_back("more");
  copy.auth_provider->config["id-token"] = "other";
  EXPECT_NE(copy, original);
  EXPECT_EQ(original, with_providers());
}

TEST(Config, AnonymousCopyHasTheClusterOfAConfigWithoutProviders) {
  Config expected = with_everything();
  expected.tls.certificate = {};
  expected.tls.key = {};
  expected.bearer_token = expected.password = {};
  expected.bearer_token_file = expected.username = "";
  EXPECT_EQ(anonymous(with_everything()), expected);
}

TEST(Config, CopiesAreIndependentAndComparable) {
  const Config original = with_everything();
  Config copy = original;
  EXPECT_EQ(copy, original);
  copy.tls.key.data = "other";
  EXPECT_NE(copy, original);
  EXPECT_EQ(original.tls.key.data, "key-secret");
}

TEST(Config, RCFG_13_UserAgentNamesProgramAndLibrary) {
  EXPECT_EQ(make_user_agent("/usr/bin/my-controller", "1.2.3", "linux", "amd64"),
            "my-controller/1.2.3 (linux/amd64) kube-cpp/1.2.3");
  EXPECT_EQ(make_user_agent("", "1.2.3", "linux", "amd64"),
            "unknown/1.2.3 (linux/amd64) kube-cpp/1.2.3");
  EXPECT_EQ(make_user_agent("two\r\nlines", "1", "linux", "amd64"),
            "two__lines/1 (linux/amd64) kube-cpp/1");
  EXPECT_THAT(default_user_agent(),
              ::testing::MatchesRegex("config_test/[0-9.]+ \\(.*/.*\\) kube-cpp/[0-9.]+"));
}

TEST(Config, RCFG_14_TheVersionOfAUserAgentEndsBeforeTheFirstDash) {
  EXPECT_EQ(make_user_agent("p", "1.2.3-alpha4", "linux", "amd64"),
            "p/1.2.3 (linux/amd64) kube-cpp/1.2.3-alpha4");
  EXPECT_THAT(make_user_agent("p", "1.2.3", "linux", "amd64"), ::testing::StartsWith("p/1.2.3 ("));
  EXPECT_THAT(make_user_agent("p", "", "linux", "amd64"), ::testing::StartsWith("p/unknown ("));
}

TEST(Config, RCFG_16_ASuffixFollowsTheDefaultUserAgent) {
  Config config{.user_agent = "before"};
  add_user_agent(config, "x");
  EXPECT_EQ(config.user_agent, default_user_agent() + "/x");
}

TEST(Validate, RCFG_21_AnExecProviderTogetherWithAnAuthProviderIsRefused) {
  Config config{.host = "https://h"};
  config.exec_provider.ensure().command = "x";
  EXPECT_TRUE(validate(config));
  config.auth_provider.ensure().name = "oidc";
  EXPECT_EQ(validate(config).error().message(),
            "execProvider and authProvider cannot be used in combination");
  const auto transport = transport_for(config, {.executor = std::make_shared<SeededExecutor>(1)});
  ASSERT_FALSE(transport);
  EXPECT_EQ(transport.error().message(),
            "execProvider and authProvider cannot be used in combination");
  EXPECT_EQ(validate({.host = "https://h", .impersonate = {.uid = "1"}}).error().message(),
            "requesting uid, groups or user-extra without impersonating a user");
}

TEST(TransportFor, RCFG_28_ThreadsMakeTransportsFromOneConfig) {
  const Config config{.host = "https://h", .bearer_token = "token"};
  const Runtime runtime{.executor = std::make_shared<SeededExecutor>(1)};
  std::vector<bool> made(8);
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < made.size(); ++i) {
      threads.emplace_back([&, i] {
        const auto transport = transport_for(config, runtime);
        const std::scoped_lock lock(mutex);
        made[i] = transport.has_value();
      });
    }
  }
  EXPECT_THAT(made, ::testing::Each(true));
}

TEST(Validate, TRN_04_CaTogetherWithInsecureIsRefused) {
  const auto valid =
      validate({.host = "https://h", .tls = {.ca = {.data = "PEM"}, .insecure_skip_verify = true}});
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().message(),
            "specifying a root certificates file with the insecure flag is not allowed");
}

TEST(Validate, TRN_27_TokenTogetherWithUserNameIsRefused) {
  const auto valid = validate({.host = "https://h", .bearer_token = "t", .username = "u"});
  ASSERT_FALSE(valid);
  EXPECT_EQ(valid.error().message(), "username/password or bearer token may be set, but not both");
  EXPECT_FALSE(validate({.host = "https://h", .bearer_token_file = "t", .username = "u"}));
  EXPECT_TRUE(validate({.host = "https://h", .username = "u"}));
}

TEST(Validate, CertificateNeedsKeyAndKeyNeedsCertificate) {
  EXPECT_FALSE(validate({.host = "https://h", .tls = {.certificate = {.data = "c"}}}));
  EXPECT_FALSE(validate({.host = "https://h", .tls = {.key = {.data = "k"}}}));
  EXPECT_TRUE(
      validate({.host = "https://h", .tls = {.certificate = {.data = "c"}, .key = {.data = "k"}}}));
}

TEST(Validate, NothingThatBecomesAHeaderMayHoldALineBreak) {
  const auto token = validate({.host = "https://h", .bearer_token = "a\r\nX-Evil: 1"});
  ASSERT_FALSE(token);
  EXPECT_THAT(token.error().message(), Not(HasSubstr("Evil")));
  EXPECT_FALSE(validate({.host = "https://h", .user_agent = "a\nb"}));
}

TEST(TransportOptions, TRN_44_FollowConfigAndEnvironment) {
  const Environment plain = [](std::string_view) { return std::nullopt; };
  const Environment http1 = [](std::string_view name) -> std::optional<std::string> {
    if (name == "DISABLE_HTTP2") return "1";
    return std::nullopt;
  };
  const Config config{.host = "https://h", .proxy_url = "http://p", .disable_compression = true};
  EXPECT_TRUE(transport_options(config, plain).http2);
  EXPECT_FALSE(transport_options(config, http1).http2);
  EXPECT_FALSE(transport_options(config, plain).compression);
  EXPECT_TRUE(transport_options({}, plain).compression);
  EXPECT_EQ(transport_options(config, plain).proxy_url, "http://p");
}

TEST(TransportOptions, HaveTheBoundsOfDialAndHandshake) {
  using std::chrono::seconds;
  const transport::CurlTransport::Options preset;
  EXPECT_EQ(transport_options({}).connect_timeout, preset.connect_timeout);
  EXPECT_EQ(transport_options({}).tls_handshake_timeout, preset.tls_handshake_timeout);
  const Config config{
      .host = "https://h", .connect_timeout = seconds(3), .tls_handshake_timeout = seconds(4)};
  EXPECT_EQ(transport_options(config).connect_timeout, seconds(3));
  EXPECT_EQ(transport_options(config).tls_handshake_timeout, seconds(4));
  EXPECT_THAT(to_string(config), HasSubstr("connect_timeout=3000ms, tls_handshake_timeout=4000ms"));
  EXPECT_FALSE(config == Config{.host = "https://h"});
  const Config zero{.connect_timeout = seconds(0), .tls_handshake_timeout = seconds(0)};
  EXPECT_EQ(transport_options(zero).connect_timeout, preset.connect_timeout);
  EXPECT_EQ(transport_options(zero).tls_handshake_timeout, preset.tls_handshake_timeout);
}

TEST(TransportOptions, TRN_40_ReadTheHealthSettingsOfHttp2) {
  const auto with = [](std::string value) {
    return transport_options({.host = "https://h"},
                             [value](std::string_view name) -> std::optional<std::string> {
                               if (!name.starts_with("HTTP2_")) return std::nullopt;
                               return value;
                             });
  };
  using std::chrono::seconds;
  EXPECT_EQ(with("60").http2_read_idle_timeout, seconds(60));
  EXPECT_EQ(with("60").http2_ping_timeout, seconds(60));
  EXPECT_EQ(with("0").http2_read_idle_timeout, seconds(0));
  for (const char* wrong : {"", "abc", "60s", "6 0"}) {
    EXPECT_EQ(with(wrong).http2_read_idle_timeout, seconds(30)) << wrong;
    EXPECT_EQ(with(wrong).http2_ping_timeout, seconds(15)) << wrong;
  }
}

TEST(Config, AHostMayBeAUnixSocket) {
  const Config plain{.host = "unix:///run/kube.sock"};
  EXPECT_TRUE(validate(plain));
  EXPECT_EQ(*base_url(plain), "http://localhost/");
  EXPECT_EQ(unix_socket(plain), "/run/kube.sock");
  EXPECT_EQ(transport_options(plain).unix_socket, "/run/kube.sock");
  EXPECT_NE(to_string(plain).find("unix:///run/kube.sock"), std::string::npos);
  Config secure = plain;
  secure.tls.ca.file = "/ca";
  EXPECT_EQ(*base_url(secure), "https://localhost/");
  EXPECT_EQ(unix_socket({.host = "https://h"}), "");
  EXPECT_EQ(unix_socket({.host = "unix:/run/kube.sock"}), "/run/kube.sock");
  EXPECT_EQ(*base_url({.host = "unix:/run/kube.sock"}), "http://localhost/");
  EXPECT_EQ(unix_socket({.host = "unix:8080"}), "") << "a host and its port";
  EXPECT_EQ(*base_url({.host = "unix:8080"}), "http://unix:8080/");
  for (const char* wrong :
       {"unix://", "unix:///", "unix://run/kube.sock", "unix:///a?b", "unix:run/kube.sock"}) {
    EXPECT_EQ(validate({.host = wrong}).error().message(),
              "host is not a unix socket: expected unix:///path of the socket, or unix:/path of "
              "the socket")
        << wrong;
  }
}

}  // namespace
}  // namespace kube::rest
