// SPDX-License-Identifier: Apache-2.0
//
// What the commands of the program share: how to reach a server, and how to say what went wrong.
#pragma once

#include <stop_token>
#include <string>

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
};
kube::Result<Connection> connect(const ConnectionOptions& options);

/// Prints "kubecpp: <what went wrong>" on standard error and returns the exit status: 2 when the
/// call itself was wrong, else 1; 130 when it was interrupted.
int report(const kube::Error& error);

}  // namespace kubecpp
