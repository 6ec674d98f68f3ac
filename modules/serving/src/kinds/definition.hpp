// SPDX-License-Identifier: Apache-2.0
//
// What other files need of definitions.
#pragma once

#include <string_view>

namespace kube::serving {

/// Keeps a deleted definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

}  // namespace kube::serving
