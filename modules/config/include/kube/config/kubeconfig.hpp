// SPDX-License-Identifier: Apache-2.0
//
// Kubeconfig files: which one, which context, and the rest::Config they amount to (reference:
// docs/reference/clients-and-config.md ch. 10).
//
// Understood: clusters with certificate-authority(-data), insecure-skip-tls-verify,
// tls-server-name, proxy-url and disable-compression; users with client-certificate(-data),
// client-key(-data), token, tokenFile, username and password; contexts with a namespace. Users with
// exec, auth-provider or impersonation are refused with a Config error: to leave them out would act
// as somebody else.
//
// As in client-go, a plain http server gets no credentials at all, whatever the user entry holds.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/log.hpp>
#include <kube/config/config.hpp>
#include <kube/config/environment.hpp>

namespace kube::kubeconfig {

struct LoadOptions {
  /// Empty: the files of KUBECONFIG (separated by ':'), else ~/.kube/config. Of several files the
  /// first that has an entry of a name decides on the whole entry; missing ones are skipped.
  std::string path{};
  std::string context{};            ///< Empty: the file's current-context.
  rest::Environment environment{};  ///< Empty: the process's.
};

/// Reads the file(s) and resolves the context. Relative paths in a file are relative to it. Errors
/// are Config and name the file and the field or line; never the value of a credential.
/// @par Blocks   On reading files.
Result<rest::Config> load(const LoadOptions& options = {});

/// The same from text; `directory` resolves relative paths, `file` is named in errors.
Result<rest::Config> parse(std::string_view text, std::string_view context,
                           std::string_view directory, std::string_view file);

/// True for load()'s error when there was no configuration at all: no file, or nothing in it.
bool is_empty_config(const Error& error);

}  // namespace kube::kubeconfig

namespace kube::rest {

/// Where a pod finds its identity; the defaults are the real places.
struct InClusterOptions {
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
  Environment environment{};         ///< Empty: the process's.
  std::shared_ptr<Logger> logger{};  ///< Told of a CA file that can't be used.
};

/// From a pod's environment and service account files; Config when not in a cluster. The namespace
/// is that of POD_NAMESPACE, else of the service account.
/// @par Blocks   On reading files.
Result<Config> in_cluster_config(const InClusterOptions& options = {});

/// What a program should use that names no file: kubeconfig if there is one, else in-cluster.
/// @par Blocks   On reading files.
Result<Config> default_config(const InClusterOptions& in_cluster = {});

}  // namespace kube::rest
