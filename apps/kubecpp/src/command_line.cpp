// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "apiserver_command.hpp"
#include "demo_command.hpp"
#include "watch_command.hpp"

namespace kubecpp {
namespace {

const CLI::Validator kNotEmpty(
    [](const std::string& value) { return value.empty() ? "expected a value, got \"\"" : ""; }, "");

struct Arguments {
  DemoOptions demo{};
  ApiserverOptions apiserver{};
  WatchOptions watch{};
  std::string output = "name";
  std::string help_topic{};
};

void add_demo(CLI::App& app, DemoOptions& demo) {
  CLI::App& command = *app.add_subcommand(
      "demo",
      "Run a scheduler and a controller on the embedded API server, and check their caches");
  command.add_option("--nodes", demo.nodes, "Nodes of the cluster")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--pods", demo.pods, "Pods that exist at a time")
      ->check(CLI::Range(1, 200'000))
      ->capture_default_str();
  command.add_option("--seconds", demo.seconds, "How long pods come and go")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
}

void add_apiserver(CLI::App& app, ApiserverOptions& apiserver) {
  CLI::App& command = *app.add_subcommand("apiserver", "Run the embedded API server");
  command.add_option("--listen", apiserver.listen, "Address and port; port 0 picks one")
      ->capture_default_str();
  command
      .add_option("--load", apiserver.load,
                  "JSON or YAML file, or folder of them, to load before the server listens")
      ->check(kNotEmpty);
  command
      .add_option("--kubeconfig-out", apiserver.kubeconfig_out,
                  "Write a kubeconfig for this server to the file")
      ->check(kNotEmpty);
}

void add_connection(CLI::App& command, ConnectionOptions& options) {
  command
      .add_option("--server", options.server,
                  "URL of the API server, such as http://127.0.0.1:8080")
      ->check(kNotEmpty);
  command
      .add_option("--kubeconfig", options.kubeconfig,
                  "Kubeconfig file; without it KUBECONFIG, then ~/.kube/config, then the pod's own")
      ->check(kNotEmpty);
  command.add_option("--context", options.context, "Context of the kubeconfig")->check(kNotEmpty);
  command.add_flag("-v,--verbose", options.verbose, "Log what the library does on standard error");
}

void add_watch(CLI::App& app, WatchOptions& watch, std::string& output) {
  CLI::App& command =
      *app.add_subcommand("watch", "Watch a resource through an informer, a line an event");
  command.add_option("resource", watch.resource, "Resource, such as pods, po or deployments.apps")
      ->required();
  auto* namespace_option =
      command.add_option("-n,--namespace", watch.namespace_, "Namespace; without it the context's");
  namespace_option->check(kNotEmpty);
  command.add_flag("-A,--all-namespaces", watch.all_namespaces, "All namespaces")
      ->excludes(namespace_option);
  command.add_option("-l,--selector", watch.label_selector,
                     "Label selector, such as app=web,tier!=db");
  command.add_option("--field-selector", watch.field_selector,
                     "Field selector, such as status.phase=Running");
  command.add_option("-o,--output", output, "name, json or wide")
      ->check(CLI::IsMember({"name", "json", "wide"}))
      ->capture_default_str();
  add_connection(command, watch.connection);
}

// What CLI11 calls help and version is output, the rest a wrong call.
int say(const CLI::App& app, const CLI::ParseError& error, Output& out) {
  if (error.get_exit_code() == 0) {
    const bool help = error.get_name() != "CallForVersion";
    out.write(help ? app.help() : app.version() + "\n");
    return out.exit_status(0);
  }
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name() + " ";
  std::fprintf(stderr, "kubecpp: %s (see kubecpp %s--help)\n", error.what(), command.c_str());
  return 2;
}

int help(const CLI::App& app, const std::string& overview, const std::string& topic, Output& out) {
  if (topic.empty()) {
    out.write(overview);
    return out.exit_status(0);
  }
  const auto commands =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == topic; });
  if (commands.empty()) {
    std::fprintf(stderr, "kubecpp: there is no command \"%s\" (see kubecpp --help)\n",
                 topic.c_str());
    return 2;
  }
  out.write(commands.front()->help(app.get_name()));
  return out.exit_status(0);
}

}  // namespace

int run_command_line(int argc, char** argv, Output& out) {
  CLI::App app{
      "Kubernetes client machinery for C++: watch a cluster, run an API server, see a demo."};
  app.name("kubecpp");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", KUBECPP_VERSION);
  Arguments arguments;
  add_demo(app, arguments.demo);
  add_apiserver(app, arguments.apiserver);
  add_watch(app, arguments.watch, arguments.output);
  app.add_subcommand("help", "Show this help, or that of a command")
      ->add_option("command", arguments.help_topic, "The command");
  // Made before parsing, which turns it into the help of the command that was found.
  const std::string overview = app.help();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return say(app, error, out);
  }
  if (app.got_subcommand("demo")) return run_demo(arguments.demo, out);
  if (app.got_subcommand("apiserver")) return run_apiserver(arguments.apiserver, out);
  if (!app.got_subcommand("watch")) return help(app, overview, arguments.help_topic, out);
  arguments.watch.output = arguments.output == "json"   ? WatchOutput::Json
                           : arguments.output == "wide" ? WatchOutput::Wide
                                                        : WatchOutput::Name;
  return run_watch(arguments.watch, out);
}

}  // namespace kubecpp
