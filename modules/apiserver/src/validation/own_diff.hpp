// SPDX-License-Identifier: Apache-2.0
//
// How the server shows what an update changed.
#pragma once

#include <string>

#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Returns the lines that differ between two values, as a unified diff of their indented JSON, with
/// three lines around each change.
std::string own_diff(const json::Value& before, const json::Value& after);

}  // namespace kube::apiserver
