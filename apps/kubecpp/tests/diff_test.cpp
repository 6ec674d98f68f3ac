// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp diff` leaves on the disk, and what it hides; its output is compared with kubectl's
// in the scenarios.
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/json/value.hpp>

#include "diff_program.hpp"
#include "program.hpp"
#include "secret_mask.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

namespace json = kube::json;

std::string masked(const std::string& before, const std::string& after) {
  json::Value one = json::parse(before).value();
  json::Value other = json::parse(after).value();
  mask_secrets(one, other);
  return json::dump(one) + " " + json::dump(other);
}

TEST(SecretMask, MarksWhatDiffersAndHidesTheRest) {
  EXPECT_EQ(masked(R"({"data":{"a":"1","b":"2","gone":"3"}})",
                   R"({"data":{"a":"1","b":"3","new":"4"},"stringData":{"x":"y"}})"),
            R"-({"data":{"a":"***","b":"*** (before)","gone":"***"}} )-"
            R"-({"data":{"a":"***","b":"*** (after)","new":"***"},"stringData":{"x":"***"}})-");
  EXPECT_EQ(masked("null", R"({"data":{"a":"1"}})"), R"-(null {"data":{"a":"***"}})-");
  EXPECT_EQ(masked(R"({"data":null})", "{}"), R"({"data":null} {})");
}

TEST(SecretMask, HidesTheAnnotationThatRepeatsTheValues) {
  const std::string name = "kubectl.kubernetes.io/last-applied-configuration";
  const auto annotated = [&](const std::string& value) {
    return R"({"metadata":{"annotations":{")" + name + R"(":")" + value + R"(","x":"y"}}})";
  };
  EXPECT_EQ(masked(annotated("1"), annotated("1")), annotated("***") + " " + annotated("***"));
  EXPECT_EQ(masked(annotated("1"), annotated("2")),
            annotated("*** (before)") + " " + annotated("*** (after)"));
}

TEST(SecretMask, KnowsSecrets) {
  const auto is = [](const std::string& text) { return is_secret(json::parse(text).value()); };
  EXPECT_TRUE(is(R"({"apiVersion":"v1","kind":"Secret"})"));
  EXPECT_TRUE(is(R"({"apiVersion":"example.com/v1","kind":"Secret"})"));
  EXPECT_FALSE(is(R"({"apiVersion":"v2","kind":"Secret"})"));
  EXPECT_FALSE(is(R"({"apiVersion":"v1","kind":"SecretList"})"));
  EXPECT_FALSE(is("null"));
}

TEST(DiffCommandLine, IsDiffOrTheProgramOfTheEnvironment) {
  ::unsetenv("KUBECTL_EXTERNAL_DIFF");
  EXPECT_THAT(diff_command_line("l", "r"), ElementsAre("diff", "-u", "-N", "l", "r"));
  ::setenv("KUBECTL_EXTERNAL_DIFF", "my diff  --x=1 $(rm) -U5;", 1);
  EXPECT_THAT(diff_command_line("l", "r"), ElementsAre("my", "l", "r", "diff", "--x=1"));
  ::unsetenv("KUBECTL_EXTERNAL_DIFF");
}

class DiffFolders : public ::testing::Test {
 protected:
  // A program that compares, as a script.
  Program::Options with(const std::string& script) const {
    const std::string file = folder_.write("compare", "#!/bin/sh\n" + script + "\n");
    ::chmod(file.c_str(), 0700);
    return {.environment = {"TMPDIR=" + temporary_.path(""), "KUBECTL_EXTERNAL_DIFF=" + file}};
  }
  std::vector<std::string> line() const {
    return {KUBECPP,
            "diff",
            "-f",
            folder_.write("s.yaml",
                          "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: YWJj}}"),
            "--server",
            server_->url(),
            "--cache-dir",
            folder_.path("cache")};
  }
  bool nothing_is_left() const { return std::filesystem::is_empty(temporary_.path("")); }

  const TemporaryFolder folder_;
  const TemporaryFolder temporary_;
  const std::unique_ptr<ApiServer> server_ = ApiServer::start().value();
};

TEST_F(DiffFolders, OnlyTheUserCanReadThem) {
  const Outcome outcome = run(
      line(), with("stat -c %a \"$1\" \"$1\"/* \"$2\" \"$2\"/*; echo \"$1\" \"$2\"; cat \"$2\"/*"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              MatchesRegex("700\n600\n700\n600\n[^ ]*/LIVE-[^ /]+ [^ ]*/MERGED-[^ /]+\n"
                           "apiVersion: v1\ndata:\n  a: '\\*\\*\\*'\n(.|\n)*"));
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(DiffFolders, AreGoneAfterASignalAndTheProgramHasEnded) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Program program(line(), with("echo $$; exec sleep 1000"));
    ASSERT_TRUE(program.prints("\n")) << program.err();
    const pid_t child = std::atoi(program.out().c_str());
    program.send(SIGHUP);  // ignored: the folders would stay
    program.send(signal);
    EXPECT_EQ(program.wait(), 130);
    EXPECT_EQ(program.err(), "kubecpp: interrupted\n");
    EXPECT_NE(::kill(child, 0), 0);
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_F(DiffFolders, AFolderThatCannotBeMadeIsAnError) {
  auto options = with("true");
  options.environment.front() = "TMPDIR=" + temporary_.path("missing");
  const Outcome outcome = run(line(), options);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/missing/LIVE-XXXXXX: No such file or directory"));
}

TEST_F(DiffFolders, AProgramThatFailsIsAnError) {
  const Outcome outcome = run(line(), with("exit 3"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/compare\": exit status 3\n"));
  EXPECT_THAT(run(line(), with("kill -9 $$")).err, HasSubstr("/compare\": signal: killed\n"));
  EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace kubecpp
