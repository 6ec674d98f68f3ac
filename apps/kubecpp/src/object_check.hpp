// SPDX-License-Identifier: Apache-2.0
//
// Checks that hold for API objects of every kind, and the words for a value in their errors.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kubecpp {

/// Returns "an array", "a string", "null".
std::string described(const kube::json::Value& value);

/// Checks that the value is an object whose kind and apiVersion are strings.
/// @par Errors   Decode, without the place of the value.
kube::Result<void> check_kind(const kube::json::Value& value);

/// Checks that metadata, if present, is an object, and that its name and namespace are strings.
/// @par Errors   Decode, naming the field.
kube::Result<void> check_metadata(const kube::json::Value& value);

}  // namespace kubecpp
