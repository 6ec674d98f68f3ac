// SPDX-License-Identifier: Apache-2.0
//
// What every API object must have, whatever its kind, and how errors call what they found instead.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kubecpp {

/// "an array", "a string", "null".
std::string described(const kube::json::Value& value);

/// An object with a kind and an apiVersion, both strings.
/// @par Errors   Decode, without saying where the value is.
kube::Result<void> check_kind(const kube::json::Value& value);

/// Metadata that is an object, and its name and namespace strings, as far as they are there.
/// @par Errors   Decode, naming the field.
kube::Result<void> check_metadata(const kube::json::Value& value);

}  // namespace kubecpp
