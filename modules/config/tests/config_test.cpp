// SPDX-License-Identifier: Apache-2.0
#include <kube/config/config.hpp>

#include <sstream>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Config, AnonymousCopyDropsCredentialsOnly) {
  Config expected = with_everything();
  expected.tls.certificate = {};
  expected.tls.key = {};
  expected.bearer_token = expected.bearer_token_file = "";
  expected.username = expected.password = "";
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

}  // namespace
}  // namespace kube::rest
