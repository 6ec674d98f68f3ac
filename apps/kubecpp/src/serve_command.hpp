// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp serve`: serves resources of a cluster from a cache.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

struct ServeOptions {
  ConnectionOptions connection{};
  std::vector<std::string> resources{};   ///< "pods", "deploy,svc", "widgets.example.com"
  bool all = false;                       ///< Also all others that can be cached, but Secrets.
  std::vector<std::string> namespaces{};  ///< Empty: all.
  std::string listen = "127.0.0.1:0";
  std::string tls_cert_file{};
  std::string tls_key_file{};
  std::string token_auth_file{};
  std::string authorization_rules_file{};
  std::vector<std::string> host_names{};
  bool allow_writes = false;
  std::string state_dir{};                                     ///< InformerOptions::state_dir
  kube::Duration max_age = std::chrono::minutes(5);            ///< CacheServer::Options::max_age.
  kube::Duration shutdown_timeout = std::chrono::seconds(30);  ///< Its stop_timeout.
};

/// Serves until SIGINT or SIGTERM; returns the exit status.
int run_serve(const ServeOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_serve(CLI::App& command);

}  // namespace kubecpp
