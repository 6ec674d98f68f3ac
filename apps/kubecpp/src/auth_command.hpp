// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp auth`: who the user is to the server, and what is allowed.
#pragma once

#include <string>

#include <kube/json/value.hpp>

#include "command.hpp"

namespace kubecpp {

struct WhoAmIOptions {
  ConnectionOptions connection{};
  std::string output{};  ///< "": a table; else as in `get`, without tables.
};

/// Returns the exit status.
int run_whoami(const WhoAmIOptions& options, Output& out);

/// Posts a review of authentication.k8s.io or authorization.k8s.io in v1; returns the server's.
/// @par Errors   Those of RestClient::send(); Decode.
/// @par Blocks   Until the server has answered.
kube::Result<kube::json::Value> post_review(const kube::Client& client, const std::string& group,
                                            const std::string& kind, kube::json::Value spec,
                                            std::stop_token stop);

/// Adds the subcommands.
Runner add_auth(CLI::App& command);

}  // namespace kubecpp
