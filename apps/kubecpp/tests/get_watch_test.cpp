// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get --watch` as people run it. The outputs are those of kubectl on the same server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include <kube/apiserver/api_server.hpp>

#include "program.hpp"

namespace kubecpp {
namespace {

using kube::apiserver::ApiServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kFirst =
    R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"first","labels":{"n":"1"}}})";
constexpr const char* kSecond =
    R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"second","labels":{"n":"1"}}})";

class GetWatches : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_->load_text(kFirst)); }
  std::vector<std::string> command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {KUBECPP, "get"});
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return arguments;
  }
  Outcome kubecpp(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), KUBECPP);
    arguments.insert(arguments.end(), {"--server", server_->url()});
    return run(std::move(arguments));
  }
  // Makes an event of each type; the last one is that of "second", which is deleted.
  void change() const {
    EXPECT_TRUE(server_->load_text(kSecond));
    EXPECT_EQ(kubecpp({"patch", "namespace", "first", "-p", R"({"metadata":{"labels":{"n":"2"}}})"})
                  .status,
              0);
    EXPECT_EQ(kubecpp({"delete", "namespace", "second"}).status, 0);
  }
  const std::unique_ptr<ApiServer> server_ = ApiServer::start().value();
};

TEST_F(GetWatches, PrintsTheObjectsAndThenChanges) {
  Program watch(command({"namespaces", "-l", "n", "-w", "-L", "n"}));
  ASSERT_TRUE(watch.prints("first ")) << watch.err();
  change();
  ASSERT_TRUE(watch.prints("Terminating")) << watch.out();
  watch.send(SIGINT);
  EXPECT_EQ(watch.wait(), 1) << "as kubectl, which handles the signal";
  EXPECT_THAT(watch.err(), IsEmpty());
  EXPECT_THAT(watch.out(), MatchesRegex("NAME    STATUS   AGE   N\n"
                                        "first   Active   [0-9]+s    1\n"
                                        "second   Active   [0-9]+s    1\n"
                                        "first    Active   [0-9]+s    2\n"
                                        "second   Terminating   .*"));
}

TEST_F(GetWatches, EndWithTheTimeOfARequest) {
  for (const char* flag : {"-w", "--watch-only"}) {
    Outcome outcome;
    // On a busy machine the object may come later than that.
    for (int seconds = 1; outcome.status != 0 && seconds < 100; seconds *= 4) {
      outcome = kubecpp({"get", "namespace", "first", flag,
                         "--request-timeout=" + std::to_string(seconds) + "s"});
    }
    EXPECT_EQ(outcome.status, 0) << flag;
    EXPECT_EQ(outcome.out.empty(), flag == std::string("--watch-only")) << outcome.out;
    EXPECT_THAT(outcome.err, IsEmpty()) << flag;
  }
}

TEST_F(GetWatches, EventsHaveTheirType) {
  Program watch(command({"namespaces", "-l", "n", "-w", "--output-watch-events", "--no-headers"}));
  ASSERT_TRUE(watch.prints("ADDED      first ")) << watch.err();
  change();
  ASSERT_TRUE(watch.prints("\nDELETED ")) << watch.out();
  EXPECT_THAT(watch.out(), HasSubstr("\nMODIFIED   first "));
  EXPECT_THAT(watch.out(), HasSubstr("\nADDED      second "));

  Program json(command({"namespaces", "-l", "n", "-w", "--output-watch-events", "-o", "json"}));
  EXPECT_TRUE(json.prints(R"("status":{"phase":"Active"}}})")) << json.out();
  EXPECT_THAT(json.out(),
              StartsWith(R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Namespace",)"));
}

TEST_F(GetWatches, WatchOnlyLeavesOutTheObjectsThatExist) {
  Program watch(command({"namespaces", "--watch-only", "-o", "name"}));
  // It watches when it prints what is made again and again.
  for (int i = 0; i < 200 && watch.out().empty(); ++i) {
    const std::string name = "n" + std::to_string(i);
    ASSERT_TRUE(server_->load_text(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" +
                                   name + R"("}})"));
    if (watch.out().empty()) kubecpp({"get", "namespace", name, "-o", "name"});
  }
  ASSERT_TRUE(watch.prints("namespace/n")) << watch.err();
  EXPECT_THAT(watch.out(), StartsWith("namespace/n"));
}

TEST_F(GetWatches, OneObjectIsWatchedByItsName) {
  Program watch(command({"namespace", "first", "-w", "-o", "jsonpath={.metadata.labels.n};"}));
  ASSERT_TRUE(watch.prints("1;")) << watch.err();
  change();
  ASSERT_TRUE(watch.prints("2;"));
  EXPECT_EQ(watch.out(), "1;2;") << "and no other object";
  const Outcome none = kubecpp({"get", "namespace", "nosuch", "-w"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "Error from server (NotFound): namespaces \"nosuch\" not found\n");
}

TEST_F(GetWatches, DocumentsAreSeparated) {
  Program yaml(command({"namespaces", "-l", "n", "-w", "-o", "yaml"}));
  ASSERT_TRUE(yaml.prints("phase: Active\n")) << yaml.err();
  change();
  ASSERT_TRUE(yaml.prints("\n---\napiVersion: v1\n")) << yaml.out();
  EXPECT_THAT(yaml.out(), StartsWith("apiVersion: v1\n"));

  Program columns(
      command({"namespaces", "-l", "n", "-w", "-o", "custom-columns=N:.metadata.name"}));
  ASSERT_TRUE(columns.prints("N\nfirst\n")) << columns.err();
  EXPECT_EQ(
      kubecpp({"patch", "namespace", "first", "-p", R"({"metadata":{"labels":{"n":"3"}}})"}).status,
      0);
  EXPECT_TRUE(columns.prints("N\nfirst\nfirst\n"));
}

}  // namespace
}  // namespace kubecpp
