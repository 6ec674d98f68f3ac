// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Checks that hold for API objects of every kind, and the words for a value in their errors. Pure
// functions: any thread may call them.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::meta {

/// Returns "an array", "a string", "null".
std::string described(const json::Value& value);

/// Checks that the value is an object whose kind and apiVersion are strings.
/// @par Errors   Decode, without the place of the value.
Result<void> check_kind(const json::Value& value);

/// Checks that metadata, if present, is an object, and that its name and namespace are strings.
/// @par Errors   Decode, naming the field.
Result<void> check_metadata(const json::Value& value);

}  // namespace kube::meta
