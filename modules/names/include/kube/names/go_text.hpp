// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Text as Go prints it, for messages that servers send and clients match on. Pure functions: any
// thread may call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube::go {

/// Returns `text` as a double-quoted Go string literal.
std::string quote(std::string_view text);

/// Returns a number as Go's %v prints it: the shortest form that reads back the same, with an
/// exponent from a million on ("1e+06") and below 0.0001.
std::string number_text(double number);

/// Returns the parts between separators, views into `text`; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);
template <TemporaryText T>
std::vector<std::string_view> split(T&& text, char separator) = delete;  // Give it a name first.

/// Returns a document as Go's %v prints it: "map[a:1 b:[x <nil>]]".
std::string value_text(const json::Value& value);

/// Returns what the errors of Go's JSON reader call a value: "bool", "number", "string", "array",
/// "object".
std::string_view json_kind(const json::Value& value);

/// Returns `json: cannot unmarshal <what> into Go <into>`.
std::string cannot_unmarshal(std::string_view what, std::string_view into);

/// Returns why a function of Go's strconv refuses a text that is no integer, or one beyond 64 bits:
/// `strconv.ParseInt: parsing "x": invalid syntax`.
std::string integer_problem(std::string_view function, std::string_view text);

/// Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space.
bool is_printable(char32_t rune);

}  // namespace kube::go
