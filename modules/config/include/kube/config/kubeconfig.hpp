// SPDX-License-Identifier: Apache-2.0
//
// Kubeconfig files: which one, which context, and the rest::Config they amount to (reference:
// clients-and-config.md ch. 10).
#pragma once

#include <string>

#include <kube/config/config.hpp>

namespace kube::kubeconfig {

struct LoadOptions {
  std::string path{};     ///< Empty: KUBECONFIG, then ~/.kube/config.
  std::string context{};  ///< Empty: the file's current-context.
};

/// Reads the file(s) and resolves the context. Relative paths in a file are relative to it. Errors
/// are Config and name the file and the field or line; never the value of a credential.
Result<rest::Config> load(const LoadOptions& options = {});

/// The same from text; `directory` resolves relative paths, `file` is named in errors.
Result<rest::Config> parse(std::string_view text, std::string_view context, std::string_view directory,
                           std::string_view file);

}  // namespace kube::kubeconfig

namespace kube::rest {

/// From a pod's environment and service account files; Config when not in a cluster.
Result<Config> in_cluster_config();

/// What a program should use that names no file: kubeconfig if there is one, else in-cluster.
Result<Config> default_config();

}  // namespace kube::rest
