// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <kube/base/similar_names.hpp>

namespace kubecpp {
namespace {

using Words = std::vector<std::string>;

// "-" is a file, standard input.
bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

bool takes_value(const CLI::Option& flag) {
  return flag.get_items_expected_max() > 0;
}

const CLI::Option* find_flag(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name);
}

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

// Returns "--output" for "--output=json".
std::string name_in(const std::string& word) {
  return word.substr(0, word.find('='));
}

// For flags that begin with "--", such as "--output".
std::string no_such_flag(const CLI::App& command, const std::string& name) {
  kube::SimilarNames similar(name);
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& known : each->get_lnames()) {
      similar.add(similar.mistakes("--" + known), "--" + known);
    }
  }
  return "unknown flag: " + name + similar.hint();
}

// The flags of one command, word by word.
class FlagScanner {
 public:
  explicit FlagScanner(const CLI::App& command) : command_(command) {}

  /// Returns the first error, or nothing. Rewrites short flags for CLI11: "-ojson" for "-o=json".
  /// As with kubectl, an "=" with nothing after it is the value.
  std::string scan(Words& words, std::size_t begin) {
    for (std::size_t i = begin; i < words.size() && words[i] != "--"; ++i) {
      if (!is_flag(words[i])) continue;
      needs_next_ = false;
      std::string error = words[i].starts_with("--") ? scan_long(words[i]) : scan_short(words[i]);
      if (!error.empty()) return error;
      if (!needs_next_) continue;
      if (++i == words.size()) return "flag needs an argument: " + last_;  // whatever it looks like
    }
    return {};
  }

 private:
  std::string scan_long(const std::string& word) {
    const std::string name = name_in(word);
    const CLI::Option* flag = find_flag(command_, name);
    if (flag == nullptr || name == "--") return no_such_flag(command_, name);
    last_ = name;
    if (takes_value(*flag)) {
      if (name.size() + 1 == word.size()) return "flag needs an argument: " + name;
      needs_next_ = name == word;
    }
    return count(*flag);
  }

  std::string scan_short(std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = std::string("-") + word[i];
      const CLI::Option* flag = find_flag(command_, name);
      if (flag == nullptr) {
        const std::string typed = name_in(word);
        return "unknown flag: " + name + (typed == name ? "" : " in " + typed);
      }
      last_ = name;
      if (auto repeated = count(*flag); !repeated.empty()) return repeated;
      if (takes_value(*flag)) {
        needs_next_ = i + 1 == word.size();
        if (i + 2 < word.size() && word[i + 1] == '=') word.erase(i + 1, 1);
        return {};
      }
      if (i + 1 < word.size() && word[i + 1] == '=') {
        return name + " takes no value, found \"" + word + "\"";
      }
    }
    return {};
  }

  std::string count(const CLI::Option& flag) {
    const bool once = flag.get_items_expected_max() == 1;
    return ++seen_[&flag] > 1 && once ? flag.get_name() + " is given more than once"
                                      : std::string();
  }

  const CLI::App& command_;
  std::map<const CLI::Option*, int> seen_;
  std::string last_;  // the flag as it was typed
  bool needs_next_ = false;
};

// Returns the flag with that name of any command, for words before the command. Commands that share
// a flag's name agree on whether it takes a value.
const CLI::Option* flag_of_any(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (const CLI::Option* flag = find_flag(*command, name)) return flag;
  }
  return nullptr;
}

// Returns the number of words that a flag before the command takes, with its value; 0 for the
// program's own flags (--help) and for unknown ones.
std::size_t words_of(const CLI::App& app, const std::string& word) {
  if (word.starts_with("--")) {
    const std::string name = name_in(word);
    const CLI::Option* flag = flag_of_any(app, name);
    if (flag == nullptr || find_flag(app, name) != nullptr) return 0;
    return takes_value(*flag) && name == word ? 2 : 1;
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name = std::string("-") + word[i];
    const CLI::Option* flag = flag_of_any(app, name);
    if (flag == nullptr || find_flag(app, name) != nullptr) return 0;
    if (takes_value(*flag)) return i + 1 == word.size() ? 2 : 1;
    if (i + 1 < word.size() && word[i + 1] == '=') break;  // an error, which the command reports
  }
  return 1;
}

std::string no_such_command(const CLI::App& app, const std::string& name) {
  kube::SimilarNames similar(name);
  for (const CLI::App* each : app.get_subcommands({})) {
    similar.add(similar.mistakes(each->get_name()), each->get_name());
  }
  return "unknown command \"" + name + "\"" + similar.hint();
}

}  // namespace

ScannedArguments scan_arguments(const CLI::App& app, Words words) {
  ScannedArguments result;
  std::size_t begin = 0;
  for (std::size_t taken = 1; begin < words.size() && is_flag(words[begin]); begin += taken) {
    taken = words[begin] == "--" ? 0 : words_of(app, words[begin]);
    if (taken != 0) continue;
    const std::string name = name_in(words[begin]);
    const bool own = name == "--" || find_flag(app, name) != nullptr;  // CLI11 handles these
    if (!own) result.error = no_such_flag(app, name);
    result.arguments.assign(words.rbegin(), words.rend());
    return result;
  }
  if (begin >= words.size()) {
    if (begin != 0) result.error = "expected a command";
    return result;
  }
  result.command = find_command(app, words[begin]);
  if (result.command == nullptr) {
    result.error = no_such_command(app, words[begin]);
    return result;
  }
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(begin);
  std::rotate(words.begin(), command, std::next(command));
  result.error = FlagScanner(*result.command).scan(words, 1);
  result.arguments.assign(words.rbegin(), words.rend());
  return result;
}

std::string unexpected(const Words& arguments) {
  std::string text = arguments.size() == 1 ? "unexpected argument" : "unexpected arguments";
  for (const std::string& each : arguments) text += " \"" + each + "\"";
  return text;
}

}  // namespace kubecpp
