// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp version`: the versions of the program and of the server.
#pragma once

#include <string>

#include "command.hpp"

namespace kubecpp {

struct VersionOptions {
  ConnectionOptions connection{};
  bool client_only = false;
  std::string output{};  ///< "": lines of text; json, yaml.
};

/// Prints the program's version even when the server does not answer. Returns the exit status.
int run_version(const VersionOptions& options, Output& out);

Runner add_version(CLI::App& command);

}  // namespace kubecpp
