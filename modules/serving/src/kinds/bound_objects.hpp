// SPDX-License-Identifier: Apache-2.0
//
// What the token of a service account can be bound to: it ends with that object.
#pragma once

#include "kinds/kind.hpp"

namespace kube::serving {

inline constexpr OwnResource kBoundObjects[] = {
    builtin::kPods, builtin::kNodes, {"", "v1", "secrets", "Secret"}};

}  // namespace kube::serving
