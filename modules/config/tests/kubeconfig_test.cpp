// SPDX-License-Identifier: Apache-2.0
#include <kube/config/kubeconfig.hpp>

#include <map>
#include <memory>

#include <kube/base/executor.hpp>
#include <kube/config/transport_for.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_directory.hpp"

namespace kube::kubeconfig {
namespace {

using rest::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A file with one context; `cluster` and `user` are YAML maps in flow style.
std::string file_with(const std::string& cluster, const std::string& user = "{}",
                      const std::string& more_of_context = "") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts: [{name: c, context: {cluster: k, user: u" +
         more_of_context +
         "}}]\n"
         "clusters: [{name: k, cluster: " +
         cluster +
         "}]\n"
         "users: [{name: u, user: " +
         user + "}]\n";
}

rest::Config parsed(const std::string& text, const std::string& context = "") {
  const auto config = parse(text, context, "/etc/kube", "config");
  EXPECT_TRUE(config) << config.error().to_string();
  return config ? *config : rest::Config{};
}

std::string failure(const std::string& text, const std::string& context = "") {
  const auto config = parse(text, context, "/etc/kube", "config");
  if (config) return "no error";
  EXPECT_EQ(config.error().code(), ErrorCode::Config);
  return config.error().to_string();
}

constexpr const char* kHttps = R"({server: "https://h"})";

TEST(Kubeconfig, ResolvesTheCurrentContext) {
  EXPECT_EQ(parsed(file_with(R"({server: "https://h:6443", tls-server-name: name,
                                insecure-skip-tls-verify: true, proxy-url: "http://p:3128",
                                disable-compression: true})",
                             "{token: abc}", ", namespace: web")),
            (rest::Config{.host = "https://h:6443",
                          .tls = {.server_name = "name", .insecure_skip_verify = true},
                          .bearer_token = "abc",
                          .namespace_ = "web",
                          .proxy_url = "http://p:3128",
                          .disable_compression = true}));
}

TEST(Kubeconfig, CFG_13_CompressionAndBasicAuthReachTheConfig) {
  const rest::Config config = parsed(file_with(
      R"({server: "https://h", disable-compression: true})", "{username: me, password: pw}"));
  EXPECT_TRUE(config.disable_compression);
  EXPECT_EQ(config.username, "me");
  EXPECT_EQ(config.password, "pw");
}

TEST(Kubeconfig, CFG_09_PlainHttpGetsNoCredentials) {
  const TemporaryDirectory directory;
  const std::string ca = directory.write("ca.crt", "PEM");
  const rest::Config config = parsed(file_with(
      "{server: \"http://h\", certificate-authority: " + ca + ", insecure-skip-tls-verify: true}",
      "{token: abc, client-certificate-data: Yw==, client-key-data: aw==}"));
  EXPECT_EQ(config, (rest::Config{.host = "http://h"}));
  EXPECT_EQ(parsed(file_with(R"({server: "http://h"})", "{username: me, password: pw}")),
            (rest::Config{.host = "http://h"}));
  EXPECT_EQ(
      parsed(file_with(R"({server: "http://h"})",
                       "{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1beta1}}")),
      (rest::Config{.host = "http://h"}));
}

TEST(Kubeconfig, CFG_11_DataFieldsReachTheConfigAsBytes) {
  const rest::Config config =
      parsed(file_with(R"({server: "https://h", certificate-authority-data: "Y2EA/w=="})",
                       R"({client-certificate-data: "Y2VydA==", client-key-data: "a2V5"})"));
  EXPECT_EQ(config.tls.ca.data, std::string("ca\0\xff", 4));
  EXPECT_EQ(config.tls.certificate.data, "cert");
  EXPECT_EQ(config.tls.key.data, "key");
}

TEST(Kubeconfig, CFG_12_ProxyUrlSchemes) {
  const auto with_proxy = [](const std::string& url) {
    return file_with("{server: \"https://h\", proxy-url: \"" + url + "\"}");
  };
  for (const char* url : {"socks5://p", "https://p", "http://p"}) {
    EXPECT_EQ(parsed(with_proxy(url)).proxy_url, url);
  }
  EXPECT_EQ(
      failure(with_proxy("socks6://p")),
      "invalid configuration: config: line 5: clusters[0].cluster.proxy-url: invalid 'proxy-url' "
      "\"socks6://p\" for cluster \"k\": "
      "unsupported scheme \"socks6\", must be http, https, or socks5");
  EXPECT_THAT(failure(with_proxy("example.com")), HasSubstr("invalid 'proxy-url'"));
  EXPECT_THAT(failure(with_proxy("chewbacca@example.com")),
              AllOf(HasSubstr("invalid 'proxy-url'"), Not(HasSubstr("chewbacca"))));
}

TEST(Kubeconfig, CFG_14_TokenAndTokenFile) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("token", "from-file\n");
  const rest::Config only_file = parsed(file_with(kHttps, "{tokenFile: " + file + "}"));
  EXPECT_EQ(only_file.bearer_token, "from-file");
  EXPECT_EQ(only_file.bearer_token_file, file);
  const rest::Config both = parsed(file_with(kHttps, "{token: inline, tokenFile: " + file + "}"));
  EXPECT_EQ(both.bearer_token, "inline");
  EXPECT_EQ(both.bearer_token_file, file);
  EXPECT_EQ(failure(file_with(kHttps, "{tokenFile: /does/not/exist}")),
            "invalid configuration: config: line 6: users[0].user.tokenFile: /does/not/exist: No "
            "such file or directory");
}

TEST(Kubeconfig, CFG_16_ServerStringsPassThrough) {
  for (const char* server :
       {"https://h:8080/foo/bar", "http://h:8080//", "h:8080", "anything", "https://h?q=1"}) {
    EXPECT_EQ(parsed(file_with("{server: \"" + std::string(server) + "\"}")).host, server);
  }
  EXPECT_EQ(parsed(file_with(R"({server: "https://h/path?q=1#f"})")).host, "https://h/path");
}

TEST(Kubeconfig, UnknownContextNamesTheOthers) {
  const auto other = parse(file_with(kHttps), "other", "/etc/kube", "config");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(other.error().message(), "context \"other\" does not exist; contexts: c");
  EXPECT_EQ(failure("current-context: gone"),
            "config: line 1: current-context: context was not found for specified context: gone; "
            "contexts: none");
  EXPECT_EQ(
      failure("contexts: [{name: a}, {name: b}]"),
      "config: current-context: no context chosen: current-context is not set; contexts: a, b");
}

TEST(Kubeconfig, DuplicateNamesAreAnError) {
  for (const std::string list : {"clusters", "contexts", "users"}) {
    EXPECT_EQ(failure(list + ": [{name: a}, {name: b}, {name: a}]"),
              "config: line 1: " + list + "[2].name: duplicate name \"a\" in list");
  }
}

TEST(Kubeconfig, RelativePathsResolveAgainstTheFilesFolder) {
  const TemporaryDirectory directory;
  directory.write("pki/ca.crt", "PEM");
  directory.write("pki/tls.crt", "PEM");
  directory.write("tls.key", "PEM");
  const std::string token = directory.write("token", "abc");
  const std::string file = directory.write(
      "sub/config",
      file_with(R"({server: "https://h", certificate-authority: ../pki/ca.crt})",
                "{client-certificate: ../pki/tls.crt, client-key: ../tls.key, tokenFile: " + token +
                    "}"));
  const auto config = load({.path = file});
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(config->tls.ca.file, directory / "pki/ca.crt");
  EXPECT_EQ(config->tls.certificate.file, directory / "pki/tls.crt");
  EXPECT_EQ(config->tls.key.file, directory / "tls.key");
  EXPECT_EQ(config->bearer_token_file, token);
}

TEST(Kubeconfig, CFG_57_UnknownFieldsAndMissingKindAreFine) {
  EXPECT_EQ(parsed("future: 1\n" + file_with(R"({server: "https://h", future: [1]})")).host,
            "https://h");
  std::string text = file_with(kHttps);
  text.erase(0, text.find("current-context"));
  EXPECT_EQ(parsed(text).host, "https://h");
  EXPECT_THAT(failure("kind: Pod"),
              HasSubstr("config: line 1: kind: expected \"Config\", got \"Pod\""));
}

TEST(Kubeconfig, CFG_57_CFG_41_AnEmptyFileIsAnEmptyConfig) {
  for (const char* text : {"", "# nothing\n", "{}"}) {
    const auto config = parse(text, "", "/", "config");
    ASSERT_FALSE(config);
    EXPECT_TRUE(is_empty_config(config.error()));
    EXPECT_THAT(config.error().message(),
                HasSubstr("invalid configuration: no configuration has been provided"));
  }
  EXPECT_FALSE(is_empty_config(parse("{", "", "/", "config").error()));
  EXPECT_FALSE(is_empty_config(parse(file_with("{}"), "", "/", "config").error()));
  EXPECT_FALSE(is_empty_config(Error(ErrorCode::Config, "no configuration has been provided")));
}

TEST(Kubeconfig, CFG_44_OtherBrokenEntriesDoNotMatter) {
  const std::string text =
      "current-context: c\n"
      "contexts: [{name: c, context: {cluster: k}}, {name: broken, context: {cluster: none}}]\n"
      "clusters: [{name: k, cluster: {server: \"https://h\"}}, {name: empty}]\n"
      "users: [{name: other, user: {exec: {}}}]\n";
  EXPECT_EQ(parsed(text).host, "https://h");
}

TEST(Kubeconfig, ClusterProblems) {
  EXPECT_THAT(failure(file_with("{}")), HasSubstr("no server found for cluster \"k\""));
  EXPECT_THAT(failure(file_with(R"({server: "https://h", certificate-authority: /none/ca.crt})")),
              HasSubstr("unable to read certificate-authority /none/ca.crt for k due to "
                        "/none/ca.crt: No such file or directory"));
  EXPECT_THAT(failure(file_with(R"({server: "https://h", certificate-authority: /none/ca.crt,
                                   certificate-authority-data: Y2E=})")),
              HasSubstr("certificate-authority-data and certificate-authority are both specified "
                        "for k. certificate-authority-data will override."));
}

TEST(Kubeconfig, CFG_46_ClientCertificateProblems) {
  EXPECT_THAT(failure(file_with(kHttps, "{client-certificate-data: Yw==}")),
              HasSubstr("client-key-data or client-key must be specified for u to use the "
                        "clientCert authentication method."));
  EXPECT_THAT(failure(file_with(kHttps, "{client-certificate: /none/c, client-key: /none/k}")),
              AllOf(HasSubstr("unable to read client-cert /none/c for u due to "),
                    HasSubstr("unable to read client-key /none/k for u due to ")));
  EXPECT_THAT(failure(file_with(kHttps,
                                "{client-certificate: /none/c, client-certificate-data: Yw==, "
                                "client-key: /none/k, client-key-data: aw==}")),
              AllOf(HasSubstr("client-cert-data and client-cert are both specified for u"),
                    HasSubstr("client-key-data and client-key are both specified for u")));
  EXPECT_EQ(failure(file_with(kHttps, "{client-certificate-data: Yw==, client-key-data: aw==}")),
            "no error");
}

TEST(Kubeconfig, ContextProblems) {
  EXPECT_THAT(failure("current-context: c\ncontexts: [{name: c, context: {}}]"),
              HasSubstr("cluster was not specified for context \"c\""));
  EXPECT_THAT(failure("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]"),
              AllOf(HasSubstr("cluster \"k\" was not found for context \"c\""),
                    HasSubstr("user \"u\" was not found for context \"c\"")));
  EXPECT_THAT(failure(file_with(kHttps, "{}", ", namespace: Not_A_Label")),
              HasSubstr("namespace \"Not_A_Label\" for context \"c\" does not conform to the "
                        "kubernetes DNS_LABEL rules"));
}

TEST(Kubeconfig, CFG_47_TokenWithBasicAuthIsInvalidAndWithCertificateValid) {
  EXPECT_THAT(failure(file_with(kHttps, "{token: t, username: u}")),
              HasSubstr("more than one authentication method found for u; found [token basicAuth], "
                        "only one is allowed"));
  EXPECT_EQ(failure(file_with(kHttps,
                              "{token: t, client-certificate-data: Yw==, "
                              "client-key-data: aw==}")),
            "no error");
}

TEST(Kubeconfig, FilesThatAreNoTextAreNotCalledEmpty) {
  EXPECT_EQ(failure(std::string(3, '\0')),
            "config: expected YAML or JSON, got a control character at offset 0");
  EXPECT_EQ(failure("clusters: \x1f\x8b"),
            "config: expected YAML or JSON, got a control character at offset 10");
  EXPECT_THAT(failure("some words"),
              HasSubstr("config: line 1: the document: expected a map, got string"));
  EXPECT_THAT(failure("future: 1"), HasSubstr("config has no cluster, user, context"));
}

TEST(Kubeconfig, ErrorsOfCertificatesNameFileAndUser) {
  const auto config =
      parsed(file_with(kHttps, "{client-certificate-data: Yw==, client-key-data: aw==}"));
  const auto connected =
      rest::transport_for(config, {.executor = std::make_shared<SeededExecutor>(1)});
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().to_string(),
            "config: line 6: users[0].user.client-certificate-data: the client certificate data "
            "contains no PEM certificate");
}

TEST(Kubeconfig, FieldsOfTheWrongTypeAreNamedAndTheirValuesAreNot) {
  EXPECT_EQ(failure("clusters: 5"), "config: line 1: clusters: expected a list, got number");
  EXPECT_EQ(failure("clusters: [{name: k, cluster: {insecure-skip-tls-verify: \"yes\"}}]"),
            "config: line 1: clusters[0].cluster.insecure-skip-tls-verify: expected a boolean, got "
            "string");
  EXPECT_EQ(failure("users: [{name: a}, {name: u, user: {token: 123456}}]"),
            "config: line 1: users[1].user.token: expected a string, got number");
  EXPECT_EQ(failure("users: [{name: u, user: {client-key-data: \"c2VjcmV0*\"}}]"),
            "config: line 1: users[0].user.client-key-data: expected base64");
  EXPECT_THAT(failure("[]"), HasSubstr("config: line 1: the document: expected a map, got array"));
}

TEST(Kubeconfig, SyntaxErrorsNameFileAndLine) {
  EXPECT_THAT(failure("clusters:\n- name: k\n  cluster: [\n"), HasSubstr("config: yaml: line "));
}

// What client-go 0.34.1 reads of the same texts.
TEST(Kubeconfig, OnlyTheFirstDocumentCounts) {
  const std::string one = file_with(kHttps);
  const std::string other = file_with(R"({server: "https://other"})");
  const std::vector<std::string> more = {"---\n" + other,
                                         "--- # the second\n" + other,
                                         "---\n",
                                         "...\n",
                                         "...\n---\n" + other,
                                         "... # end\n{{{\n",
                                         "---\n{{{: [\n",
                                         "---\na: b\n c: d\n",
                                         "---\n\"abc\n",
                                         "---\n\ta: b\n",
                                         "---\n*unknown\n",
                                         "--- {a\n",
                                         "---\n" + other + "---\n{{{\n",
                                         "...\n%YAML 1.1\n---\n" + other};
  for (const std::string& rest : more) {
    EXPECT_EQ(parsed(one + rest).host, "https://h") << rest;
    EXPECT_EQ(parsed("# head\n---\n" + one + rest).host, "https://h") << rest;
  }
  const std::string json =
      R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],)"
      R"("clusters":[{"name":"k","cluster":{"server":"https://h"}}]})";
  for (const std::string rest :
       {"", "\n", "{\"a\":1}", "\n{\"a\":1}", "\n---\n{\"a\":1}", " text\n"})
    EXPECT_EQ(parsed(json + rest).host, "https://h") << rest;
  // A first document without content, as a file without any.
  for (const std::string first : {"---\n---\n", "---\n# nothing\n---\n", "null\n---\n"})
    EXPECT_EQ(failure(first + one), failure("")) << first;
  EXPECT_THAT(failure("- a\n---\n" + one),
              HasSubstr("line 1: the document: expected a map, got array"));
  EXPECT_THAT(failure("kind: Secret\n---\n" + one), HasSubstr("line 1: kind: expected \"Config\""));
  EXPECT_THAT(failure("a: \"x\n---\ny\"\n"), HasSubstr("config: yaml: line "));
}

class KubeconfigFiles : public ::testing::Test {
 protected:
  LoadOptions options() {
    return {.environment = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    }};
  }

  TemporaryDirectory directory;
  std::map<std::string, std::string, std::less<>> variables;
};

TEST_F(KubeconfigFiles, CFG_25_CFG_27_AnExplicitPathMustBeAReadableFile) {
  const auto missing = load({.path = directory / "none"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message(), "error loading config file \"" + (directory / "none") +
                                           "\": " + (directory / "none") +
                                           ": No such file or directory");
  const auto folder = load({.path = directory.path().string()});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message(), "error loading config file \"" + directory.path().string() +
                                          "\": " + directory.path().string() + ": Is a directory");
  const std::string garbage = directory.write("garbage", "{{{");
  const auto unreadable = load({.path = garbage});
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(unreadable.error().message(), HasSubstr(garbage));
}

TEST_F(KubeconfigFiles, CFG_41_AllFilesMissingIsAnEmptyConfigThatNamesThem) {
  variables["KUBECONFIG"] = (directory / "a") + ":" + (directory / "b");
  const auto config = load(options());
  ASSERT_FALSE(config);
  EXPECT_TRUE(is_empty_config(config.error()));
  EXPECT_THAT(config.error().message(),
              HasSubstr("nothing found in " + (directory / "a") + ", " + (directory / "b")));
}

TEST_F(KubeconfigFiles, CFG_28_CFG_29_TheFirstFileWinsWithTheWholeEntry) {
  directory.write("a", "current-context: c\nusers: [{name: u, user: {token: first}}]");
  directory.write("b",
                  "current-context: other\nusers: [{name: u, user: {username: second, "
                  "client-certificate-data: Yw==, client-key-data: aw==}}]\n"
                  "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                  "clusters: [{name: k, cluster: {server: \"https://h\"}}]");
  variables["KUBECONFIG"] = (directory / "a") + "::" + (directory / "b") + ":" +
                            (directory / "missing") + ":" + (directory / "a");
  const auto config = load(options());
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(*config, (rest::Config{.host = "https://h", .bearer_token = "first"}));
}

TEST_F(KubeconfigFiles, CFG_28_AnExplicitPathIgnoresTheOthers) {
  variables["KUBECONFIG"] = directory.write("a", "{{{");
  LoadOptions explicit_path = options();
  explicit_path.path = directory.write("b", file_with(kHttps));
  EXPECT_TRUE(load(explicit_path));
}

TEST_F(KubeconfigFiles, CFG_38_WithoutTheVariableTheHomeFileIsRead) {
  directory.write(".kube/config", file_with(kHttps));
  variables["HOME"] = directory.path().string();
  EXPECT_EQ(load(options()).value().host, "https://h");
  variables["KUBECONFIG"] = directory / "none";
  EXPECT_FALSE(load(options()));
}

TEST_F(KubeconfigFiles, CFG_38_EachFileOfTheVariableIsReadOnceInItsFirstPlace) {
  variables["KUBECONFIG"] = "/none/a:/none/b:/none/c:/none/b:/none/e:/none/f";
  EXPECT_THAT(load(options()).error().message(),
              HasSubstr("nothing found in /none/a, /none/b, /none/c, /none/e, /none/f"));
  LoadOptions explicit_path = options();
  explicit_path.path = "/none/x";
  EXPECT_EQ(load(explicit_path).error().message(),
            "error loading config file \"/none/x\": /none/x: No such file or directory");
}

TEST_F(KubeconfigFiles, EveryBrokenFileOfAListIsReported) {
  variables["KUBECONFIG"] = directory.write("a", "{{{") + ":" + directory.write("b", "clusters: 1");
  const auto config = load(options());
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(), AllOf(HasSubstr(directory / "a"), HasSubstr("clusters")));
}

TEST_F(KubeconfigFiles, ErrorsNameTheFileThatHoldsTheEntry) {
  directory.write("a", "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]");
  directory.write("b", "clusters: [{name: k, cluster: {}}]");
  variables["KUBECONFIG"] = (directory / "a") + ":" + (directory / "b");
  const auto config = load(options());
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(),
            "invalid configuration: " + (directory / "b") +
                ": line 1: clusters[0].cluster.server: no server found for cluster \"k\"");
}

}  // namespace
}  // namespace kube::kubeconfig
