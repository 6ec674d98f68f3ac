// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp completion SHELL`: prints a script that makes a shell ask `kubecpp __complete`.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace kubecpp {

/// The shells that there is a script for.
std::vector<std::string> shells();

/// Returns the script for a program's file name, such as kubecpp or kubectl-cpp.
std::string completion_script(const std::string& shell, const std::string& program);

Runner add_completion(CLI::App& command);

}  // namespace kubecpp
