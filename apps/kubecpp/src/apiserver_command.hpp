// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp apiserver`: serves a cluster from memory.
#pragma once

#include <string>
#include <vector>

#include <kube/apiserver/api_server.hpp>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct ApiserverOptions {
  std::string listen = "127.0.0.1:0";
  std::vector<std::string> load{};  ///< "-": standard input.
  std::vector<std::string> host_names{};
  std::string kubeconfig_out{};
};

/// Parses the address and port of --listen: "127.0.0.1:8080", "[::1]:0"; "localhost:0" and ":0"
/// mean 127.0.0.1. Fails with InvalidArgument for anything else.
kube::Result<kube::apiserver::ApiServer::Options> listen_options(const std::string& listen);

/// Returns a warning for an address that other machines can reach; empty for loopback.
std::string exposure_warning(const std::string& address);

/// Serves until SIGINT or SIGTERM; returns the exit status.
int run_apiserver(const ApiserverOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_apiserver(CLI::App& command);

}  // namespace kubecpp
