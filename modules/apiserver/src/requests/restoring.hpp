// SPDX-License-Identifier: Apache-2.0
//
// What the reference server says of a strategic merge patch whose result does not fit the kind.
#pragma once

#include <string>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Returns the first problem of a document that is to become an object of a type, in the words of
/// Go's converter: "cannot restore map from string". Empty for a document that fits, and for texts
/// that a type reads itself, such as times.
std::string restore_problem(const meta::TypeDescriptor& type, const json::Value& document);

}  // namespace kube::apiserver
