// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp logs` beside kubectl, through the real API server to the log reader of kubelets.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "kubelet_scenario.hpp"

namespace scenarios {
namespace {

class KubecppLogsScenario : public KubeletScenario {
 protected:
  void SetUp() override {
    KubeletScenario::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    run_pod("web", "containers: [{name: one, image: img}, {name: two, image: img}]",
            "labels: {app: web}");
    write_log("web", "one", {"first", "second \x1b[1mbold\x1b[0m", "third"});
    write_log("web", "two", {"of two"});
  }

  // kubectl prints several logs in any order.
  static std::vector<std::string> sorted_lines(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }
  void expect_same_lines(const Arguments& arguments) const {
    EXPECT_EQ(sorted_lines(kubecpp_prints_of(arguments)),
              sorted_lines(printed_by(programs::run(kubectl_words(arguments)))))
        << arguments.back();
  }
  std::string kubecpp_prints_of(const Arguments& arguments) const {
    return printed_by(programs::run(kubecpp_words(arguments)));
  }
};

TEST_F(KubecppLogsScenario, PrintsWhatTheFlagsAskFor) {
  EXPECT_EQ(expect_same({"logs", "web"}).out, "first\nsecond \x1b[1mbold\x1b[0m\nthird\n");
  EXPECT_EQ(expect_same({"logs", "web", "two"}).out, "of two\n");
  EXPECT_EQ(expect_same({"logs", "web", "-c", "one", "--tail=1"}).out, "third\n");
  expect_same({"logs", "pod/web", "-c", "one", "--tail", "0"});
  expect_same({"logs", "web", "-c", "one", "--timestamps"});
  expect_same({"logs", "web", "-c", "one", "--limit-bytes", "8"});
  expect_same({"logs", "web", "-c", "one", "--prefix"});
  EXPECT_EQ(expect_same({"logs", "web", "-c", "one", "--since-time=2026-01-02T10:00:02Z"}).out,
            "third\n");
  expect_same({"logs", "web", "-c", "one", "--since=1s"});
  expect_same({"logs", "web", "-c", "one", "--since=87600h"});
}

TEST_F(KubecppLogsScenario, PrintsTheLogOfTheInstanceBefore) {
  expect_same({"logs", "web", "--previous"});
  write_log("web", "one", {"before"}, ".previous.log");
  EXPECT_EQ(expect_same({"logs", "web", "-p"}).out, "before\n");
}

TEST_F(KubecppLogsScenario, PrintsSeveralLogs) {
  run_pod("web-2", "containers: [{name: one, image: img}]", "labels: {app: web}");
  write_log("web-2", "one", {"of web-2"});
  expect_same_lines({"logs", "web", "--all-containers"});
  expect_same_lines({"logs", "web", "--all-containers=true", "--prefix"});
  expect_same_lines({"logs", "-l", "app=web", "--all-containers", "--prefix"});
  expect_same_lines({"logs", "-l", "app=web", "--prefix", "--tail=1"});
  expect_same({"logs", "-l", "app=nothing"});
  expect_same({"logs", "-l", "app=web", "-f", "--max-log-requests", "1"});
}

TEST_F(KubecppLogsScenario, FindsThePodsOfOwners) {
  create(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: all}\n"
      "spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, "
      "spec: {containers: [{name: one, image: img}]}}}\n");
  create(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\n"
      "spec: {manualSelector: true, selector: {matchLabels: {app: web}}, template: {metadata: "
      "{labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: one, image: "
      "img}]}}}\n");
  expect_same({"logs", "deploy/all"});
  expect_same({"logs", "job/once", "-c", "two"});
  expect_same_lines({"logs", "deploy/all", "--all-pods", "-c", "one"});
  run_pod("web-2", "containers: [{name: one, image: img}]", "labels: {app: web}");
  write_log("web-2", "one", {"of web-2"});
  set_phase("web-2", "Pending");
  const auto first = expect_same({"logs", "deploy/all", "-c", "one"});
  EXPECT_EQ(first.err, "Found 2 pods, using pod/web\n");
  expect_same_lines({"logs", "deploy/all", "--all-pods", "-c", "one"});
}

TEST_F(KubecppLogsScenario, SaysWhatIsWrong) {
  expect_same({"logs"});
  expect_same({"logs", "web", "one", "two"});
  expect_same({"logs", "web", "-l", "app=web"});
  expect_same({"logs", "nothing"});
  expect_same({"logs", "web", "-c", "three"});
  expect_same({"logs", "web", "-c", "one", "--since=-1s"});
  expect_same({"logs", "web", "--tail=-2"});
  expect_same({"logs", "web", "--limit-bytes=-1"});
  expect_same({"logs", "web", "--all-containers", "-c", "one"});
  expect_same({"logs", "web", "one", "-c", "one"});
  expect_same({"logs", "web", "--since=1s", "--since-time=2026-01-02T10:00:02Z"});
  std::filesystem::remove(container_file("web", "two", ".log"));
  expect_same({"logs", "web", "-c", "two"});
  expect_same({"logs", "web", "-c", "two", "--ignore-errors"});
}

TEST_F(KubecppLogsScenario, FollowsALogToTheEndOfItsContainer) {
  for (const char* container : {"one", "two"}) {
    folder_.write(namespace_ + "_web_" + container + ".running", "");
  }
  programs::Program one(kubecpp_words({"logs", "-f", "web", "-c", "one", "--tail=1"}));
  programs::Program both(
      kubecpp_words({"logs", "web", "--follow", "--all-containers", "--prefix", "--tail=0"}));
  EXPECT_TRUE(one.prints("third\n"));
  // A log that has no lines to show says nothing of being followed.
  EXPECT_TRUE(eventually([&] {
    write_log("web", "two", {"later in two"});
    return both.out().find("later in two") != std::string::npos;
  }));
  write_log("web", "one", {"later in one"});
  EXPECT_TRUE(one.prints("third\nlater in one\n")) << one.err();
  EXPECT_TRUE(both.prints("[pod/web/one] later in one\n")) << both.out();
  EXPECT_TRUE(both.prints("[pod/web/two] later in two\n")) << both.out();
  for (const char* container : {"one", "two"}) {
    write_log("web", container, {"last line"});
    std::filesystem::remove(container_file("web", container, ".running"));  // the reader sees it
  }
  EXPECT_EQ(one.wait(), 0) << one.err();
  EXPECT_EQ(both.wait(), 0) << both.err();
  EXPECT_TRUE(one.out().ends_with("last line\n")) << one.out();
}

}  // namespace
}  // namespace scenarios
