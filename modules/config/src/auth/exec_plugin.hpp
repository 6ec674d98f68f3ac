// SPDX-License-Identifier: Apache-2.0
//
// Runs an exec credential plugin and reads what it prints (client-go's
// plugin/pkg/client/auth/exec).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/config/credentials.hpp>
#include <kube/config/environment.hpp>
#include <kube/config/exec_cluster.hpp>

#include "credentials.hpp"
#include "install_hint.hpp"

namespace kube::rest {

/// What a run depends on beside its configuration. The defaults are the process's.
struct PluginSurroundings {
  std::vector<std::string> environment{};     ///< NAME=value; empty: the process's.
  std::function<bool()> stdin_is_terminal{};  ///< Empty: isatty().
  /// How long a plugin may run that can't ask a person. One that can has ten minutes.
  std::chrono::milliseconds patience = std::chrono::seconds(90);
};

/// @par Thread safety   run() may be called from any thread.
class ExecPlugin {
 public:
  /// `cluster` is passed to the plugin if the configuration wants that.
  ExecPlugin(ExecConfig config, ExecCluster cluster, PluginSurroundings surroundings = {});

  /// Runs the plugin and reads its credentials.
  /// @par Errors   Config for a configuration or a policy that forbids the run; Credentials: the
  ///   plugin is missing, fails, or prints something else than credentials; Timeout; Cancelled.
  ///   All name the command, and none contains what the plugin prints.
  /// @par Blocks   Until the plugin has exited.
  Result<Credentials> run(const RefreshContext& context, std::stop_token stop);

 private:
  Result<bool> interactive() const;
  std::vector<std::string> environment(bool interactive) const;
  std::string exec_info(bool interactive) const;
  Error not_found(const RefreshContext& context);
  Result<std::string> output(const RefreshContext& context, std::stop_token stop);

  const ExecConfig config_;
  const ExecCluster cluster_;
  const PluginSurroundings surroundings_;
  Sometimes hint_{10, std::chrono::hours(1)};
};

/// Checks what can be checked without a run.
/// @par Errors   Config: an unknown apiVersion, no command, or check_policy()'s.
Result<void> check_exec_config(const ExecConfig& config);

/// Reads the ExecCredential that a plugin of this version has printed.
/// @par Errors   Credentials.
Result<Credentials> parse_exec_output(std::string_view text, const std::string& api_version);

}  // namespace kube::rest
