// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <kube/base/similar_names.hpp>

namespace kubecpp {

bool takes_value(const CLI::Option& flag) {
  return flag.get_items_expected_max() > 0;
}

const CLI::Option* flag_of_any(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (const CLI::Option* flag = command->get_option_no_throw(name)) return flag;
    if (const CLI::Option* flag = flag_of_any(*command, name)) return flag;
  }
  return nullptr;
}

namespace {

using Words = std::vector<std::string>;

// A flag that nobody types: carries a word after "--" through CLI11, behind a letter that keeps
// CLI11 from reading anything into it.
constexpr const char* kWordAfterDashes = "--word-after-dashes";
constexpr char kGuard = '.';

// "-" is a file, standard input.
bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

const CLI::Option* find_flag(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name);
}

// Returns "--output" for "--output=json".
std::string name_in(const std::string& word) {
  return word.substr(0, word.find('='));
}

// Adds the flags of a command, or of all the commands of a group.
void add_long_flags(const CLI::App& command, std::set<std::string>& names) {
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& name : each->get_lnames()) names.insert("--" + name);
  }
  for (const CLI::App* each : command.get_subcommands({})) add_long_flags(*each, names);
}

// For flags that begin with "--", such as "--output".
std::string no_such_flag(const CLI::App& command, const std::string& name) {
  std::set<std::string> names;
  if (name != "--") add_long_flags(command, names);  // "--v" is not similar to it
  kube::SimilarNames similar(name);
  names.erase(kWordAfterDashes);
  for (const std::string& known : names) similar.add(similar.mistakes(known), known);
  return "unknown flag: " + name + similar.hint();
}

// The flags of one command, word by word.
class FlagScanner {
 public:
  explicit FlagScanner(const CLI::App& command) : command_(command) {}

  /// Returns the first error, or nothing. Rewrites for CLI11 what it does not read as kubectl does:
  /// "-ojson" for "-o=json", "--all-namespaces=true" for "-A=true", and two words for
  /// "--selector=". As with kubectl, the "=" of "-o=" is the value.
  std::string scan(Words& words, std::size_t begin) {
    end_ = words.size();
    for (std::size_t i = begin; i < words.size(); ++i) {
      if (words[i] == "--") {
        end_ = i;
        break;
      }
      if (!is_flag(words[i])) continue;
      needs_next_ = false;
      std::string error = words[i].starts_with("--") ? scan_long(words, i) : scan_short(words, i);
      if (!error.empty()) return error;
      if (!needs_next_) continue;
      if (++i == words.size()) return "flag needs an argument: " + last_;  // whatever it looks like
    }
    return {};
  }

  /// The place of "--", or the number of words. After scan() without an error.
  std::size_t end() const { return end_; }

 private:
  std::string scan_long(Words& words, std::size_t at) {
    const std::string word = words[at];
    const std::string name = name_in(word);
    const CLI::Option* flag = find_flag(command_, name);
    if (flag == nullptr || name == "--" || name == kWordAfterDashes) {
      return no_such_flag(command_, name);
    }
    last_ = name;
    if (name.size() + 1 == word.size()) {
      if (!takes_value(*flag)) return no_value(name, word);
      words[at] = name;
      words.insert(place(words, at + 1), "");
      needs_next_ = true;
    } else if (takes_value(*flag)) {
      needs_next_ = name == word;
    }
    return {};
  }

  std::string scan_short(Words& words, std::size_t at) {
    std::string& word = words[at];
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = std::string("-") + word[i];
      const CLI::Option* flag = find_flag(command_, name);
      if (flag == nullptr) {
        const std::string typed = name_in(word);
        return "unknown flag: " + name + (typed == name ? "" : " in " + typed);
      }
      last_ = name;
      if (takes_value(*flag)) {
        needs_next_ = i + 1 == word.size();
        if (i + 2 < word.size() && word[i + 1] == '=') word.erase(i + 1, 1);
        return {};
      }
      if (i + 1 == word.size() || word[i + 1] != '=') continue;
      if (i + 2 == word.size()) return no_value(name, word);
      // The others of "-wA=true" stay in front: "-w --all-namespaces=true".
      const std::string others = word.substr(0, i);
      word = "--" + flag->get_lnames().front() + word.substr(i + 1);
      if (others != "-") words.insert(place(words, at), others);
      return {};
    }
    return {};
  }

  static Words::iterator place(Words& words, std::size_t at) {
    return words.begin() + static_cast<std::ptrdiff_t>(at);
  }

  static std::string no_value(const std::string& name, const std::string& word) {
    return name + ": expected a value after \"=\", found \"" + word + "\"";
  }

  const CLI::App& command_;
  std::string last_;  // the flag as it was typed
  bool needs_next_ = false;
  std::size_t end_ = 0;
};

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
    if (i + 1 < word.size() && word[i + 1] == '=') break;  // its value
  }
  return 1;
}

// Makes flags of the words after the "--" at `dashes`, for a command that declared it.
void carry_words_after_dashes(const CLI::App& command, Words& words, std::size_t dashes) {
  if (dashes >= words.size() || find_flag(command, kWordAfterDashes) == nullptr) return;
  for (std::size_t i = dashes + 1; i < words.size(); ++i) {
    words[i] = std::string(kWordAfterDashes) + "=" + kGuard + words[i];
  }
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(dashes));
}

}  // namespace

bool is_hidden(const CLI::App& command) {
  return command.get_group().empty();
}

const CLI::App* find_command(const CLI::App& app, std::string_view name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string no_such_command(const CLI::App& app, const std::string& name) {
  kube::SimilarNames similar(name);
  for (const CLI::App* each : app.get_subcommands({})) {
    if (is_hidden(*each)) continue;
    similar.add(similar.mistakes(each->get_name()), each->get_name());
  }
  return "unknown command \"" + name + "\"" + similar.hint();
}

ScannedArguments scan_arguments(const CLI::App& app, Words words) {
  ScannedArguments result;
  const CLI::App* group = &app;
  // Commands of a group, such as `config view`, are commands of their own: `place` is the word
  // after the group's name.
  for (std::size_t place = 0; !group->get_subcommands({}).empty(); ++place) {
    std::size_t begin = place;
    for (std::size_t taken = 1; begin < words.size() && is_flag(words[begin]); begin += taken) {
      taken = words[begin] == "--" ? 0 : words_of(*group, words[begin]);
      if (taken != 0) continue;
      const std::string name = name_in(words[begin]);
      const bool own = name == "--" || find_flag(*group, name) != nullptr;  // CLI11 handles these
      if (!own) result.error = no_such_flag(*group, name);
      result.arguments.assign(words.rbegin(), words.rend());
      return result;
    }
    if (begin >= words.size()) {
      if (begin != place) result.error = "expected a command";
      result.arguments.assign(words.rbegin(), words.rend());
      return result;
    }
    const CLI::App* command = find_command(*group, words[begin]);
    if (command == nullptr) {
      result.error = no_such_command(*group, words[begin]);
      return result;
    }
    const auto word = [&](std::size_t at) {
      return words.begin() + static_cast<std::ptrdiff_t>(at);
    };
    std::rotate(word(place), word(begin), word(begin + 1));
    result.command = group = command;
    result.depth = place + 1;
  }
  FlagScanner scanner(*result.command);
  result.error = scanner.scan(words, result.depth);
  if (result.error.empty()) carry_words_after_dashes(*result.command, words, scanner.end());
  result.arguments.assign(words.rbegin(), words.rend());
  return result;
}

void take_words_after_dashes(CLI::App& command, Words& words) {
  command
      .add_option_function<Words>(
          kWordAfterDashes,
          [&words](const Words& guarded) {
            for (const std::string& each : guarded) words.push_back(each.substr(1));
          },
          "")
      ->allow_extra_args(false)
      ->group("");  // not in the help
}

std::string unexpected(const Words& arguments) {
  std::string text = arguments.size() == 1 ? "unexpected argument" : "unexpected arguments";
  for (const std::string& each : arguments) text += " \"" + each + "\"";
  return text;
}

}  // namespace kubecpp
