// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain`: prints the fields of resources, with the descriptions of the server, or those
// of built-in resources where there is no server.
#pragma once

#include "command.hpp"
#include "explain_builtin.hpp"
#include "output.hpp"

namespace kubecpp {

struct ExplainOptions {
  ConnectionOptions connection{};
  ExplainRequest request{};
  bool openapi_v2 = false;  ///< -o plaintext-openapiv2
};

/// Prints the fields of a resource; returns the exit status. Without any configuration of a server,
/// and, with a warning, when the server can't be reached, it prints what explain_builtin() knows.
int run_explain(const ExplainOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_explain(CLI::App& command);

}  // namespace kubecpp
