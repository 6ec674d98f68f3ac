// SPDX-License-Identifier: Apache-2.0
//
// The words of the command line: commands, flags, help.
#pragma once

#include "output.hpp"

namespace kubecpp {

/// Does what the arguments say; returns the exit status: 2 when they are wrong.
int run_command_line(int argc, char** argv, Output& out);

}  // namespace kubecpp
