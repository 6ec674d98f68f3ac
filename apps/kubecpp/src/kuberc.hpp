// SPDX-License-Identifier: Apache-2.0
//
// kubectl's file of preferences, kuberc: which credential plugins may run. The defaults and aliases
// of commands, which the file also holds, are kubectl's own.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/config/credentials.hpp>

namespace kubecpp {

/// Reads `file`, or, when that is empty, the file that $KUBERC names, or else ~/.kube/kuberc, as
/// kubectl does; $KUBERC=off and $KUBECTL_KUBERC=false turn it off. The policy of the first
/// document of the kind Preference counts; all plugins may run where there is none. Unknown fields
/// are reported on standard error, and so is a file that can't be read and that nothing names.
/// @par Errors   Config: a file that is named and can't be read or has no Preference, an unknown
///   policy, a list that does not go with the policy; InvalidArgument for a file with $KUBERC=off.
kube::Result<kube::rest::ExecPluginPolicy> plugin_policy_of_kuberc(const std::string& file);

}  // namespace kubecpp
