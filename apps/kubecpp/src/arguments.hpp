// SPDX-License-Identifier: Apache-2.0
//
// What CLI11 does not do for us: flags before the command, "-o=json", and messages about wrong
// calls that say what was typed.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace kubecpp {

struct ScannedArguments {
  std::vector<std::string> arguments{};  ///< For CLI::App::parse(): the last one first.
  std::string error{};                   ///< What is wrong with them; empty when nothing is.
  const CLI::App* command = nullptr;     ///< The command that they name, if there is one.
};

/// Looks at the arguments with the commands and flags of `app`. Flags before the command are moved
/// after it. The error names a flag that does not exist without its value, which may be a
/// secret.
ScannedArguments scan_arguments(const CLI::App& app, std::vector<std::string> words);

/// "unexpected argument "b"": those that no parameter of the command has taken, in their order.
std::string unexpected(const std::vector<std::string>& arguments);

}  // namespace kubecpp
