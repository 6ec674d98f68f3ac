// SPDX-License-Identifier: Apache-2.0
//
// How the reference server makes an object of the result of a strategic merge patch, and what it
// says of one that does not fit the kind.
#pragma once

#include <string>

#include <kube/codec/descriptor.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// Makes integers of a document fit their fields, as Go's converter does: those of a field of 32
/// bits lose their upper bits, and a number without a fraction is an integer.
void wrap_integers(const meta::TypeDescriptor& type, json::Value& document);

/// Returns the first problem of a document that is to become an object of a type, in the words of
/// Go's converter: "cannot restore map from string". Empty for a document that fits, and for texts
/// that a type reads itself, such as times.
std::string restore_problem(const meta::TypeDescriptor& type, const json::Value& document);

}  // namespace kube::apiserver
