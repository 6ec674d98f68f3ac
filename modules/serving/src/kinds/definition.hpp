// SPDX-License-Identifier: Apache-2.0
//
// What other files need of definitions.
#pragma once

#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::serving {

/// Keeps a deleted definition until its objects are gone.
inline constexpr std::string_view kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/// Writes the status of a definition whose names are accepted: conflicts of names are not told.
void establish(json::Value& definition, const std::string& now);

/// Whether the resources of a definition are served, as its status says.
bool is_established(const json::Value& definition);

}  // namespace kube::serving
