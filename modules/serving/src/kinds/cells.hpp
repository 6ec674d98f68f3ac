// SPDX-License-Identifier: Apache-2.0
//
// Cells that the columns of many kinds share, and functions for making cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinds/kind.hpp"

namespace kube::serving {

/// Rules of columns. A rule that finds no value returns its argument.
namespace cells {
json::Value text(const CellInput& input);
json::Value number(const CellInput& input);
json::Value flag(const CellInput& input);  ///< The argument is "true" or "false".
json::Value elapsed(const CellInput& input);
json::Value count(const CellInput& input);
json::Value labels(const CellInput& input);
json::Value selector(const CellInput& input);
json::Value list(const CellInput& input);         ///< Joined by ",".
json::Value spaced_list(const CellInput& input);  ///< Joined by ", ".
}  // namespace cells

/// Returns "5m" since a time in its wire format; "<unknown>" when empty.
std::string since(std::string_view time, WallTime now);
/// Returns a scalar as text; "" for other values.
std::string cell_text(const json::Value& value);
/// Returns the first value found, as text.
std::string first_text(const CellInput& input);
/// Returns the texts found, those of lists one by one.
std::vector<std::string> all_texts(const CellInput& input);
std::string text_or(std::string_view text, std::string_view otherwise);
std::string text_at(const json::Value& value, std::initializer_list<std::string_view> path,
                    std::string_view otherwise);
/// Returns "a/b" from two members of the object at a path; "" when there is none.
std::string pair_at(const json::Value& object, std::initializer_list<std::string_view> path,
                    std::string_view first, std::string_view second);
/// Joins the first `max` parts, followed by "+ n more...".
std::string first_of(const std::vector<std::string>& parts, std::size_t max,
                     std::string_view separator);
/// Returns a label selector as text; "<error>" for an invalid one.
std::string shown_selector(const json::Value& selector);
/// Returns the condition of a type; null when there is none.
const json::Value* find_condition(const json::Value& object, std::string_view type);
bool is_condition_true(const json::Value& object, std::string_view type);
/// Returns the first of the condition types that is true.
std::string first_true(const json::Value& object, std::initializer_list<std::string_view> types,
                       std::string_view otherwise);

}  // namespace kube::serving
