// SPDX-License-Identifier: Apache-2.0
//
// Extends CLI11: flags before the command, "-o=json", and error messages that name the words of the
// command line.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kubecpp {

struct ScannedArguments {
  std::vector<std::string> arguments{};  ///< For CLI::App::parse(): the last one first.
  std::string error{};                   ///< Empty when the arguments are correct.
  const CLI::App* command = nullptr;     ///< The command that they name, if there is one.
};

/// Scans the arguments with the commands and flags of `app`. Flags before the command are moved
/// after it. The error names an unknown flag without its value, which may be a secret.
ScannedArguments scan_arguments(const CLI::App& app, std::vector<std::string> words);

/// Returns `unexpected argument "b"` for the words that no parameter of the command takes.
std::string unexpected(const std::vector<std::string>& arguments);

}  // namespace kubecpp
