// SPDX-License-Identifier: Apache-2.0
//
// Shared by the commands: how to reach a server, and how to report errors.
#pragma once

#include <stop_token>
#include <string>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/client/client.hpp>

namespace kubecpp {

/// --server, --kubeconfig and --context.
struct ConnectionOptions {
  std::string server{};
  std::string kubeconfig{};
  std::string context{};
  bool verbose = false;  ///< The library's log on standard error.
};

/// A client for the server that the options name, and the namespace of its context.
struct Connection {
  kube::Client client;
  std::string namespace_;
  std::string server;  ///< Its URL.
};
kube::Result<Connection> connect(const ConnectionOptions& options);

/// Prints "kubecpp: still waiting for <what>" on standard error after five seconds, unless the
/// timer is destroyed before that.
kube::Timer warn_when_slow(const kube::Client& client, const std::string& what);

/// Prints "kubecpp: <error>" on standard error and returns the exit status: 1, or 130 without a
/// message when it was interrupted.
int report_failure(const kube::Error& error);

/// Like report_failure(), but returns 2 for InvalidArgument, which is a usage error.
int report(const kube::Error& error);

}  // namespace kubecpp
