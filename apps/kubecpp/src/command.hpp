// SPDX-License-Identifier: Apache-2.0
//
// Shared by the commands: how to reach a server, and how to report errors.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/client/client.hpp>
#include <kube/config/client_config.hpp>

#include "output.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name that CLI11 has
class App;
}

namespace kubecpp {

/// Runs a command whose flags were parsed; returns the exit status.
using Runner = std::function<int(Output&)>;

/// kubectl's global flags: which kubeconfig, what is different from it, and the cache of discovery.
struct ConnectionOptions {
  std::string kubeconfig{};
  kube::kubeconfig::ConfigOverrides overrides{};
  std::vector<std::string> as_user_extra{};  ///< KEY=VALUE.
  std::string kuberc{};                      ///< Empty: $KUBERC, or ~/.kube/kuberc.
  std::string cache_dir{};                   ///< Empty: kubectl's.
  std::string discovery_ttl = "6h0m0s";      ///< A duration as Go writes it.
  bool verbose = false;                      ///< The library's log on standard error.
  bool level_logs = false;                   ///< The same, by the level of -v.
  bool logs_warnings = false;                ///< Without these, the warnings of the log.
  bool reads_stdin = false;  ///< The command does, so that a plugin for credentials must not.
};

/// A client for the server that the options name, and the namespace of its context.
struct Connection {
  kube::Client client;
  std::string namespace_;
  std::string server;  ///< Its URL.
};
kube::Result<Connection> connect(const ConnectionOptions& options, std::stop_token stop);

/// Returns the error of a wrong call: kubectl's words, and the line that names the help of
/// `command`, such as "logs". report() prints it as one text of several lines.
kube::Error usage_error_of(const std::string& command, const std::string& text);

/// Returns kubectl's words for a command, such as "get", that was called without a resource.
std::string type_required(const std::string& command);

/// Prints "kubecpp: still waiting for <what>" on standard error after five seconds, unless the
/// timer is destroyed before that.
kube::Timer warn_when_slow(const kube::Client& client, const std::string& what);

/// Returns what a 401 of the server means for the user, with the server's words.
std::string not_logged_in(const std::string& why);

/// The exit status of what a signal has ended, as a shell reports it.
inline constexpr int kInterrupted = 130;

/// Returns the exit status of a wait, a watch or a log that ended with `status`: kubectl handles
/// the signal that ends one, and exits with 1. Without a handler a signal ends it.
inline int status_of_wait(int status) {
  return status == kInterrupted ? 1 : status;
}

/// Prints "kubecpp: <error>" on standard error and returns the exit status: 1, or 130 without a
/// message when it was interrupted. A server that refuses the connection is reported in kubectl's
/// words.
int report(const kube::Error& error);

}  // namespace kubecpp
