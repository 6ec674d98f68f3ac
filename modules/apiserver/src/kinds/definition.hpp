// SPDX-License-Identifier: Apache-2.0
//
// What else than the rules of definitions needs to know of them.
#pragma once

#include <string_view>

namespace kube::apiserver {

/// Holds a deleted definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

}  // namespace kube::apiserver
