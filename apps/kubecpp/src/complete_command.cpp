// SPDX-License-Identifier: Apache-2.0
#include "complete_command.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "arguments.hpp"
#include "command_help.hpp"
#include "completion_command.hpp"
#include "completion_values.hpp"
#include "error_output.hpp"
#include "flags.hpp"

namespace kubecpp {
namespace {

using Words = std::vector<std::string>;
using enum CompletionDirective;

// The words before the one that is typed.
struct TypedLine {
  const CLI::App* command = nullptr;
  Words parameters{};
  std::map<std::string, std::string> flags{};  // by their long name
  const CLI::Option* open = nullptr;           // the last flag, whose value comes next
  bool only_parameters = false;                // after "--"
};

const CLI::Option* flag_in(const CLI::App& command, const std::string& name) {
  const CLI::Option* flag = command.get_option_no_throw(name);
  return flag != nullptr ? flag : flag_of_any(command, name);
}

std::string long_name(const CLI::Option& flag) {
  return flag.get_lnames().empty() ? flag.get_name() : flag.get_lnames().front();
}

void read_flag(const std::string& word, TypedLine& line) {
  const std::size_t equals = word.find('=');
  const bool is_long = word.starts_with("--");
  const std::string name = is_long ? word.substr(0, equals) : word.substr(0, 2);
  const CLI::Option* flag = flag_in(*line.command, name);
  if (flag == nullptr || !takes_value(*flag)) return;
  std::string value;
  if (is_long) {
    if (equals == std::string::npos) return void(line.open = flag);
    value = word.substr(equals + 1);
  } else {
    if (word.size() == 2) return void(line.open = flag);
    value = word.substr(word[2] == '=' ? 3 : 2);
  }
  line.flags[long_name(*flag)] = value;
}

TypedLine read_line(const CLI::App& app, const Words& words) {
  TypedLine line;
  line.command = &app;
  for (const std::string& word : words) {
    if (line.open != nullptr) {
      line.flags[long_name(*std::exchange(line.open, nullptr))] = word;
    } else if (line.only_parameters) {
      line.parameters.push_back(word);
    } else if (word == "--") {
      line.only_parameters = true;
    } else if (word.size() > 1 && word.front() == '-') {
      read_flag(word, line);
    } else if (const CLI::App* next = find_command(*line.command, word)) {
      line.command = next;
    } else {
      line.parameters.push_back(word);
    }
  }
  return line;
}

CompletionServer server_of(const TypedLine& line) {
  CompletionServer server;
  CLI::App flags;
  add_connection(flags, server.connection);
  add_namespace(flags, server.namespace_);
  Words arguments;
  for (const auto& [name, value] : line.flags) {
    if (flags.get_option_no_throw("--" + name) != nullptr)
      arguments.push_back("--" + name + "=" + value);
  }
  try {
    flags.parse(std::move(arguments));
  } catch (const CLI::ParseError&) {
    return {};
  }
  return server;
}

std::vector<Candidate> candidates_of(const Words& words) {
  std::vector<Candidate> candidates;
  for (const std::string& word : words) candidates.push_back({word});
  return candidates;
}

std::vector<Candidate> kubeconfig_candidates(const TypedLine& line, KubeconfigNames which) {
  const auto file = line.flags.find("kubeconfig");
  return names_in_kubeconfig(file == line.flags.end() ? std::string() : file->second, which);
}

// Of the check in the type of a flag: "TEXT:{json,yaml}".
Words enumeration_of(const CLI::Option& flag) {
  const std::string type = flag.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// Of a help text such as "Output format: json, yaml or jsonpath=TEMPLATE; defaults to a table".
Words formats_in(const std::string& help) {
  constexpr std::string_view kBegin = "Output format: ";
  if (!help.starts_with(kBegin)) return {};
  Words formats;
  const std::string list = help.substr(kBegin.size(), help.find(';') - kBegin.size());
  for (std::string word : CLI::detail::split(list, ' ')) {
    word.resize(std::min(
        {word.find('=') == std::string::npos ? word.size() : word.find('=') + 1, word.find(',')}));
    if (!word.empty() && word != "or") formats.push_back(word);
  }
  return formats;
}

Completions flag_values(const CLI::Option& flag, const TypedLine& line) {
  if (const Words words = enumeration_of(flag); !words.empty()) return {candidates_of(words)};
  if (const Words formats = formats_in(flag.get_description()); !formats.empty())
    return {candidates_of(formats), NoSpaceNoFiles};
  const std::string name = long_name(flag);
  if (name == "container" && !line.parameters.empty())
    return {container_candidates(server_of(line), line.parameters.front())};
  if (name == "namespace") return {name_candidates(server_of(line), "namespaces")};
  if (name == "context") return {kubeconfig_candidates(line, KubeconfigNames::Contexts)};
  if (name == "cluster") return {kubeconfig_candidates(line, KubeconfigNames::Clusters)};
  if (name == "user") return {kubeconfig_candidates(line, KubeconfigNames::Users)};
  return {{}, Files};
}

Completions flags_of(const CLI::App& command) {
  Completions result;
  for (const CLI::Option* flag : command.get_options()) {
    if (flag->get_lnames().empty() || flag->get_group().empty()) continue;
    result.candidates.push_back({"--" + flag->get_lnames().front(), flag->get_description()});
  }
  return result;
}

Completions commands_of(const CLI::App& group) {
  Completions result;
  for (const CLI::App* command : group.get_subcommands({})) {
    if (!is_hidden(*command))
      result.candidates.push_back({command->get_name(), command->get_description()});
  }
  return result;
}

// "pods" and then names, or "pods/NAME" words; `resource` is not empty for commands on one
// resource.
Completions objects(const TypedLine& line, const std::string& typed, const std::string& resource) {
  const auto slash = typed.find('/');
  if (slash != std::string::npos) {
    Completions result{name_candidates(server_of(line), typed.substr(0, slash))};
    for (Candidate& each : result.candidates) each.word.insert(0, typed.substr(0, slash + 1));
    return result;
  }
  const bool pairs = !line.parameters.empty() && line.parameters[0].find('/') != std::string::npos;
  std::string type = resource;
  if (type.empty()) {
    if (line.parameters.empty() || pairs) return {resource_candidates(server_of(line))};
    type = line.parameters.front();
  }
  Completions result{name_candidates(server_of(line), type)};
  std::erase_if(result.candidates, [&](const Candidate& each) {
    return std::ranges::find(line.parameters, each.word) != line.parameters.end();
  });
  return result;
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Completions config_words(const std::string& name, const TypedLine& line) {
  if (!line.parameters.empty() && name != "config get-contexts") return {};
  if (name.ends_with("-context") || name == "config get-contexts")
    return {kubeconfig_candidates(line, KubeconfigNames::Contexts)};
  if (name.ends_with("-cluster")) return {kubeconfig_candidates(line, KubeconfigNames::Clusters)};
  if (name.ends_with("-user") || name.ends_with("-credentials"))
    return {kubeconfig_candidates(line, KubeconfigNames::Users)};
  return {};
}

Completions parameters_of(const CLI::App& app, const TypedLine& line, const std::string& typed) {
  const std::string name = full_name(*line.command).substr(app.get_name().size() + 1);
  if (name == "help") {
    const CLI::App* group = &app;
    for (const std::string& word : line.parameters) {
      group = find_command(*group, word);
      if (group == nullptr) return {};
    }
    return commands_of(*group);
  }
  if (name.starts_with("config ")) return config_words(name, line);
  if (name == "completion")
    return line.parameters.empty() ? Completions{candidates_of(shells())} : Completions{};
  if (name == "auth can-i") {
    if (!line.parameters.empty()) return {resource_candidates(server_of(line))};
    return {candidates_of(
        {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"})};
  }
  if (is_one_of(name, {"explain", "watch", "serve"})) return {resource_candidates(server_of(line))};
  if (is_one_of(name, {"logs", "exec", "attach", "port-forward"})) {
    return line.parameters.empty() ? objects(line, typed, "pods") : Completions{{}, Files};
  }
  const bool rollout = name.starts_with("rollout ");
  if (rollout || is_one_of(name, {"get", "delete", "patch", "describe", "label", "annotate",
                                  "scale", "wait"})) {
    return objects(line, typed, "");
  }
  return {
      {},
      line.command->get_options([](const CLI::Option* option) { return option->get_positional(); })
              .empty()
          ? NoFiles
          : Files};
}

}  // namespace

Completions complete(const CLI::App& app, Words words) {
  std::string typed;
  if (!words.empty()) {
    typed = std::move(words.back());
    words.pop_back();
  }
  const TypedLine line = read_line(app, words);
  Completions result;
  if (line.open != nullptr) {
    result = flag_values(*line.open, line);
  } else if (const std::size_t equals = typed.find('=');
             !line.only_parameters && typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* flag = flag_in(*line.command, typed.substr(0, equals));
    typed.erase(0, equals + 1);
    if (flag != nullptr) result = flag_values(*flag, line);
  } else if (!line.only_parameters && typed.starts_with('-')) {
    result = flags_of(*line.command);
  } else if (!line.command->get_subcommands({}).empty()) {
    if (line.parameters.empty()) result = commands_of(*line.command);
  } else {
    result = parameters_of(app, line, typed);
  }
  std::erase_if(result.candidates,
                [&](const Candidate& each) { return !each.word.starts_with(typed); });
  return result;
}

int run_complete(const CLI::App& app, Words words, bool meanings, Output& out) {
  const Completions found = complete(app, std::move(words));
  std::string text;
  for (const Candidate& each : found.candidates) {
    text += printable(each.word);
    if (meanings && !each.meaning.empty()) text += "\t" + printable(each.meaning);
    text += "\n";
  }
  text += ":" + std::to_string(static_cast<int>(found.directive)) + "\n";
  out.write(text);
  return out.exit_status(0);
}

}  // namespace kubecpp
