// SPDX-License-Identifier: Apache-2.0
//
// What all commands have in common: help, wrong calls, and an output that cannot be written.
#include "program.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/apiserver/api_server.hpp>
#include <kube/testing/eventually.hpp>

namespace kubecpp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Program, WithoutACommandItShowsTheHelp) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{KUBECPP}, {KUBECPP, "help"}, {KUBECPP, "--help"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Usage: kubecpp"), HasSubstr("apiserver"),
                                   HasSubstr("demo"), HasSubstr("watch")));
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

TEST(Program, HelpOfACommandIsThatOfItsHelpFlag) {
  const Outcome by_command = run({KUBECPP, "help", "watch"});
  EXPECT_EQ(by_command.status, 0);
  EXPECT_THAT(by_command.out, HasSubstr("--field-selector"));
  EXPECT_EQ(by_command.out, run({KUBECPP, "watch", "--help"}).out);

  const Outcome unknown = run({KUBECPP, "help", "nosuch"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("unknown command \"nosuch\""));
}

TEST(Program, WrongCallsFailAndPointToTheirHelp) {
  const std::string url = "http://127.0.0.1:1";
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"nosuch"}, "kubecpp --help"},
      {{"watch"}, "kubecpp watch --help"},
      {{"watch", "pods", "--nosuch"}, "kubecpp watch --help"},
      {{"watch", "pods", "-o", "yaml"}, "--output"},
      {{"watch", "pods", "--server", "http://127.0.0.1:"}, "--server: expected a URL"},
      {{"watch", "pods", "--server", "http://127.0.0.1:99999"}, "--server: expected a URL"},
      {{"watch", "pods", "--server", "ftp://h"}, "--server: expected a URL"},
      {{"watch", "pods", "--server", url, "-n", "BAD NS"}, "--namespace \"BAD NS\": "},
      {{"watch", "pods", "--server", url, "-l", "a in b"}, "--selector: "},
      {{"watch", "pods", "--server", url, "--field-selector", "a"}, "--field-selector: "},
      {{"apiserver", "--listen", "nonsense"}, "--listen nonsense: expected ADDRESS:PORT"},
      {{"apiserver", "--listen", "example.com:0"}, "--listen"},
      {{"demo", "--pods", "0"}, "kubecpp demo --help"},
  };
  for (const auto& [arguments, expected] : calls) {
    std::vector<std::string> call = {KUBECPP};
    call.insert(call.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(StartsWith("kubecpp: "), HasSubstr(expected)));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST(Program, MessagesOfSeveralLinesAreLines) {
  EXPECT_EQ(run({KUBECPP, "logs"}).err,
            "kubecpp: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
            "POD or TYPE/NAME is a required argument for the logs command\n"
            "See 'kubecpp logs -h' for help and examples\n");
  EXPECT_EQ(run({KUBECPP, "port-forward", "web"}).err,
            "kubecpp: TYPE/NAME and list of ports are required for port-forward\n"
            "See 'kubecpp port-forward -h' for help and examples\n");
  EXPECT_EQ(run({KUBECPP, "exec", "web", "ls"}).err,
            "kubecpp: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] "
            "instead\nSee 'kubecpp exec -h' for help and examples\n");
  EXPECT_EQ(run({KUBECPP, "auth", "can-i", "get"}).err,
            "kubecpp: you must specify two arguments: verb resource or verb "
            "resource/resourceName.\nSee 'kubecpp auth can-i -h' for help and examples.\n");
  EXPECT_EQ(run({KUBECPP, "completion"}).err,
            "kubecpp: Shell not specified.\nSee 'kubecpp completion -h' for help and examples\n");
  EXPECT_EQ(run({KUBECPP, "completion", "csh"}).err,
            "kubecpp: Unsupported shell type \"csh\".\n"
            "See 'kubecpp completion -h' for help and examples\n");
  EXPECT_EQ(run({KUBECPP, "get"}).err,
            "You must specify the type of resource to get. Use \"kubecpp api-resources\" for a "
            "complete list of supported resources.\n\n"
            "kubecpp: Required resource not specified.\n"
            "Use \"kubecpp explain <resource>\" for a detailed description of that resource (e.g. "
            "kubecpp explain pods).\nSee 'kubecpp get -h' for help and examples\n");
}

TEST(Program, TextsNameThePluginAsKubectlRunsIt) {
  const TemporaryFolder folder;
  const std::string plugin = folder.path("kubectl-cpp");
  std::filesystem::create_symlink(KUBECPP, plugin);
  EXPECT_EQ(run({plugin, "logs"}).err,
            "kubecpp: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
            "POD or TYPE/NAME is a required argument for the logs command\n"
            "See 'kubectl cpp logs -h' for help and examples\n");
}

TEST(Program, AServerThatRefusesTheConnectionIsNamedInKubectlsWords) {
  for (const char* url : {"http://127.0.0.1:1", "https://127.0.0.1:1/prefix"}) {
    EXPECT_EQ(run({KUBECPP, "get", "pods", "--server", url}).err,
              "The connection to the server 127.0.0.1:1 was refused - did you specify the right "
              "host or port?\n");
  }
}

TEST(Program, APasswordInTheServersUrlIsNotShown) {
  const Outcome outcome = run({KUBECPP, "watch", "pods", "--server", "http://me:secret@h"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("secret")));
}

TEST(Program, AFullDiskIsAnErrorOfEveryCommand) {
  const auto server = kube::apiserver::ApiServer::start().value();
  const std::vector<std::vector<std::string>> calls = {
      {KUBECPP, "--help"},
      {KUBECPP, "--version"},
      {KUBECPP, "apiserver"},
      {KUBECPP, "watch", "namespaces", "--server", server->url()},
      {KUBECPP, "demo", "--nodes", "1", "--pods", "1", "--seconds", "1"},
  };
  for (const auto& call : calls) {
    const Outcome outcome = run(call, {.stdout_file = "/dev/full"});
    EXPECT_EQ(outcome.status, 1) << call[1];
    EXPECT_EQ(outcome.err, "kubecpp: standard output: No space left on device\n") << call[1];
  }
}

TEST(Program, AClosedStandardOutputIsAnErrorToo) {
  const auto server = kube::apiserver::ApiServer::start().value();
  for (const std::string& call :
       {std::string("--help"), std::string("apiserver"), "watch nodes --server " + server->url()}) {
    const Outcome outcome = run({"/bin/sh", "-c", "exec " KUBECPP " " + call + " >&-"});
    EXPECT_EQ(outcome.status, 1) << call;
    EXPECT_EQ(outcome.err, "kubecpp: standard output: Bad file descriptor\n") << call;
  }
}

// A file with the server's kubeconfig.
class Kubeconfig {
 public:
  explicit Kubeconfig(const kube::apiserver::ApiServer& server) {
    std::ofstream(path_) << server.kubeconfig();
  }
  ~Kubeconfig() { std::filesystem::remove(path_); }
  Kubeconfig(const Kubeconfig&) = delete;
  Kubeconfig& operator=(const Kubeconfig&) = delete;
  Program::Options options() const { return {.environment = {"KUBECONFIG=" + path_}}; }

 private:
  const std::string path_ = ::testing::TempDir() + "/kubecpp_" + std::to_string(::getpid());
};

TEST(Program, ExamplesStopOnASignalAndSayWhatIsWrong) {
  const auto server = kube::apiserver::ApiServer::start().value();
  ASSERT_TRUE(server->load_text(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})"));
  ASSERT_TRUE(server->load_text(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[]}})"));
  const Kubeconfig kubeconfig(*server);
  Program scheduler({SCHEDULER}, kubeconfig.options());
  EXPECT_TRUE(scheduler.prints("default/p -> n\n")) << scheduler.err();
  scheduler.send(SIGTERM);
  EXPECT_EQ(scheduler.wait(), 0);
  Program counter({POD_COUNTER}, kubeconfig.options());
  ASSERT_TRUE(kube::testing::eventually([&] {
    return server->get({"", "v1", "configmaps"}, {"default", "pod-count"}).has_value();
  })) << counter.err();
  counter.send(SIGINT);
  EXPECT_EQ(counter.wait(), 0) << counter.err();

  Program widgets({WIDGET_CONTROLLER, WIDGETS_YAML}, kubeconfig.options());
  ASSERT_TRUE(kube::testing::eventually([&] {
    return server
        ->load_text(
            "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {parts: "
            "[{name: a}]}}")
        .has_value();
  })) << widgets.err();
  ASSERT_TRUE(kube::testing::eventually([&] {
    const auto widget = server->get({"example.com", "v1", "widgets"}, {"default", "w"});
    return widget && widget->content.string_at({"status", "phase"}) == "Ready";
  })) << widgets.err();
  widgets.send(SIGINT);
  EXPECT_EQ(widgets.wait(), 0) << widgets.err();
  const Outcome missing = run({WIDGET_CONTROLLER, "/nowhere.yaml"}, kubeconfig.options());
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err, "/nowhere.yaml: can't be read\n");

  const Program::Options without{.environment = {"KUBECONFIG=/nowhere"}};
  for (const std::vector<std::string>& program : std::vector<std::vector<std::string>>{
           {SCHEDULER}, {POD_COUNTER}, {WATCH_PODS}, {WIDGET_CONTROLLER, WIDGETS_YAML}}) {
    const Outcome outcome = run(program, without);
    EXPECT_EQ(outcome.status, 1) << program[0];
    EXPECT_THAT(outcome.err, HasSubstr("/nowhere")) << program[0];
  }
}

TEST(Program, WatchPodsCountsOnlyWhatItHasListed) {
  const auto server = kube::apiserver::ApiServer::start().value();
  const Kubeconfig kubeconfig(*server);
  // It runs for the seconds that it is given; on a busy machine it may take more.
  const auto watch_pods = [&](const std::function<bool(const Outcome&)>& has_come_to_it) {
    Outcome outcome;
    for (int seconds = 1; seconds < 100 && !has_come_to_it(outcome); seconds *= 4) {
      outcome = run({WATCH_PODS, std::to_string(seconds)}, kubeconfig.options());
    }
    return outcome;
  };
  const Outcome up = watch_pods([](const Outcome& outcome) { return outcome.status == 0; });
  EXPECT_EQ(up.status, 0) << up.err;
  EXPECT_EQ(up.out, "0 pods\n");
  server->stop();
  const Outcome down = watch_pods([](const Outcome& outcome) {
    return outcome.err.find("watch pods in all namespaces: ") != std::string::npos;
  });
  EXPECT_EQ(down.status, 1);
  EXPECT_THAT(down.err, HasSubstr("watch pods in all namespaces: "));
  EXPECT_THAT(down.out, IsEmpty());
}

TEST(Program, TheDemoComparesCachesAndCounts) {
  const Outcome outcome = run({KUBECPP, "demo", "--nodes", "2", "--pods", "20", "--seconds", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("embedded API server on "), HasSubstr("creation to binding: p50"),
                    HasSubstr("equal    pod counter: the counts it wrote: 10 namespaces"),
                    HasSubstr("every cache equals the server, and every count is correct")));
}

TEST(Program, TheDemoStopsWhileItStarts) {
  Program demo({KUBECPP, "demo", "--nodes", "10000"});
  ASSERT_TRUE(demo.prints("embedded API server on ")) << "the first line comes at once";
  demo.send(SIGINT);
  EXPECT_EQ(demo.wait(), 130);
  EXPECT_TRUE(demo.prints("stopped before the nodes were created"));
  EXPECT_THAT(demo.err(), IsEmpty());
}

}  // namespace
}  // namespace kubecpp
