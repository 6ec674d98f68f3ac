// SPDX-License-Identifier: Apache-2.0
//
// Extends CLI11: flags before the command, "-o=json", "-A=true", "--selector=", and error messages
// that name the words of the command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace kubecpp {

struct ScannedArguments {
  std::vector<std::string> arguments{};  ///< For CLI::App::parse(): the last one first.
  std::string error{};                   ///< Empty when the arguments are correct.
  const CLI::App* command = nullptr;     ///< The command that they name, if there is one.
  std::size_t depth = 0;                 ///< The number of words of its name.
};

/// Scans the arguments with the commands and flags of `app`. Flags before the command are moved
/// after it. The error names an unknown flag without its value, which may be a secret.
ScannedArguments scan_arguments(const CLI::App& app, std::vector<std::string> words);

/// Declares that the words after "--" are no arguments of the command itself, such as those that
/// exec runs in a container: they go to `words`, as they are.
void take_words_after_dashes(CLI::App& command, std::vector<std::string>& words);

bool takes_value(const CLI::Option& flag);

/// Returns the flag with that name of any command, for words before the command; or null. Commands
/// that share a long name agree on whether it takes a value; a short one of which they do not (-f,
/// -p) is what the first command says, and for the others belongs after their name.
const CLI::Option* flag_of_any(const CLI::App& app, const std::string& name);

/// Whether help and completion leave a command out.
bool is_hidden(const CLI::App& command);

/// Returns the command of a group with that name, or null.
const CLI::App* find_command(const CLI::App& app, std::string_view name);

/// Returns `unknown command "gett"; similar: get`.
std::string no_such_command(const CLI::App& app, const std::string& name);

/// Returns `unexpected argument "b"` for the words that no parameter of the command takes.
std::string unexpected(const std::vector<std::string>& arguments);

}  // namespace kubecpp
