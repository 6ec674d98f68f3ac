// SPDX-License-Identifier: Apache-2.0
//
// Cells that the columns of many kinds share, and what cells are made with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinds/kind.hpp"

namespace kube::apiserver {

/// Rules of columns. Where nothing is found, a cell is the rule's argument.
namespace cells {
json::Value text(const CellInput& input);
json::Value flag(const CellInput& input);  ///< The argument is "true" or "false".
json::Value elapsed(const CellInput& input);
json::Value count(const CellInput& input);
json::Value labels(const CellInput& input);
json::Value selector(const CellInput& input);
json::Value list(const CellInput& input);         ///< Joined by ",".
json::Value spaced_list(const CellInput& input);  ///< Joined by ", ".
}  // namespace cells

/// "5m" since a time as it is on the wire; "<unknown>" for none.
std::string since(std::string_view time, WallTime now);
/// A scalar as text; "" for what has no text.
std::string cell_text(const json::Value& value);
/// The first value found, as text.
std::string first_text(const CellInput& input);
/// The texts found, those of lists one by one.
std::vector<std::string> all_texts(const CellInput& input);
std::string text_or(std::string_view text, std::string_view otherwise);
std::string text_at(const json::Value& value, std::initializer_list<std::string_view> path,
                    std::string_view otherwise);
/// "a/b": two members of the object at a path; "" without it.
std::string pair_at(const json::Value& object, std::initializer_list<std::string_view> path,
                    std::string_view first, std::string_view second);
/// The first `max` of them, then "+ n more...".
std::string first_of(const std::vector<std::string>& parts, std::size_t max,
                     std::string_view separator);
/// A label selector as text; "<error>" for one that cannot be read.
std::string shown_selector(const json::Value& selector);
/// The condition of a type; null when there is none.
const json::Value* find_condition(const json::Value& object, std::string_view type);
bool is_condition_true(const json::Value& object, std::string_view type);
/// The first condition type of a list that is true.
std::string first_true(const json::Value& object, std::initializer_list<std::string_view> types,
                       std::string_view otherwise);

}  // namespace kube::apiserver
