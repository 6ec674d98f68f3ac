// SPDX-License-Identifier: Apache-2.0
//
// Wrong calls, and what is said of them.
#include <sstream>
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

/// Each call ends with 1 and says exactly this.
void expect_said(const std::vector<std::pair<Words, std::string>>& calls) {
  for (const auto& [arguments, expected] : calls) {
    const Outcome outcome = kubecpp(arguments);
    EXPECT_EQ(outcome.status, 1) << expected;
    EXPECT_EQ(outcome.err, "kubecpp: " + expected + "\n");
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(CommandLine, AnUnknownCommandIsNamed) {
  expect_said({
      {{"edit", "pod", "x", "-n", "web"}, "unknown command \"edit\" (see kubecpp --help)"},
      {{"edit"}, "unknown command \"edit\" (see kubecpp --help)"},
      {{"gett", "pods"}, "unknown command \"gett\"; similar: get (see kubecpp --help)"},
      {{"pathc"}, "unknown command \"pathc\"; similar: patch (see kubecpp --help)"},
      {{""}, "unknown command \"\" (see kubecpp --help)"},
      {{"-"}, "unknown command \"-\" (see kubecpp --help)"},
      {{"help", "nosuch"}, "unknown command \"nosuch\" (see kubecpp --help)"},
      {{"a\x1b[31m\n"}, "unknown command \"a\\x1b[31m\\n\" (see kubecpp --help)"},
      {{"-n", "web", "edit", "pod"}, "unknown command \"edit\" (see kubecpp --help)"},
  });
}

TEST(CommandLine, AnUnknownFlagIsNamedWithoutItsValue) {
  expect_said({
      {{"get", "pods", "--bearer=abc"}, "unknown flag: --bearer (see kubecpp get --help)"},
      {{"get", "pods", "--bearer", "abc"}, "unknown flag: --bearer (see kubecpp get --help)"},
      {{"get", "--outptu", "json", "pods"},
       "unknown flag: --outptu; similar: --output (see kubecpp get --help)"},
      {{"get", "pods", "-x"}, "unknown flag: -x (see kubecpp get --help)"},
      {{"get", "pods", "-x=abc"}, "unknown flag: -x (see kubecpp get --help)"},
      {{"get", "pods", "-Ax", "y"}, "unknown flag: -x in -Ax (see kubecpp get --help)"},
      {{"get", "pods", "-xA"}, "unknown flag: -x in -xA (see kubecpp get --help)"},
      {{"get", "pods", "-1"}, "unknown flag: -1 (see kubecpp get --help)"},
      {{"get", "pods", "-p", "x", "y"}, "unknown flag: -p (see kubecpp get --help)"},
      {{"get", "pods", "--="}, "unknown flag: -- (see kubecpp get --help)"},
      {{"--bogus"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"--bogus=1", "x", "y"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"--bogus", "--other", "get"}, "unknown flag: --bogus (see kubecpp --help)"},
      {{"-x", "get", "pods"}, "unknown flag: -x (see kubecpp --help)"},
      {{"--nodes", "3", "get", "pods"}, "unknown flag: --nodes (see kubecpp get --help)"},
  });
}

TEST(CommandLine, MistakesOfGroupsAreNamedWithTheNearestWord) {
  expect_said({
      {{"gte", "pods"}, "unknown command \"gte\"; similar: get (see kubecpp --help)"},
      {{"config", "veiw"}, "unknown command \"veiw\"; similar: view (see kubecpp config --help)"},
      {{"help", "config", "veiw"},
       "unknown command \"veiw\"; similar: view (see kubecpp config --help)"},
      {{"get", "--outptu"}, "unknown flag: --outptu; similar: --output (see kubecpp get --help)"},
      {{"--outptu", "json", "get"},
       "unknown flag: --outptu; similar: --output (see kubecpp --help)"},
      {{"config", "--minfy", "view"},
       "unknown flag: --minfy; similar: --minify (see kubecpp config --help)"},
  });
}

TEST(CommandLine, HelpTakesTheWordsOfACommand) {
  const Outcome outcome = kubecpp({"help", "config", "view"});
  EXPECT_EQ(outcome.out, kubecpp({"config", "view", "--help"}).out);
  EXPECT_THAT(outcome.out, ::testing::HasSubstr("Usage: kubecpp config view"));
  EXPECT_THAT(outcome.out, ::testing::HasSubstr("  kubecpp config view --minify\n"));
}

TEST(CommandLine, TheValueOfASwitchIsTrueOrFalse) {
  const std::string get = " (see kubecpp get --help)";
  expect_said({
      {{"get", "pods", "-A="}, "-A: expected a value after \"=\", found \"-A=\"" + get},
      {{"get", "-wA="}, "-A: expected a value after \"=\", found \"-wA=\"" + get},
      {{"-A=", "get"}, "-A: expected a value after \"=\", found \"-A=\"" + get},
      {{"get", "--watch="}, "--watch: expected a value after \"=\", found \"--watch=\"" + get},
  });
  EXPECT_THAT(kubecpp({"get", "pods", "-A=perhaps"}).err, ::testing::HasSubstr("--all-namespaces"));
}

TEST(CommandLine, TheLevelOfTheLogIsANumber) {
  expect_said({
      {{"get", "pods", "-v"}, "flag needs an argument: -v (see kubecpp get --help)"},
      {{"get", "pods", "-v", "pods"},
       "--v: expected a level such as 6, found \"pods\" (see kubecpp get --help)"},
      {{"--v=6x", "get"}, "--v: expected a level such as 6, found \"6x\" (see kubecpp get --help)"},
  });
}

TEST(CommandLine, AGroupNeedsACommand) {
  for (const char* group : {"auth", "config"}) {
    const Outcome outcome = kubecpp({group});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "") << "kubectl prints it as an error";
    EXPECT_EQ(outcome.err, kubecpp({group, "--help"}).out);
  }
  const Outcome rollout = kubecpp({"rollout"});
  EXPECT_EQ(rollout.status, 1);
  EXPECT_EQ(rollout.out, kubecpp({"rollout", "--help"}).out) << "but this one not";
  EXPECT_EQ(rollout.err, "");
}

TEST(CommandLine, AFlagWithAValueNeedsOne) {
  expect_said({
      {{"get", "pods", "-n"}, "flag needs an argument: -n (see kubecpp get --help)"},
      {{"get", "pods", "-An"}, "flag needs an argument: -n (see kubecpp get --help)"},
      {{"get", "pods", "--output"}, "flag needs an argument: --output (see kubecpp get --help)"},
      {{"patch", "pod", "x", "-p"}, "flag needs an argument: -p (see kubecpp patch --help)"},
      {{"-n"}, "expected a command (see kubecpp --help)"},
      {{"-n", "web"}, "expected a command (see kubecpp --help)"},
  });
}

TEST(CommandLine, OfAFlagThatIsGivenTwiceTheLastCounts) {
  const std::string said =
      "--namespace \"B\": a lowercase RFC 1123 label must consist of lower case alphanumeric "
      "characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  "
      "or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  expect_said({
      {{"get", "pods", "-n", "A", "-n", "B"}, said},
      {{"get", "pods", "-n=A", "--namespace", "B"}, said},
      {{"-n", "A", "get", "pods", "-nB"}, said},
      {{"-A", "get", "pods", "-A", "-o", "yaml", "--output=jso"},
       "unable to match a printer suitable for the output format \"jso\", allowed formats are: "
       "table,wide,json,yaml,name,jsonpath,jsonpath-file,jsonpath-as-json,custom-columns,"
       "custom-columns-file"},
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
      {{"help", "get", "pods"}, "unexpected argument \"pods\" (see kubecpp get --help)"},
      {{"demo", "two words", ""},
       "unexpected arguments \"two words\" \"\" (see kubecpp demo --help)"},
  });
}

TEST(CommandLine, OtherMistakesNameTheFlag) {
  for (const auto& [arguments, expected] : std::vector<std::pair<Words, std::string>>{
           {{"explain"},
            "kubecpp: You must specify the type of resource to explain. Use "
            "\"kubecpp api-resources\" for a complete list"},
           {{"apply"}, "kubecpp: must specify -f"},
           {{"get", "pods", "-o", "bogus"}, "kubecpp: unable to match a printer suitable for"},
           {{"demo", "--pods", "x"},
            "kubecpp: --pods: expected a number from 1 to 200000, found \"x\""},
           {{"get", "pods", ""}, "kubecpp: resource: expected a value, got \"\""},
       }) {
    const Outcome outcome = kubecpp(arguments);
    EXPECT_EQ(outcome.status, 1) << expected;
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

// What __complete prints of a group: "NAME<TAB>SUMMARY" lines, then the number of its directive.
Words commands_of(Words group) {
  group.insert(group.begin(), "__complete");
  group.emplace_back("");
  Words names;
  std::istringstream lines(kubecpp(std::move(group)).out);
  for (std::string line; std::getline(lines, line) && !line.starts_with(':');)
    names.push_back(line.substr(0, line.find('\t')));
  return names;
}

// Adds the commands that refuse a namespace.
void add_refusing(const Words& group, Words& refusing) {
  for (const std::string& name : commands_of(group)) {
    Words command = group;
    command.push_back(name);
    if (command == Words{"auth"} || command == Words{"config"}) {
      add_refusing(command, refusing);
      continue;
    }
    Words line = command;
    line.insert(line.end(), {"-n", "default", "--help"});
    const Outcome outcome = kubecpp(line);
    if (outcome.status != 0) refusing.push_back(::testing::PrintToString(command) + outcome.err);
  }
}

// As with kubectl, which has it among its global flags.
TEST(CommandLine, EveryCommandForAClusterOrAKubeconfigTakesANamespace) {
  ASSERT_THAT(commands_of({}), ::testing::SizeIs(::testing::Ge(20)));
  ASSERT_THAT(commands_of({"config"}), ::testing::SizeIs(::testing::Ge(14)));
  Words refusing;
  add_refusing({}, refusing);
  EXPECT_THAT(refusing,
              ::testing::UnorderedElementsAre(::testing::HasSubstr("kubecpp apiserver --help"),
                                              ::testing::HasSubstr("kubecpp completion --help"),
                                              ::testing::HasSubstr("kubecpp convert --help"),
                                              ::testing::HasSubstr("kubecpp demo --help"),
                                              ::testing::HasSubstr("kubecpp help --help")));
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

TEST_F(CommandLineTest, ASwitchMayHaveAValue) {
  const std::string& url = server_->url();
  for (const Words& call : std::vector<Words>{
           {"get", "pods", "-oname", "--server", url, "-A=true"},
           {"get", "pods", "-oname", "--server", url, "-A=true", "-w=false"},
           {"-A=1", "get", "pods", "-oname", "--server", url},
           {"get", "pods", "-oname", "--server", url, "-A=t", "--watch=false"},
           {"get", "pods", "-oname", "--server", url, "-A=false", "-n", "web"},
       }) {
    const Outcome outcome = kubecpp(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "pod/front\n");
  }
}

TEST_F(CommandLineTest, AnEmptyValueIsTheSameAsNone) {
  const std::string& url = server_->url();
  for (const Words& flags : std::vector<Words>{
           {"-n", "web", "--selector=", "--field-selector", ""},
           {"-A", "-n", "", "--context=", "--cluster=", "--user", "", "--token="},
           {"-A", "--output=", "-oname", "--sort-by=", "--raw=", "-L", "", "--cache-dir="},
           {"-A", "--request-timeout=", "--proxy-url=", "--tls-server-name=", "--as="},
       }) {
    Words call{"get", "pods", "--server", url, "-oname"};
    call.insert(call.end(), flags.begin(), flags.end());
    const Outcome outcome = kubecpp(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "pod/front\n");
  }
  EXPECT_THAT(kubecpp({"get", "pods", "-Ao=", "--server", url}).err,
              ::testing::HasSubstr("unable to match a printer"));
  EXPECT_THAT(
      kubecpp({"get", "pods", "-A", "-o", "", "--no-headers", "-L", "", "--server", url}).out,
      ::testing::StartsWith("web   front "));
  const Outcome deleted = kubecpp({"delete", "pod", "front", "-n", "web",
                                   "--output=", "--raw=", "--server", url, "--selector="});
  EXPECT_EQ(deleted.out, "pod \"front\" deleted from web namespace\n") << deleted.err;
}

TEST_F(CommandLineTest, AllNamespacesWinOverOne) {
  const std::string& url = server_->url();
  for (const Words& call : std::vector<Words>{
           {"get", "pods", "-n", "none", "-A", "-oname", "--server", url},
           {"label", "pods", "--all", "-A", "-n", "none", "a=b", "-oname", "--server", url},
           {"wait", "pods", "--all", "-A", "-n", "none", "--for=create", "-oname", "--server", url},
           {"annotate", "pods", "--all", "-An", "none", "a=b", "-oname", "--server", url},
           {"delete", "pods", "--all", "-n", "none", "-A", "-oname", "--server", url},
       }) {
    const Outcome outcome = kubecpp(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "pod/front\n");
  }
}

// What was a switch once made "6" the name of a pod.
TEST_F(CommandLineTest, TheLevelOfTheLogIsNoName) {
  const std::string& url = server_->url();
  for (const Words& level : std::vector<Words>{
           {"-v", "6"}, {"-v=6"}, {"-v6"}, {"--v=6"}, {"--v", "6"}, {"-Av", "8"}, {"--verbose"}}) {
    Words call{"get", "pods", "-A", "-oname", "--server", url};
    call.insert(call.end(), level.begin(), level.end());
    const Outcome loud = kubecpp(call);
    EXPECT_EQ(loud.out, "pod/front\n") << loud.err;
    EXPECT_THAT(loud.err, ::testing::HasSubstr("/api/v1/pods")) << level.front();
  }
  for (const Words& level : std::vector<Words>{{"-v", "0"}, {"-v=5"}, {"--v=-1"}, {"-v6", "-v0"}}) {
    Words call{"get", "pods", "-A", "-oname", "--server", url};
    call.insert(call.end(), level.begin(), level.end());
    const Outcome quiet = kubecpp(call);
    EXPECT_EQ(quiet.out, "pod/front\n");
    EXPECT_EQ(quiet.err, "");
  }
  const Outcome before =
      kubecpp({"-v", "0", "delete", "pods", "-n", "web", "nosuch", "--server", url});
  EXPECT_EQ(before.err, "Error from server (NotFound): pods \"nosuch\" not found\n");
}

TEST_F(CommandLineTest, AValueMayLookLikeAFlagOrACommand) {
  const Outcome outcome =
      kubecpp({"get", "pods", "-l", "--bogus", "--server", server_->url(), "-n", "get"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, ::testing::StartsWith("kubecpp: --selector: "));
}

TEST_F(CommandLineTest, AFileFlagTakesOneFile) {
  const Outcome outcome =
      kubecpp({"delete", "-f", "pod.yaml", "pod", "front", "--server", server_->url()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(
      outcome.err,
      "kubecpp: when paths, URLs, or stdin is provided as input, you may not specify resource "
      "arguments as well\n");
}

}  // namespace
}  // namespace kubecpp
