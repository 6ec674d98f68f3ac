// SPDX-License-Identifier: Apache-2.0
//
// The loop of all waits for the state of objects: a list, a watch, and what is repeated.
#pragma once

#include <stop_token>
#include <string>

#include <kube/client/detail/state_wait.hpp>
#include <kube/meta/options.hpp>

namespace kube::detail {

/// Lists what `options` select, then watches, until `state` is over. `what` names it in errors.
/// @par Errors   As wait_until().
/// @par Blocks   As wait_until().
Result<void> wait_for_state(const RawApi& api, ListOptions options, const std::string& what,
                            AwaitedState& state, Duration timeout, std::stop_token stop);

}  // namespace kube::detail
