// SPDX-License-Identifier: Apache-2.0
#include "docs_command.hpp"

#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "command_help.hpp"
#include "flags.hpp"

namespace kubecpp {
namespace {

// Cells end at "|"; "<" begins a tag.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '<' ? "&lt;" : std::string(1, c);
  }
  return out;
}

std::string flag_words(const CLI::Option& flag) {
  std::string text;
  const auto add = [&](const std::string& word) {
    text += (text.empty() ? "`" : ", `") + word + "`";
  };
  if (flag.get_positional()) return "`" + flag.get_name(true) + "`";
  for (const std::string& name : flag.get_snames()) add("-" + name);
  for (const std::string& name : flag.get_lnames()) add("--" + name);
  return text;
}

std::string flag_row(const CLI::Option& flag) {
  std::string text = "| " + flag_words(flag) + " | " + cell(flag.get_description());
  const std::string type = flag.get_type_name();
  if (const std::size_t begin = type.find('{'); begin != std::string::npos)
    text += " (`" + cell(type.substr(begin)) + "`)";
  if (!flag.get_default_str().empty()) text += "; default `" + cell(flag.get_default_str()) + "`";
  if (flag.get_required()) text += "; required";
  return text + " |\n";
}

std::string flag_table(const CLI::App& command, bool of_connection) {
  std::string rows;
  for (const CLI::Option* flag : command.get_options()) {
    const std::string group = flag->get_group();
    if (group.empty() || (group == kConnectionGroup) != of_connection) continue;
    if (flag != command.get_help_ptr()) rows += flag_row(*flag);
  }
  return rows.empty() ? rows : "| Flag | What it does |\n| --- | --- |\n" + rows + "\n";
}

bool connects(const CLI::App& command) {
  return std::ranges::any_of(command.get_options(), [](const CLI::Option* flag) {
    return flag->get_group() == kConnectionGroup;
  });
}

void add_command_page(const CLI::App& command, const std::string& heading, std::string& page) {
  page += heading + " " + full_name(command) + "\n\n" + command.get_description() + ".\n\n";
  page += flag_table(command, false);
  if (connects(command)) page += "It also has the [connection options](#connection-options).\n\n";
  if (const std::string examples = examples_of(command, ""); !examples.empty())
    page += "```console\n" + examples + "```\n\n";
  for (const CLI::App* each : command.get_subcommands({})) {
    if (!is_hidden(*each)) add_command_page(*each, heading + "#", page);
  }
}

const CLI::App* with_connection(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (connects(*command)) return command;
  }
  return nullptr;
}

}  // namespace

std::string docs_page(const CLI::App& app) {
  std::string page =
      "# The commands of kubecpp\n\n"
      "This page is made from the commands' own help, which `kubecpp help COMMAND` prints; a test "
      "keeps it so. Flags may\ncome before the command.\n\n";
  std::string group;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (is_hidden(*command)) continue;
    if (command->get_group() != group) {
      group = command->get_group();
      page += "## " + group + "\n\n";
    }
    add_command_page(*command, "###", page);
  }
  if (const CLI::App* command = with_connection(app)) {
    page += "## Connection options\n\nThe flags of all commands that talk to a cluster.\n\n" +
            flag_table(*command, true);
  }
  page.resize(page.find_last_not_of('\n') + 1);
  return page + "\n";
}

}  // namespace kubecpp
