// SPDX-License-Identifier: Apache-2.0
//
// Prints objects as kubectl does with -o json and -o yaml: members sorted by name.
#pragma once

#include <string>

#include <kube/json/value.hpp>

namespace kubecpp {

/// Returns JSON that also escapes the control characters which JSON allows in strings (DEL and C1),
/// because terminals interpret them.
std::string shown_json(std::string text);

/// Indents by four spaces per level and ends with a line feed.
std::string json_text(const kube::json::Value& value);
/// Does the same with the members in the order that they have.
std::string json_text_in_order(const kube::json::Value& value);
/// Writes block style and ends with a line feed.
std::string yaml_text(const kube::json::Value& value);

}  // namespace kubecpp
