// SPDX-License-Identifier: Apache-2.0
//
// What the commands of the program share: how to reach a server, and how to say what went wrong.
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

/// "kubecpp: still waiting for <what>" on standard error after five seconds, unless the timer goes
/// before that.
kube::Timer notice_when_late(const kube::Client& client, const std::string& what);

/// Prints "kubecpp: <what went wrong>" on standard error and returns the exit status: 1, or 130
/// when it was interrupted, which needs no explanation.
int report_failure(const kube::Error& error);

/// The same for errors that may be the call's own: 2 for InvalidArgument.
int report(const kube::Error& error);

}  // namespace kubecpp
