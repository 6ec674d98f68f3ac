// SPDX-License-Identifier: Apache-2.0
//
// The rules of the x-kubernetes extensions of a schema.
#pragma once

#include <string>
#include <string_view>

#include "node.hpp"

namespace kube::schema {

inline meta::FieldPath path_of(const Node& node, std::string_view key) {
  return meta::FieldPath(node.path_of(key));
}

void forbid(const Node& node, std::string_view key, const std::string& why);
/// Reports a type that must be another one, or is missing.
void wrong_type(const Node& node, const std::string& type, const std::string& why);
/// Returns false for a value of another type, too.
bool is_true(const Node& node, std::string_view key);

void check_extensions(const Node& node, const std::string& type);
void check_list_type(const Node& node, const std::string& type);
void check_map_type(const Node& node, const std::string& type);
/// Checks of rules in CEL what can be told without reading them.
void check_rules(const Node& node);

}  // namespace kube::schema
