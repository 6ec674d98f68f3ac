// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a credential plugin may run.
//
// Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/config/credentials.hpp>
#include <kube/config/exec_policy.hpp>

namespace kube::rest {

/// Checks a command, which `executable` is the path of, if it was found.
/// @par Errors   Those of check_policy(); Config: the policy does not permit the command.
Result<void> permit(const ExecPluginPolicy& policy, const std::string& command,
                    const std::string& executable, std::string_view path);

}  // namespace kube::rest
