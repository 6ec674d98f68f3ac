// SPDX-License-Identifier: Apache-2.0
//
// kubecpp: watches a cluster, runs the embedded API server, and shows both.
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "apiserver_command.hpp"
#include "demo_command.hpp"
#include "watch_command.hpp"

namespace {

void add_connection(CLI::App& command, kubecpp::ConnectionOptions& options) {
  command.add_option("--server", options.server,
                     "URL of the API server, such as http://127.0.0.1:8080");
  command.add_option(
      "--kubeconfig", options.kubeconfig,
      "Kubeconfig file; without it KUBECONFIG, then ~/.kube/config, then the pod's own");
  command.add_option("--context", options.context, "Context of the kubeconfig");
  command.add_flag("-v,--verbose", options.verbose, "Log what the library does on standard error");
}

int run(int argc, char** argv) {
  CLI::App app{
      "Kubernetes client machinery for C++: watch a cluster, run an API server, see a demo."};
  app.name("kubecpp");
  app.require_subcommand(1);
  app.set_version_flag("--version", KUBECPP_VERSION);

  kubecpp::DemoOptions demo;
  CLI::App& demo_command = *app.add_subcommand(
      "demo",
      "Run a scheduler and a controller on the embedded API server, and check their caches");
  demo_command.add_option("--nodes", demo.nodes, "Nodes of the cluster")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  demo_command.add_option("--pods", demo.pods, "Pods that exist at a time")
      ->check(CLI::Range(1, 200'000))
      ->capture_default_str();
  demo_command.add_option("--seconds", demo.seconds, "How long pods come and go")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();

  kubecpp::ApiserverOptions apiserver;
  CLI::App& apiserver_command = *app.add_subcommand("apiserver", "Run the embedded API server");
  apiserver_command.add_option("--listen", apiserver.listen, "Address and port; port 0 picks one")
      ->capture_default_str();
  apiserver_command.add_option("--load", apiserver.load,
                               "JSON or YAML file, or folder of them, to load at the start");
  apiserver_command.add_option("--kubeconfig-out", apiserver.kubeconfig_out,
                               "Write a kubeconfig for this server to the file");

  kubecpp::WatchOptions watch;
  CLI::App& watch_command =
      *app.add_subcommand("watch", "Watch a resource through an informer, a line an event");
  watch_command
      .add_option("resource", watch.resource, "Resource, such as pods, po or deployments.apps")
      ->required();
  auto* namespace_option = watch_command.add_option("-n,--namespace", watch.namespace_,
                                                    "Namespace; without it the context's");
  watch_command.add_flag("-A,--all-namespaces", watch.all_namespaces, "All namespaces")
      ->excludes(namespace_option);
  watch_command.add_option("-l,--selector", watch.label_selector,
                           "Label selector, such as app=web,tier!=db");
  watch_command.add_option("--field-selector", watch.field_selector,
                           "Field selector, such as status.phase=Running");
  std::string output = "name";
  watch_command.add_option("-o,--output", output, "name, json or wide")
      ->check(CLI::IsMember({"name", "json", "wide"}))
      ->capture_default_str();
  add_connection(watch_command, watch.connection);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "kubecpp: %s (kubecpp --help lists the commands)\n", error.what());
    return 2;
  }
  if (demo_command.parsed()) return kubecpp::run_demo(demo);
  if (apiserver_command.parsed()) return kubecpp::run_apiserver(apiserver);
  watch.output = output == "json"   ? kubecpp::WatchOutput::Json
                 : output == "wide" ? kubecpp::WatchOutput::Wide
                                    : kubecpp::WatchOutput::Name;
  return kubecpp::run_watch(watch);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left is an error of the write
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kubecpp: %s\n", error.what());
    return 1;
  }
}
