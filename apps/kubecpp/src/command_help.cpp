// SPDX-License-Identifier: Apache-2.0
#include "command_help.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

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

// Help that is the same with each version of CLI11, whose own differ.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = make_description(command) + make_usage(command, std::move(name)) +
                       make_positionals(command) + make_groups(command, mode) +
                       make_subcommands(command, mode) + "\n";
    const std::string footer = command->get_footer();
    return footer.empty() ? text : text + footer + "\n";
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    const std::string type = option->get_type_name();
    std::string text = type.empty() ? "" : " " + type;
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " REQUIRED";
    return text;
  }
};

void add_texts(CLI::App& command, const std::shared_ptr<CLI::Formatter>& formatter) {
  command.formatter(formatter);
  if (const std::string text = examples_of(command, "  "); !text.empty()) {
    command.footer("Examples:\n" + text);
  }
  for (CLI::App* each : command.get_subcommands({})) add_texts(*each, formatter);
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
  add_texts(app, std::make_shared<HelpFormatter>());
}

}  // namespace kubecpp
