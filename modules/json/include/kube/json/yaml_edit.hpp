// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Where the fields of a YAML text are, and changes of a text that keep its comments.
//
// Any thread may call these functions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kube::yaml {

/// The line of each field, counted from 1, by its path: "clusters[0].cluster.server".
using FieldLines = std::map<std::string, int, std::less<>>;

/// Returns the lines of the fields of the first document of a YAML or JSON text, down to
/// `max_depth` levels. Without those that an alias or a merge key inserts; empty for a text that is
/// not YAML.
FieldLines field_lines(std::string_view text, int max_depth = 8);

/// Returns the line of a field, or of the innermost field around it that has one; 1 without any.
int line_of(const FieldLines& lines, std::string_view path);

/// Returns the first document of a text, and what comes before it, as Go's reader cuts it: up to
/// the line that ends it (`...`) or begins the next one (`---`), and JSON up to its last brace.
/// What follows may be anything.
std::string_view first_document(std::string_view text);

/// Returns `text`, changed so that its first document reads as `wanted`; the others stay. Only the
/// lines that differ change: comments, order and notation of the others stay; new lines end as the
/// first one does. Elements of lists are the same if they have the same `name`, or differ in that
/// alone. Text that is in braces (JSON) or too unusual to change in
/// place is written anew as dump() writes it.
/// @par Cost   Parses the text twice.
std::string edit(std::string_view text, const json::Value& wanted);

}  // namespace kube::yaml
