// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apiserver_command.hpp"
#include "apply_command.hpp"
#include "arguments.hpp"
#include "convert_command.hpp"
#include "delete_command.hpp"
#include "demo_command.hpp"
#include "error_output.hpp"
#include "explain_command.hpp"
#include "get_command.hpp"
#include "patch_command.hpp"
#include "watch_command.hpp"

namespace kubecpp {
namespace {

const CLI::Validator kNotEmpty(
    [](const std::string& value) { return value.empty() ? "expected a value, got \"\"" : ""; }, "");

struct Arguments {
  DemoOptions demo{};
  ApiserverOptions apiserver{};
  WatchOptions watch{};
  ConvertOptions convert{};
  std::string to = "json";
  GetCommandOptions get{};
  std::string get_output = "table";
  ApplyCommandOptions apply{};
  DeleteCommandOptions delete_{};
  PatchCommandOptions patch{};
  ExplainOptions explain{};
  std::string output = "name";
  std::string result_output{};
  std::string help_topic{};
};

void add_demo(CLI::App& app, DemoOptions& demo) {
  CLI::App& command = *app.add_subcommand(
      "demo", "Run a scheduler and a controller on the embedded API server and check their caches");
  command.add_option("--nodes", demo.nodes, "Number of nodes")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--pods", demo.pods, "Number of pods that exist at the same time")
      ->check(CLI::Range(1, 200'000))
      ->capture_default_str();
  command.add_option("--seconds", demo.seconds, "Duration of the load, in seconds")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
}

void add_apiserver(CLI::App& app, ApiserverOptions& apiserver) {
  CLI::App& command = *app.add_subcommand("apiserver", "Run the embedded API server");
  command
      .add_option("--listen", apiserver.listen,
                  "Address and port to listen on; port 0 picks a free one")
      ->capture_default_str();
  command
      .add_option("--load", apiserver.load,
                  "JSON or YAML file, or directory of such files, to load before the server "
                  "listens; at most "
                  "256 MiB each; - reads standard input")
      ->check(kNotEmpty);
  command
      .add_option("--host-name", apiserver.host_names,
                  "Host name with a dot that clients may use; other names get 403; * allows any")
      ->check(kNotEmpty);
  command
      .add_option("--kubeconfig-out", apiserver.kubeconfig_out,
                  "File to write a kubeconfig for this server to")
      ->check(kNotEmpty);
}

void add_connection(CLI::App& command, ConnectionOptions& options) {
  command
      .add_option("--server", options.server,
                  "URL of the API server, such as http://127.0.0.1:8080")
      ->check(kNotEmpty);
  command
      .add_option(
          "--kubeconfig", options.kubeconfig,
          "Kubeconfig file; defaults to $KUBECONFIG, ~/.kube/config or the pod's service account")
      ->check(kNotEmpty);
  command.add_option("--context", options.context, "Name of the kubeconfig context to use")
      ->check(kNotEmpty);
  command.add_flag("-v,--verbose", options.verbose, "Write the library's log to standard error");
}

CLI::Option* add_namespace(CLI::App& command, std::string& namespace_) {
  return command.add_option("-n,--namespace", namespace_, "Namespace; defaults to the context's")
      ->check(kNotEmpty);
}

// Adds the flags that select objects of a resource: by namespace, labels and fields.
template <typename Options>
void add_selection(CLI::App& command, Options& options) {
  auto* namespace_option = add_namespace(command, options.namespace_);
  command.add_flag("-A,--all-namespaces", options.all_namespaces, "Use all namespaces")
      ->excludes(namespace_option);
  command.add_option("-l,--selector", options.label_selector,
                     "Label selector, such as app=web,tier!=db");
  command.add_option("--field-selector", options.field_selector,
                     "Field selector, such as status.phase=Running");
}

CLI::Option* add_files(CLI::App& command, std::vector<std::string>& files) {
  return command
      .add_option(
          "-f,--filename", files,
          "File in JSON, YAML or protobuf, or directory with .json, .yaml and .yml files; - reads "
          "standard input")
      ->allow_extra_args(false)  // one file per flag: further words are targets
      ->check(kNotEmpty);
}

CLI::Option* add_targets(CLI::App& command, std::vector<std::string>& words,
                         const std::string& help) {
  return command.add_option("resource", words, help)->check(kNotEmpty);
}

// Adds the output flag of a command that changes objects.
void add_result_output(CLI::App& command, std::string& output) {
  command
      .add_option("-o,--output", output,
                  "Output format: json, yaml or name; defaults to a line of text per object")
      ->check(CLI::IsMember({"json", "yaml", "name"}));
}

void add_watch(CLI::App& app, WatchOptions& watch, std::string& output) {
  CLI::App& command =
      *app.add_subcommand("watch", "Watch a resource by an informer and print one line per event");
  command.add_option("resource", watch.resource, "Resource, such as pods, po or deployments.apps")
      ->required();
  add_selection(command, watch);
  command.add_option("-o,--output", output, "Output format: name, json or wide")
      ->check(CLI::IsMember({"name", "json", "wide"}))
      ->capture_default_str();
  add_connection(command, watch.connection);
}

void add_convert(CLI::App& app, ConvertOptions& convert, std::string& to) {
  CLI::App& command =
      *app.add_subcommand("convert", "Convert the objects of a file to JSON, YAML or protobuf");
  command
      .add_option("file", convert.file, "File in JSON, YAML or protobuf; - reads standard input")
      ->check(kNotEmpty)
      ->capture_default_str();
  command.add_option("--to", to, "Encoding of the output: json, yaml or protobuf")
      ->check(CLI::IsMember({"json", "yaml", "protobuf"}))
      ->capture_default_str();
  command.add_flag("--strict", convert.strict, "Fail on unknown and duplicate fields");
  command.add_option("--out", convert.out, "File to write to instead of standard output")
      ->check(kNotEmpty);
}

void add_get(CLI::App& app, GetCommandOptions& get, std::string& output) {
  CLI::App& command = *app.add_subcommand("get", "Display one or many objects");
  add_targets(
      command, get.targets,
      "Resource, such as pods, po, deployments.apps or pods,services, followed by names; or "
      "RESOURCE/NAME...; or a category, such as all")
      ->required();
  add_selection(command, get);
  command.add_option("-o,--output", output, "Output format: table, wide, json, yaml or name")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml", "name"}))
      ->capture_default_str();
  command.add_flag("--no-headers", get.no_headers, "Omit the headers of a table");
  add_connection(command, get.connection);
}

void add_apply(CLI::App& app, ApplyCommandOptions& apply, std::string& output) {
  CLI::App& command = *app.add_subcommand("apply", "Apply the configuration in files to objects");
  add_files(command, apply.files)->required();
  add_namespace(command, apply.namespace_);
  command.add_flag("--force-conflicts", apply.force_conflicts,
                   "Take over fields that other field managers own");
  add_result_output(command, output);
  add_connection(command, apply.connection);
}

void add_delete(CLI::App& app, DeleteCommandOptions& delete_, std::string& output) {
  CLI::App& command = *app.add_subcommand("delete", "Delete objects by name or by file");
  add_targets(command, delete_.targets, "Resource and names, or RESOURCE/NAME...");
  add_files(command, delete_.files);
  add_namespace(command, delete_.namespace_);
  command.add_flag("--ignore-not-found", delete_.ignore_not_found,
                   "Treat objects that do not exist as deleted");
  command
      .add_option("-o,--output", output,
                  "Output format: name; defaults to a line of text per object")
      ->check(CLI::IsMember({"name"}));
  add_connection(command, delete_.connection);
}

void add_patch(CLI::App& app, PatchCommandOptions& patch, std::string& output) {
  CLI::App& command = *app.add_subcommand("patch", "Update fields of objects by a patch");
  add_targets(command, patch.targets, "Resource and names, or RESOURCE/NAME...")->required();
  command.add_option("--type", patch.type, "Type of the patch: strategic, merge or json")
      ->check(CLI::IsMember({"strategic", "merge", "json"}))
      ->capture_default_str();
  command.add_option("-p,--patch", patch.patch, "The patch, in JSON or YAML")->required();
  add_result_output(command, output);
  add_namespace(command, patch.namespace_);
  add_connection(command, patch.connection);
}

void add_explain(CLI::App& app, ExplainOptions& explain) {
  CLI::App& command =
      *app.add_subcommand("explain", "Describe the fields of a built-in resource; needs no server");
  command.add_option("path", explain.path, "RESOURCE[.FIELD...], such as pods.spec.containers")
      ->required()
      ->check(kNotEmpty);
  command
      .add_option("--api-version", explain.api_version, "Version of the resource, such as apps/v1")
      ->check(kNotEmpty);
}

int usage_error(const std::string& what, const CLI::App* command) {
  print_error(what + " (see kubecpp " + (command == nullptr ? "" : command->get_name() + " ") +
              "--help)");
  return 2;
}

// CLI11 also reports help and version as errors; the others are usage errors.
int say(const CLI::App& app, const CLI::ParseError& error, Output& out) {
  if (error.get_exit_code() == 0) {
    const bool help = error.get_name() != "CallForVersion";
    out.write(help ? app.help() : app.version() + "\n");
    return out.exit_status(0);
  }
  const auto chosen = app.get_subcommands();
  const CLI::App* command = chosen.empty() ? nullptr : chosen.front();
  // CLI11's own message has them in another order.
  const std::vector<std::string> rest = app.remaining(true);
  return usage_error(rest.empty() ? error.what() : unexpected(rest), command);
}

int help(const CLI::App& app, const std::string& overview, const std::string& topic, Output& out) {
  if (topic.empty()) {
    out.write(overview);
    return out.exit_status(0);
  }
  const auto commands =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == topic; });
  if (commands.empty()) {
    return usage_error("unknown command \"" + topic + "\"", nullptr);
  }
  out.write(commands.front()->help(app.get_name()));
  return out.exit_status(0);
}

}  // namespace

int run_command_line(int argc, char** argv, Output& out) {
  CLI::App app{
      "Watches, caches and changes a Kubernetes cluster, converts objects, runs an embedded API "
      "server and a demo."};
  app.name("kubecpp");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", KUBECPP_VERSION);
  Arguments arguments;
  add_demo(app, arguments.demo);
  add_apiserver(app, arguments.apiserver);
  add_watch(app, arguments.watch, arguments.output);
  add_convert(app, arguments.convert, arguments.to);
  add_get(app, arguments.get, arguments.get_output);
  add_apply(app, arguments.apply, arguments.result_output);
  add_delete(app, arguments.delete_, arguments.result_output);
  add_patch(app, arguments.patch, arguments.result_output);
  add_explain(app, arguments.explain);
  app.add_subcommand("help", "Print help about a command")
      ->add_option("command", arguments.help_topic, "Name of the command");
  // The text is built before parsing, which changes app.help() to the help of the command.
  const std::string overview = app.help();

  ScannedArguments scanned = scan_arguments(app, {argv + std::min(argc, 1), argv + argc});
  if (!scanned.error.empty()) return usage_error(scanned.error, scanned.command);
  try {
    app.parse(std::move(scanned.arguments));
  } catch (const CLI::ParseError& error) {
    return say(app, error, out);
  }
  if (app.got_subcommand("demo")) return run_demo(arguments.demo, out);
  if (app.got_subcommand("apiserver")) return run_apiserver(arguments.apiserver, out);
  if (app.got_subcommand("convert")) {
    arguments.convert.to = arguments.to == "yaml"       ? ConvertFormat::Yaml
                           : arguments.to == "protobuf" ? ConvertFormat::Protobuf
                                                        : ConvertFormat::Json;
    return run_convert(arguments.convert, out);
  }
  if (app.got_subcommand("get")) {
    const std::string& output = arguments.get_output;
    arguments.get.output = output == "json"   ? GetOutput::Json
                           : output == "yaml" ? GetOutput::Yaml
                           : output == "name" ? GetOutput::Name
                           : output == "wide" ? GetOutput::Wide
                                              : GetOutput::Table;
    return run_get(arguments.get, out);
  }
  arguments.apply.output = arguments.patch.output = result_output(arguments.result_output);
  arguments.delete_.names_only = !arguments.result_output.empty();
  if (app.got_subcommand("apply")) return run_apply(arguments.apply, out);
  if (app.got_subcommand("delete")) return run_delete(arguments.delete_, out);
  if (app.got_subcommand("patch")) return run_patch(arguments.patch, out);
  if (app.got_subcommand("explain")) return run_explain(arguments.explain, out);
  if (!app.got_subcommand("watch")) return help(app, overview, arguments.help_topic, out);
  arguments.watch.output = arguments.output == "json"   ? WatchOutput::Json
                           : arguments.output == "wide" ? WatchOutput::Wide
                                                        : WatchOutput::Name;
  return run_watch(arguments.watch, out);
}

}  // namespace kubecpp
