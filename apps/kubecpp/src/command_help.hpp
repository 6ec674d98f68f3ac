// SPDX-License-Identifier: Apache-2.0
//
// What help shows beside the flags: the groups of the commands, as in kubectl, and examples.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "output.hpp"

namespace kubecpp {

struct CommandExample {
  const char* command;    ///< "config view".
  const char* purpose;    ///< "List all pods".
  const char* arguments;  ///< All words after the name of the program.
};

/// All examples; those of one command are together.
std::span<const CommandExample> all_examples();

/// Returns the place of a command in the help of the program; commands of a group are together.
std::size_t place_in_help(std::string_view name);

/// Returns the program's name and the command's: "kubecpp config view".
std::string full_name(const CLI::App& command);

/// Prints the help of a group whose command is missing, on standard error; returns the exit status,
/// 1, as kubectl.
int help_of_group(const CLI::App& command, Output& out);

/// Returns "# List all pods\nkubecpp get pods\n", the lines indented, for each example of a
/// command; may be empty.
std::string examples_of(const CLI::App& command, const std::string& indent);

/// Adds groups and examples to a program with all its commands. Its name must be set.
void add_help(CLI::App& app);

}  // namespace kubecpp
