// SPDX-License-Identifier: Apache-2.0
//
// What pods can do that other objects can't, as client-go's typed client has it.
#pragma once

#include <stop_token>

#include <kube/api/core/v1/binding.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>

namespace kube {

/// Assigns the pod binding.metadata.name to binding.target: POST .../pods/{name}/binding.
/// @par Errors   Conflict when the pod is bound already.
Result<void> bind(const Api<core::v1::Pod>& pods, const core::v1::Binding& binding,
                  const CreateOptions& options = {}, std::stop_token stop = {});

}  // namespace kube
