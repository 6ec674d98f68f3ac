// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "command_help.hpp"
#include "command_table.hpp"
#include "complete_command.hpp"
#include "diff_command.hpp"
#include "docs_command.hpp"
#include "error_output.hpp"

namespace kubecpp {
namespace {

int usage_error(const std::string& what, const CLI::App& command) {
  print_error(what + " (see " + full_name(command) + " --help)");
  return command.get_name() == "diff" ? kDiffFailed : 1;
}

// CLI11 also reports help and version as errors; the others are usage errors.
int say(const CLI::App& app, const CLI::ParseError& error, Output& out) {
  if (error.get_exit_code() == 0) {
    const bool help = error.get_name() != "CallForVersion";
    out.write(help ? app.help() : app.version() + "\n");
    return out.exit_status(0);
  }
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  // CLI11's own message has them in another order.
  const std::vector<std::string> rest = app.remaining(true);
  return usage_error(rest.empty() ? error.what() : unexpected(rest), *command);
}

int help(const CLI::App& app, const std::string& overview, const std::vector<std::string>& topic,
         Output& out) {
  const CLI::App* command = &app;
  for (const std::string& word : topic) {
    const CLI::App* next = find_command(*command, word);
    if (next == nullptr) {
      const bool group = !command->get_subcommands({}).empty();
      return usage_error(group ? no_such_command(*command, word) : unexpected({word}), *command);
    }
    command = next;
  }
  out.write(command == &app ? overview : command->help(full_name(*command->get_parent())));
  return out.exit_status(0);
}

// Plugins of kubectl are programs such as kubectl-cpp, called by `kubectl cpp`.
std::string program_name_of(std::string_view file) {
  std::string name(file.substr(file.rfind('/') + 1));
  if (name.empty()) return "kubecpp";
  constexpr std::string_view kPlugin = "kubectl-";
  if (name.starts_with(kPlugin)) {
    std::replace(name.begin(), name.end(), '-', ' ');
    std::replace(name.begin(), name.end(), '_', '-');
  }
  return name;
}

// Answers what scripts ask: the words that complete a line, and the page of the documentation.
std::optional<int> ask(const CLI::App& app, int argc, char** argv, Output& out) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // kubectl runs the program of this name to complete `kubectl cpp`.
  const bool of_kubectl = argc > 0 && std::string(argv[0]).ends_with("kubectl_complete-cpp");
  if (of_kubectl) return run_complete(app, std::move(words), true, out);
  if (words.empty()) return std::nullopt;
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "__complete" || first == "__completeNoDesc")
    return run_complete(app, std::move(words), first == "__complete", out);
  if (first != "__docs") return std::nullopt;
  out.write(docs_page(app));
  return out.exit_status(0);
}

// Of a flag that is given twice the last value counts, as with kubectl: aliases have flags.
void take_last_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options({})) {
    if (option->get_items_expected_max() == 1 && !option->get_lnames().empty()) option->take_last();
  }
  for (CLI::App* command : app.get_subcommands({})) take_last_values(*command);
}

}  // namespace

int run_command_line(int argc, char** argv, Output& out) {
  CLI::App app{
      "Watches, caches and changes a Kubernetes cluster, converts objects, runs an embedded API "
      "server and a demo."};
  set_program_name(program_name_of(argc > 0 ? argv[0] : ""));
  app.name(program_name());
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", KUBECPP_VERSION);
  std::string overview;
  std::vector<std::string> topic;
  const Runner run =
      add_all_commands(app, [&](Output& to) { return help(app, overview, topic, to); });
  app.add_subcommand("help", "Print help about a command")
      ->add_option("command", topic, "Name of the command, such as get or config view");
  add_help(app);
  take_last_values(app);
  if (const auto asked = ask(app, argc, argv, out)) return *asked;
  // The text is built before parsing, which changes app.help() to the help of the command.
  overview = app.help();

  ScannedArguments scanned = scan_arguments(app, {argv + std::min(argc, 1), argv + argc});
  if (!scanned.error.empty()) {
    return usage_error(scanned.error, scanned.command == nullptr ? app : *scanned.command);
  }
  try {
    app.parse(std::move(scanned.arguments));
  } catch (const CLI::ParseError& error) {
    return say(app, error, out);
  }
  return run(out);
}

}  // namespace kubecpp
