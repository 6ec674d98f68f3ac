// SPDX-License-Identifier: Apache-2.0
//
// The command line: commands, flags, help.
#pragma once

#include "output.hpp"

namespace kubecpp {

/// Runs the command that the arguments name; returns the exit status: 1 for wrong arguments.
int run_command_line(int argc, char** argv, Output& out);

}  // namespace kubecpp
