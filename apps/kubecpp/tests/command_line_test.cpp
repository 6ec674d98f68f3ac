// SPDX-License-Identifier: Apache-2.0
//
// Wrong calls, and what is said of them.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using Words = std::vector<std::string>;

Outcome kubecpp(Words arguments) {
  arguments.insert(arguments.begin(), KUBECPP);
  return run(std::move(arguments));
}

/// Each call ends with 2 and says exactly this.
void expect_said(const std::vector<std::pair<Words, std::string>>& calls) {
  for (const auto& [arguments, expected] : calls) {
    const Outcome outcome = kubecpp(arguments);
    EXPECT_EQ(outcome.status, 2) << expected;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(CommandLine, AnUnknownCommandIsNamed) {
  expect_said({
      {{"describe", "pod", "x", "-n", "web"}, "unknown command \"describe\" (see kubecpp --help)"},
      {{"describe"}, "unknown command \"describe\" (see kubecpp --help)"},
      {{"gett", "pods"}, "unknown command \"gett\"; similar: get (see kubecpp --help)"},
      {{"pathc"}, "unknown command \"pathc\"; similar: patch (see kubecpp --help)"},
      {{""}, "unknown command \"\" (see kubecpp --help)"},
      {{"-"}, "unknown command \"-\" (see kubecpp --help)"},
      {{"help", "nosuch"}, "unknown command \"nosuch\" (see kubecpp --help)"},
      {{"a\x1b[31m\n"}, "unknown command \"a\\x1b[31m\\n\" (see kubecpp --help)"},
      {{"-n", "web", "describe", "pod"}, "unknown command \"describe\" (see kubecpp --help)"},
  });
}

TEST(CommandLine, AnUnknownFlagIsNamedWithoutItsValue) {
  expect_said({
      {{"get", "pods", "--token=abc"}, "unknown flag: --token (see kubecpp get --help)"},
      {{"get", "pods", "--token", "abc"}, "unknown flag: --token (see kubecpp get --help)"},
      {{"get", "--outptu", "json", "pods"},
       "unknown flag: --outptu; similar: --output (see kubecpp get --help)"},
      {{"get", "pods", "-x"}, "unknown flag: -x (see kubecpp get --help)"},
      {{"get", "pods", "-x=abc"}, "unknown flag: -x (see kubecpp get --help)"},
      {{"get", "pods", "-Ax", "y"}, "unknown flag: -x in -Ax (see kubecpp get --help)"},
      {{"get", "pods", "-xA"}, "unknown flag: -x in -xA (see kubecpp get --help)"},
      {{"get", "pods", "-1"}, "unknown flag: -1 (see kubecpp get --help)"},
      {{"get", "pods", "-f", "x", "y"}, "unknown flag: -f (see kubecpp get --help)"},
      {{"get", "pods", "--="}, "unknown flag: -- (see kubecpp get --help)"},
      {{"--bogus"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"--bogus=1", "x", "y"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"--bogus", "--other", "get"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"-x", "get", "pods"}, "unknown flag: -x (see kubecpp --help)"},
      {{"--nodes", "3", "get", "pods"}, "unknown flag: --nodes (see kubecpp get --help)"},
  });
}

TEST(CommandLine, AFlagWithoutAValueTakesNone) {
  expect_said({
      {{"get", "pods", "-v=8"}, "-v takes no value, found \"-v=8\" (see kubecpp get --help)"},
      {{"get", "-v=8"}, "-v takes no value, found \"-v=8\" (see kubecpp get --help)"},
      {{"-v=8", "get", "pods"}, "-v takes no value, found \"-v=8\" (see kubecpp get --help)"},
      {{"get", "pods", "-Av=8"}, "-v takes no value, found \"-Av=8\" (see kubecpp get --help)"},
      {{"get", "pods", "-A="}, "-A takes no value, found \"-A=\" (see kubecpp get --help)"},
  });
}

TEST(CommandLine, AFlagWithAValueNeedsOne) {
  expect_said({
      {{"get", "pods", "-n"}, "flag needs an argument: -n (see kubecpp get --help)"},
      {{"get", "pods", "-An"}, "flag needs an argument: -n (see kubecpp get --help)"},
      {{"get", "pods", "--output"}, "flag needs an argument: --output (see kubecpp get --help)"},
      {{"get", "pods", "--output="}, "flag needs an argument: --output (see kubecpp get --help)"},
      {{"patch", "pod", "x", "-p"}, "flag needs an argument: -p (see kubecpp patch --help)"},
      {{"-n"}, "expected a command (see kubecpp --help)"},
      {{"-n", "web"}, "expected a command (see kubecpp --help)"},
  });
}

TEST(CommandLine, AFlagThatIsGivenTwiceIsNamed) {
  expect_said({
      {{"get", "pods", "-n", "a", "-n", "b"},
       "--namespace is given more than once (see kubecpp get --help)"},
      {{"get", "pods", "-n=a", "--namespace", "b"},
       "--namespace is given more than once (see kubecpp get --help)"},
      {{"-n", "a", "get", "pods", "-nb"},
       "--namespace is given more than once (see kubecpp get --help)"},
      {{"get", "pods", "-o", "yaml", "--output=json"},
       "--output is given more than once (see kubecpp get --help)"},
  });
}

TEST(CommandLine, ArgumentsTooManyAreRepeatedInTheirOrder) {
  expect_said({
      {{"explain", "a", "b", "c"}, "unexpected arguments \"b\" \"c\" (see kubecpp explain --help)"},
      {{"convert", "a", "b", "--strict"}, "unexpected argument \"b\" (see kubecpp convert --help)"},
      {{"watch", "pods", "x", "y", "z"},
       "unexpected arguments \"x\" \"y\" \"z\" (see kubecpp watch --help)"},
      {{"explain", "a", "--", "-x", "--foo"},
       "unexpected arguments \"-x\" \"--foo\" (see kubecpp explain --help)"},
      {{"help", "get", "pods"}, "unexpected argument \"pods\" (see kubecpp help --help)"},
      {{"demo", "two words", ""},
       "unexpected arguments \"two words\" \"\" (see kubecpp demo --help)"},
  });
}

TEST(CommandLine, OtherMistakesNameTheFlag) {
  for (const auto& [arguments, expected] : std::vector<std::pair<Words, std::string>>{
           {{"get"}, "kubecpp: resource is required"},
           {{"apply"}, "kubecpp: --filename is required"},
           {{"get", "pods", "-o", "bogus"}, "kubecpp: --output: bogus not in {table,"},
           {{"get", "-A", "pods", "-n", "x"}, "kubecpp: --namespace excludes --all-namespaces"},
           {{"demo", "--pods", "x"}, "kubecpp: --pods: Value x not in range 1 to 200000"},
           {{"get", "pods", "-n", ""}, "kubecpp: --namespace: expected a value, got \"\""},
       }) {
    const Outcome outcome = kubecpp(arguments);
    EXPECT_EQ(outcome.status, 2) << expected;
    EXPECT_THAT(outcome.err, ::testing::StartsWith(expected));
  }
}

TEST(CommandLine, ACallForHelpIsAnsweredWhateverElseThereIs) {
  for (const Words& call :
       std::vector<Words>{{"--help", "get"}, {"get", "--help", "extra"}, {"get", "-h"}, {"-h"}}) {
    const Outcome outcome = kubecpp(call);
    EXPECT_EQ(outcome.status, 0) << call[0];
    EXPECT_THAT(outcome.out, ::testing::HasSubstr("Usage: kubecpp"));
    EXPECT_EQ(outcome.err, "");
  }
}

/// A server with a pod "front" in the namespace "web".
class CommandLineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_->load_text(R"(
apiVersion: v1
kind: Pod
metadata: {name: front, namespace: web}
spec: {containers: [{name: c, image: i}]}
)"));
  }
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      kube::apiserver::ApiServer::start().value();
};

TEST_F(CommandLineTest, FlagsMayComeBeforeTheCommand) {
  const std::string& url = server_->url();
  for (const Words& call : std::vector<Words>{
           {"-n", "web", "get", "pods", "-o", "name", "--server", url},
           {"-nweb", "--server=" + url, "get", "pods", "-oname"},
           {"--server", url, "-n=web", "-o", "name", "get", "pods"},
           {"-Ao", "name", "get", "pods", "--server", url},
           {"get", "-o", "name", "--server", url, "-n", "web", "--", "pods", "front"},
       }) {
    const Outcome outcome = kubecpp(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "pod/front\n");
  }
}

TEST_F(CommandLineTest, AValueMayLookLikeAFlagOrACommand) {
  const Outcome outcome =
      kubecpp({"get", "pods", "-l", "--bogus", "--server", server_->url(), "-n", "get"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, ::testing::StartsWith("kubecpp: --selector: "));
}

TEST_F(CommandLineTest, AFileFlagTakesOneFile) {
  const Outcome outcome =
      kubecpp({"delete", "-f", "pod.yaml", "pod", "front", "--server", server_->url()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "kubecpp: expected a resource or -f, not both\n");
}

}  // namespace
}  // namespace kubecpp
