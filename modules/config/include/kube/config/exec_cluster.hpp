// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::ExecCluster: a cluster as exec credential plugins receive it, in spec.cluster of
// KUBERNETES_EXEC_INFO (docs/reference/clients-and-config.md ch. 11).
//
// Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/config/config.hpp>

namespace kube::rest {

/// What a plugin needs to reach the cluster that it makes credentials for. Holds no credentials.
/// @par Thread safety   A value.
struct ExecCluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority_data{};  ///< PEM; base64 in JSON.
  std::string proxy_url{};
  bool disable_compression = false;
  std::string config{};  ///< ExecConfig::config: JSON of any form; empty: none.

  bool operator==(const ExecCluster&) const = default;
};

/// Returns the cluster of a config, the CA file's content as data.
/// @par Errors   Config when the CA file can't be read.
/// @par Blocks   While it reads the CA file.
Result<ExecCluster> config_to_exec_cluster(const Config& config);

/// Returns a config without credentials for the cluster: the anonymous() one of the config that the
/// cluster was made from, with the CA as data.
Config exec_cluster_to_config(const ExecCluster& cluster);

/// Returns the JSON object of spec.cluster; members that are not set are left out.
std::string to_json(const ExecCluster& cluster);

/// Reads the JSON object of spec.cluster; ignores unknown members.
/// @par Errors   Decode, naming the member: not JSON, or a member of another type.
Result<ExecCluster> exec_cluster_from_json(std::string_view text);

}  // namespace kube::rest
