// SPDX-License-Identifier: Apache-2.0
#include "command_help.hpp"

#include <algorithm>
#include <cstdio>

namespace kubecpp {
namespace {

struct HelpGroup {
  const char* title;
  std::span<const std::string_view> commands;
};

constexpr std::string_view kBasic[] = {"explain", "get", "watch", "delete"};
constexpr std::string_view kDeploy[] = {"rollout", "scale"};
constexpr std::string_view kCluster[] = {"cluster-info"};
constexpr std::string_view kTroubleshooting[] = {"describe", "logs",         "attach",
                                                 "exec",     "port-forward", "auth"};
constexpr std::string_view kAdvanced[] = {"diff", "apply", "patch", "wait"};
constexpr std::string_view kSettings[] = {"label", "annotate", "completion"};
constexpr std::string_view kServers[] = {"serve", "apiserver", "demo"};

constexpr HelpGroup kHelpGroups[] = {
    {"Basic Commands", kBasic},
    {"Deploy Commands", kDeploy},
    {"Cluster Management Commands", kCluster},
    {"Troubleshooting and Debugging Commands", kTroubleshooting},
    {"Advanced Commands", kAdvanced},
    {"Settings Commands", kSettings},
    {"Server Commands", kServers},
};
constexpr const char* kOtherCommands = "Other Commands";

}  // namespace

std::size_t place_in_help(std::string_view name) {
  std::size_t place = 0;
  for (const HelpGroup& group : kHelpGroups) {
    for (const std::string_view each : group.commands) {
      if (each == name) return place;
      ++place;
    }
  }
  return place;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

namespace {

const CLI::App& program_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command : program_of(*parent);
}

void add_examples(CLI::App& command) {
  if (const std::string text = examples_of(command, "  "); !text.empty()) {
    command.footer("Examples:\n" + text);
  }
  for (CLI::App* each : command.get_subcommands({})) add_examples(*each);
}

}  // namespace

int help_of_group(const CLI::App& command, Output& out) {
  const std::string text = command.help(full_name(*command.get_parent()));
  std::fputs(text.c_str(), stderr);
  return out.exit_status(1);
}

std::string examples_of(const CLI::App& command, const std::string& indent) {
  const std::string& program = program_of(command).get_name();
  const std::string name = full_name(command);
  std::string text;
  for (const CommandExample& each : all_examples()) {
    if (program + " " + each.command != name) continue;
    text += indent + "# " + each.purpose + "\n" + indent + program + " " + each.arguments + "\n";
  }
  return text;
}

void add_help(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // hidden
    command->group(kOtherCommands);
    for (const HelpGroup& group : kHelpGroups) {
      if (std::ranges::find(group.commands, command->get_name()) != group.commands.end()) {
        command->group(group.title);
      }
    }
  }
  add_examples(app);
}

}  // namespace kubecpp
