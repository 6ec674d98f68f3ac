// SPDX-License-Identifier: Apache-2.0
//
// Checks which credential plugins a policy permits, for programs that read one from a file of their
// own. Clients check the policy of their Config themselves.
#pragma once

#include <kube/base/result.hpp>
#include <kube/config/credentials.hpp>

namespace kube::rest {

/// Checks that the members go together.
/// @par Errors   Config: a list without the policy Allowlist, the policy without a list, an empty
///   list, an entry that is empty or not a normalized path.
/// @par Thread safety   Any thread may call it.
Result<void> check_policy(const ExecPluginPolicy& policy);

}  // namespace kube::rest
