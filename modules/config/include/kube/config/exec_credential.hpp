// SPDX-License-Identifier: Apache-2.0
//
// For programs that are exec credential plugins: reads what the client passes to them (client-go's
// tools/auth/exec).
//
// Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/config/config.hpp>
#include <kube/config/environment.hpp>
#include <kube/config/exec_cluster.hpp>

namespace kube::rest {

/// What a client has passed to its plugin in KUBERNETES_EXEC_INFO.
/// @par Thread safety   A value.
struct ExecInfo {
  std::string
      api_version{};         ///< The version to print, client.authentication.k8s.io/v1 or /v1beta1.
  bool interactive = false;  ///< Standard input may be used.
  ExecCluster cluster{};
  Config config{};  ///< For requests to the cluster, without credentials.
};

/// Reads the variable of the process. The client passes the cluster if its configuration has
/// provideClusterInfo.
/// @par Errors   Config: the variable is not set, can't be read, or has no cluster.
Result<ExecInfo> load_exec_info(const Environment& environment = {});
/// Reads the variable's value.
/// @par Errors   As load_exec_info().
Result<ExecInfo> parse_exec_info(std::string_view text);

}  // namespace kube::rest
