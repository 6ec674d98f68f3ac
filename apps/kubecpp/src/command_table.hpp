// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. A command is one line of the table: its name, what it does, and the
// function that adds its flags, which is next to the code that runs it.
#pragma once

#include <span>
#include <string_view>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct CommandEntry {
  const char* name;
  const char* summary;
  /// Adds flags and parameters; what it returns runs the command with what was parsed.
  Runner (*add)(CLI::App& command);
};

/// Adds the commands of a table to the program, or to a command that is a group of them. The
/// runner runs the one that was parsed, or `without` when the command line names none of them.
Runner add_commands(CLI::App& parent, std::span<const CommandEntry> table, Runner without);

/// Adds all commands but `help`.
Runner add_all_commands(CLI::App& app, Runner without);

}  // namespace kubecpp
