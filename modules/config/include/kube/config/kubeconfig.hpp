// SPDX-License-Identifier: Apache-2.0
//
// Reads kubeconfig files: finds them, chooses the context and makes a rest::Config of it
// (docs/reference/clients-and-config.md ch. 10).
//
// The model of a file, its merge and its views are in kubeconfig_types.hpp, the choice of files in
// loading_rules.hpp, overrides and validation in client_config.hpp, writing in modify.hpp.
//
// As in client-go, a plain http server receives no credentials, whatever the user entry has.
//
// Any thread may call these functions.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/log.hpp>
#include <kube/config/config.hpp>
#include <kube/config/environment.hpp>

namespace kube::kubeconfig {

struct LoadOptions {
  /// Empty: the files of KUBECONFIG (separated by ':'), else ~/.kube/config. When several files
  /// have an entry of the same name, the first file's entry is used; missing files are skipped.
  std::string path{};
  std::string context{};            ///< Empty: the file's current-context.
  rest::Environment environment{};  ///< Empty: the process's.
};

/// Reads the files and resolves the context. Relative paths in a file are relative to it.
/// @par Errors   Config, with a line of the message for each mistake: the file, the line, the field
///   and what was expected, never the value of a credential; InvalidArgument when
///   LoadOptions::context does not exist; Cancelled.
/// @par Blocks   While it reads files: on a kubeconfig that is a pipe until it is written, or a
///   stop. Tokens, certificates and keys must be regular files.
Result<rest::Config> load(const LoadOptions& options = {}, std::stop_token stop = {});

/// load() from a text; relative paths are relative to `directory`, and errors name `file`. New
/// tokens of an auth provider are not stored.
/// @par Errors   As load().
/// @par Blocks   While it reads the files that the text names.
Result<rest::Config> parse(std::string_view text, std::string_view context,
                           std::string_view directory, std::string_view file);

/// Whether an error of load() means that there is no configuration: no file, or an empty one.
bool is_empty_config(const Error& error);

}  // namespace kube::kubeconfig

namespace kube::rest {

/// The location of a pod's service account; the defaults are the real one.
struct InClusterOptions {
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
  Environment environment{};         ///< Empty: the process's.
  std::shared_ptr<Logger> logger{};  ///< Logs a CA file that can't be used.
};

/// Returns the configuration from a pod's environment and service account. The namespace is
/// POD_NAMESPACE, else that of the service account.
/// @par Errors   Config: not in a cluster, or the token can't be read or is empty.
/// @par Blocks   While it reads files.
Result<Config> in_cluster_config(const InClusterOptions& options = {});

/// Returns the namespace of a pod: POD_NAMESPACE, else that of the service account, else "default".
/// @par Blocks   While it reads a file.
std::string in_cluster_namespace(const InClusterOptions& options = {});

/// Returns the configuration of a program that names no file: kubeconfig, else in-cluster.
/// @par Errors   Those of kubeconfig::load() and of in_cluster_config().
/// @par Blocks   As kubeconfig::load().
Result<Config> default_config(const InClusterOptions& in_cluster = {}, std::stop_token stop = {});

}  // namespace kube::rest
