// SPDX-License-Identifier: Apache-2.0
#include "auth/exec_plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <kube/testing/fake_clock.hpp>

#include "plugin_folder.hpp"
#include "test_pki.hpp"

namespace kube::rest {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ExecPluginTest : public ::testing::Test {
 protected:
  Result<Credentials> run(ExecConfig config, ExecCluster cluster = {},
                          PluginSurroundings surroundings = {}) {
    ExecPlugin plugin(std::move(config), std::move(cluster), std::move(surroundings));
    return plugin.run(context, {});
  }
  std::string failure(ExecConfig config, PluginSurroundings surroundings = {}) {
    const auto ran = run(std::move(config), {}, std::move(surroundings));
    if (ran) return "no error";
    // The command is named before what its output lacks.
    std::string text = ran.error().to_string();
    const std::string named = "exec: " + folder.command() + ": ";
    if (text.starts_with(named)) text.erase(0, named.size());
    return text;
  }
  std::string failure_of_output(const std::string& text) {
    folder.print(text);
    return failure(folder.config());
  }
  static std::string with_status(const std::string& status) {
    return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
           status + "}";
  }

  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  RefreshContext context{Runtime{
      .executor = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1, .clock = clock})}};
  PluginFolder folder;
};

TEST_F(ExecPluginTest, AUTH_01_OtherApiVersionsAreRefused) {
  for (const std::string version :
       {"", "client.authentication.k8s.io/v1alpha1", "client.authentication.k8s.io/v2", "v1"}) {
    ExecConfig config = folder.config();
    config.api_version = version;
    EXPECT_THAT(failure(config), HasSubstr("exec plugin: invalid apiVersion \"" + version + "\""));
  }
  EXPECT_EQ(folder.runs(), 0);
}

TEST_F(ExecPluginTest, AUTH_03_ATokenAPairOrBothAreCredentials) {
  const transport::PemPair pair = transport::TestAuthority("CA").client("alice");
  const json::Object certificate{{"clientCertificateData", pair.certificate},
                                 {"clientKeyData", pair.key}};
  folder.print_token("abc");
  EXPECT_EQ(run(folder.config()).value().token, "abc");
  folder.print_status(certificate);
  const auto only_pair = run(folder.config());
  ASSERT_TRUE(only_pair) << only_pair.error().to_string();
  EXPECT_EQ(only_pair->certificate, pair.certificate);
  EXPECT_EQ(only_pair->key, pair.key);
  EXPECT_EQ(only_pair->token, "");
  EXPECT_TRUE(only_pair->certificate_expires);
  json::Object both = certificate;
  both.set("token", "abc");
  folder.print_status(both);
  EXPECT_EQ(run(folder.config()).value().token, "abc");
  folder.print_status({});
  EXPECT_EQ(failure(folder.config()), "exec plugin didn't return a token or cert/key pair");
}

TEST_F(ExecPluginTest, AUTH_04_ACertificateAndItsKeyComeTogether) {
  for (const char* member : {"clientCertificateData", "clientKeyData"}) {
    folder.print_status({{"token", "abc"}, {member, "x"}});
    EXPECT_EQ(failure(folder.config()), "exec plugin returned only certificate or key, not both");
  }
}

TEST_F(ExecPluginTest, AUTH_05_APairThatCannotBeReadAndAMissingStatusAreErrors) {
  folder.print_status({{"clientCertificateData", "secret-1"}, {"clientKeyData", "secret-2"}});
  EXPECT_THAT(failure(folder.config()),
              AllOf(HasSubstr("failed parsing client key/certificate"), Not(HasSubstr("secret"))));
  const transport::TestAuthority authority("CA");
  folder.print_status({{"clientCertificateData", authority.client("a").certificate},
                       {"clientKeyData", authority.client("b").key}});
  EXPECT_THAT(failure(folder.config()), HasSubstr("does not belong to"));
  for (
      const char* text :
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":null})"}) {
    EXPECT_EQ(failure_of_output(text), "exec plugin didn't return a status field");
  }
}

TEST_F(ExecPluginTest, WrongMembersAreNamedAndNothingIsQuoted) {
  EXPECT_EQ(failure_of_output(with_status(R"({"token":5})")),
            "decoding stdout: status.token is not a string");
  EXPECT_EQ(failure_of_output(with_status(R"({"token":"t","expirationTimestamp":"soon"})")),
            "decoding stdout: status.expirationTimestamp is not a time of RFC 3339");
  EXPECT_EQ(failure_of_output(with_status(R"("secret")")),
            "decoding stdout: status is not an object");
  EXPECT_EQ(failure_of_output(with_status(R"({"token":"secret\r\nX: y"})")),
            "exec plugin returned a token that is not one word of ASCII characters");
  EXPECT_THAT(failure_of_output("secret"),
              AllOf(HasSubstr("decoding stdout: "), Not(HasSubstr("secret"))));
  EXPECT_EQ(failure_of_output(R"({"apiVersion":"secret","kind":"ExecCredential"})"),
            "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin "
            "returned an unknown version");
  EXPECT_EQ(failure_of_output(R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"Pod"})"),
            "decoding stdout: the kind is not ExecCredential");
}

TEST_F(ExecPluginTest, AUTH_14_StandardInputIsPassedOnlyToAnInteractivePlugin) {
  ExecConfig config = folder.config();
  folder.print_token("abc");
  PluginSurroundings terminal{.stdin_is_terminal = [] { return true; }};
  PluginSurroundings pipe{.stdin_is_terminal = [] { return false; }};
  const auto told = [&](const PluginSurroundings& surroundings) {
    const auto ran = run(config, {}, surroundings);
    if (!ran) return ran.error().message();
    return std::string(json::parse(folder.noted("info")).value().true_at({"spec", "interactive"})
                           ? "interactive"
                           : "not interactive");
  };
  const std::string cannot = "exec plugin cannot support interactive mode: ";
  // A line that a plugin without standard input must not read.
  int line[2];
  ASSERT_EQ(::pipe(line), 0);
  ASSERT_EQ(::write(line[1], "typed\n", 6), 6);
  ::close(line[1]);
  const int own_input = ::dup(STDIN_FILENO);
  ::dup2(line[0], STDIN_FILENO);

  config.interactive_mode = ExecInteractiveMode::Never;
  EXPECT_EQ(told(terminal), "not interactive");
  EXPECT_EQ(folder.noted("input"), "");
  config.interactive_mode = ExecInteractiveMode::IfAvailable;
  EXPECT_EQ(told(pipe), "not interactive");
  config.stdin_unavailable = true;
  EXPECT_EQ(told(terminal), "not interactive");
  config.stdin_unavailable = false;
  EXPECT_EQ(folder.noted("input"), "");
  EXPECT_EQ(told(terminal), "interactive");
  EXPECT_EQ(folder.noted("input"), "read typed\n");
  ::dup2(own_input, STDIN_FILENO);
  ::close(own_input);
  ::close(line[0]);

  config.interactive_mode = ExecInteractiveMode::Always;
  EXPECT_EQ(told(terminal), "interactive");
  EXPECT_EQ(told(pipe), cannot + "standard input is not a terminal");
  config.stdin_unavailable = true;
  EXPECT_EQ(told(terminal), cannot + "standard input is unavailable");
  config.stdin_unavailable_message = "a manifest is read from it";
  EXPECT_EQ(told(terminal), cannot + "standard input is unavailable: a manifest is read from it");
  config.interactive_mode = static_cast<ExecInteractiveMode>(7);
  EXPECT_EQ(told(terminal), cannot + "unknown interactiveMode: \"7\"");
  config.interactive_mode = ExecInteractiveMode::Unset;
  EXPECT_EQ(told(terminal), cannot + "unknown interactiveMode: \"\"");
}

TEST_F(ExecPluginTest, AUTH_14_ARealTerminalIsRecognized) {
  folder.print_token("abc");
  ExecConfig config = folder.config();
  config.interactive_mode = ExecInteractiveMode::IfAvailable;
  int controller = -1;
  int terminal = -1;
  ASSERT_EQ(::openpty(&controller, &terminal, nullptr, nullptr, nullptr), 0);
  ASSERT_EQ(::write(controller, "typed\n", 6), 6);
  const int own_input = ::dup(STDIN_FILENO);
  ::dup2(terminal, STDIN_FILENO);
  const auto ran = run(config);
  ::dup2(own_input, STDIN_FILENO);
  for (const int descriptor : {own_input, controller, terminal}) ::close(descriptor);
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_EQ(folder.noted("input"), "read typed\n");
}

TEST_F(ExecPluginTest, AUTH_15_AMissingPluginIsNamedWithAHintThatIsNotRepeatedForEver) {
  ExecConfig config = folder.config();
  config.command = "no-such-plugin";
  config.install_hint = "Install it with: apt install no-such-plugin";
  ExecPlugin plugin(config, {});
  const auto message = [&] { return plugin.run(context, {}).error().message(); };
  const std::string first = message();
  EXPECT_THAT(first,
              AllOf(::testing::StartsWith("exec: executable no-such-plugin not found\n\nIt looks "
                                          "like you are trying to use a client-go credential "
                                          "plugin that is not installed."),
                    ::testing::EndsWith("\n\n" + config.install_hint)));
  int with_hint = 1;
  for (int i = 1; i < 30; ++i) with_hint += message() == first ? 1 : 0;
  EXPECT_EQ(with_hint, 10);
  EXPECT_EQ(message(), "exec: executable no-such-plugin not found");
  clock->advance(1h);
  EXPECT_EQ(message(), first);

  Sometimes sometimes(2, 5s);
  int allowed = 0;
  for (int i = 0; i < 10; ++i) {
    allowed += sometimes.allow(clock->now()) ? 1 : 0;
    clock->advance(1s);
  }
  EXPECT_EQ(allowed, 4);
}

TEST_F(ExecPluginTest, AUTH_16_AFailureIsItsExitCode) {
  ExecConfig config = folder.config();
  config.command = folder.script("failing", "echo secret; exit 7");
  EXPECT_EQ(failure(config), "exec: executable " + config.command + " failed with exit code 7");
}

TEST_F(ExecPluginTest, ASignalIsNamedAndSoIsThePluginThatPrintsNothing) {
  ExecConfig config = folder.config();
  config.command = folder.script("killed", "kill -9 $$");
  EXPECT_EQ(failure(config), "exec: executable " + config.command + " was killed by signal 9");
  config.command = folder.script("silent", "echo");
  EXPECT_EQ(failure(config), "exec: " + config.command +
                                 ": decoding stdout: it is empty; expected an ExecCredential");
}

TEST_F(ExecPluginTest, OnlyAPluginThatMayAskAPersonMayTakeLong) {
  folder.print_token("abc");
  ExecConfig config = folder.config();
  config.interactive_mode = ExecInteractiveMode::IfAvailable;
  PluginSurroundings surroundings{.stdin_is_terminal = [] { return false; }, .patience = 50ms};
  config.command = folder.script("hung", "sleep 1000");
  const auto hung = run(config, {}, surroundings);
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(hung.error().to_string(), "exec: " + config.command + ": it did not end within 50 ms");

  surroundings.stdin_is_terminal = [] { return true; };
  config.command = folder.script("slow", "sleep 0.2; cat \"$(dirname \"$0\")/answer\"");
  const auto asked = run(config, {}, surroundings);
  EXPECT_TRUE(asked) << asked.error().to_string();
}

// A plugin asks its user there ("open https://... and enter the code"), and says why it fails.
TEST_F(ExecPluginTest, WhatAPluginWritesToStandardErrorReachesThatOfTheProgram) {
  folder.print_token("abc");
  ExecConfig config = folder.config();
  config.command =
      folder.script("asking", "echo 'enter the code 1234' >&2\ncat \"$(dirname \"$0\")/answer\"\n");
  ::testing::internal::CaptureStderr();
  const auto ran = run(config);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "enter the code 1234\n");
  ASSERT_TRUE(ran) << ran.error().to_string();
  EXPECT_EQ(ran->token, "abc");

  config.command = folder.script("failing", "echo 'the login has expired' >&2; exit 1");
  ::testing::internal::CaptureStderr();
  const std::string error = failure(config);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "the login has expired\n");
  EXPECT_THAT(error, Not(HasSubstr("expired"))) << "it may say a secret";
}

TEST_F(ExecPluginTest, AUTH_17_TheClusterIsPassedOnlyIfWanted) {
  folder.print_token("abc");
  ExecConfig config = folder.config();
  const ExecCluster cluster{.server = "https://c:6443",
                            .tls_server_name = "name",
                            .insecure_skip_tls_verify = true,
                            .certificate_authority_data = "CA bytes",
                            .proxy_url = "http://p",
                            .disable_compression = true,
                            .config = R"({"audience":[1,"x"],"kind":"Mine"})"};
  ASSERT_TRUE(run(config, cluster));
  EXPECT_EQ(folder.noted("info"),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
  config.provide_cluster_info = true;
  ASSERT_TRUE(run(config, cluster));
  const json::Value info = json::parse(folder.noted("info")).value();
  EXPECT_EQ(info.string_at({"spec", "cluster", "certificate-authority-data"}), "Q0EgYnl0ZXM=");
  EXPECT_EQ(info.string_at({"spec", "cluster", "server"}), "https://c:6443");
  EXPECT_EQ(info.string_at({"spec", "cluster", "tls-server-name"}), "name");
  EXPECT_EQ(info.string_at({"spec", "cluster", "proxy-url"}), "http://p");
  EXPECT_TRUE(info.true_at({"spec", "cluster", "insecure-skip-tls-verify"}));
  EXPECT_TRUE(info.true_at({"spec", "cluster", "disable-compression"}));
  EXPECT_EQ(json::dump(*info.at_path({"spec", "cluster", "config"})), cluster.config);
}

TEST_F(ExecPluginTest, AUTH_18_ConfiguredVariablesOverrideTheProcessAndTheInfoOverridesBoth) {
  folder.print_token("abc");
  ExecConfig config = folder.config();
  PluginSurroundings surroundings{
      .environment = {"PATH=/usr/bin:/bin", "SETTING=process", "KUBERNETES_EXEC_INFO=process"}};
  ASSERT_TRUE(run(config, {}, surroundings));
  EXPECT_EQ(folder.noted("setting"), "process");
  EXPECT_THAT(folder.noted("info"), HasSubstr("ExecCredential"));
  config.env = {{"SETTING", "first"}, {"SETTING", "configured"}, {"KUBERNETES_EXEC_INFO", "mine"}};
  ASSERT_TRUE(run(config, {}, surroundings));
  EXPECT_EQ(folder.noted("setting"), "configured");
  EXPECT_THAT(folder.noted("info"), HasSubstr("ExecCredential"));
}

TEST_F(ExecPluginTest, APolicyThatForbidsAPluginKeepsItFromRunning) {
  ExecConfig config = folder.config();
  config.policy.type = ExecPluginPolicy::Type::DenyAll;
  EXPECT_THAT(failure(config), HasSubstr("policy set to \"DenyAll\""));
  EXPECT_EQ(folder.runs(), 0);
}

}  // namespace
}  // namespace kube::rest
