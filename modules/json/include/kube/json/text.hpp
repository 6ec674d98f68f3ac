// SPDX-License-Identifier: Apache-2.0
//
// JSON as text, without making json::Values: finds where a document is invalid and where a value
// ends, and decodes string literals.
//
// Any thread may call these functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::json {

/// The maximum depth of nested objects and arrays; deeper input is an error, not a stack overflow.
inline constexpr int kMaxDepth = 512;

/// White space between the tokens of JSON.
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// What is wrong with a text, in the words of Go's decoder.
/// @par Thread safety   A value.
struct SyntaxError {
  std::size_t offset = 0;  ///< The position of the first wrong byte.
  std::string message{};   ///< "invalid character 'x' after object key:value pair", ...

  /// Returns a Decode error: "json: offset 17: invalid character ...".
  Error to_error() const;
};

/// Returns the first error of a text that should be one JSON document; nullopt when it is valid.
/// @par Cost   One pass, byte by byte: for explaining a failure, not for the fast path.
std::optional<SyntaxError> find_syntax_error(std::string_view text);

/// Returns the offset of the end of the first value of `text`, which may start with white space.
/// The text after the value is not checked.
/// @par Errors   Decode, with the offset of the first wrong byte.
Result<std::size_t> end_of_value(std::string_view text);

/// Appends the text of a string literal, escapes resolved; a lone surrogate becomes U+FFFD. `text`
/// points to the byte after the opening quote of a literal that is known to be closed, with eight
/// readable bytes after its end.
/// @return   the byte after the closing quote; null for an unknown escape.
const char* read_string(const char* text, std::string& out);

}  // namespace kube::json
