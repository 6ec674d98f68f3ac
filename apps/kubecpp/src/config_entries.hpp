// SPDX-License-Identifier: Apache-2.0
//
// The changes of `kubecpp config set-context`, `set-cluster` and `set-credentials`.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/config/kubeconfig_types.hpp>

#include "config_command.hpp"

namespace kubecpp {

/// Each changes the entry as the flags say. Returns the line that is printed.
/// @par Errors   InvalidArgument for flags that exclude each other; Config for a certificate that
///   can't be read.
kube::Result<std::string> set_context(kube::kubeconfig::Kubeconfig& config,
                                      const ConfigOptions& options);
kube::Result<std::string> set_cluster(kube::kubeconfig::Kubeconfig& config,
                                      const ConfigOptions& options);
kube::Result<std::string> set_credentials(kube::kubeconfig::Kubeconfig& config,
                                          const ConfigOptions& options);

}  // namespace kubecpp
