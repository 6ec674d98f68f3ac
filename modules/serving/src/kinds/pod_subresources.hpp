// SPDX-License-Identifier: Apache-2.0
//
// The subresources of pods.
#pragma once

#include <span>

#include "kinds/kind.hpp"

namespace kube::serving {

std::span<const SubresourceRules> pod_subresources();

}  // namespace kube::serving
