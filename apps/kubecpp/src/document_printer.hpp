// SPDX-License-Identifier: Apache-2.0
//
// Objects as kubectl prints them with -o json and -o yaml: members by name.
#pragma once

#include <string>

#include <kube/json/value.hpp>

namespace kubecpp {

/// With the members of every object by name.
kube::json::Value sorted_members(const kube::json::Value& value);

/// JSON with escapes for the control characters that JSON lets stand in strings (DEL and C1), as
/// terminals obey them.
std::string shown_json(std::string text);

/// Four spaces a level, and a line feed at the end.
std::string json_text(const kube::json::Value& value);
/// Block style, and a line feed at the end.
std::string yaml_text(const kube::json::Value& value);

}  // namespace kubecpp
