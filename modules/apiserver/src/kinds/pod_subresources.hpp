// SPDX-License-Identifier: Apache-2.0
//
// The subresources of pods.
#pragma once

#include <span>

#include "kinds/kind.hpp"

namespace kube::apiserver {

std::span<const SubresourceRules> pod_subresources();

}  // namespace kube::apiserver
