// SPDX-License-Identifier: Apache-2.0
//
// JSON as text, without making values of it: where a document is wrong, where a value ends, what a
// string literal says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::json {

/// Objects and arrays may be nested this deep; deeper input is an error, not a stack overflow.
inline constexpr int kMaxDepth = 512;

/// White space as JSON has it between tokens.
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// What is wrong with a text, in the words of Go's decoder.
struct SyntaxError {
  std::size_t offset = 0;  ///< Of the offending byte.
  std::string message{};   ///< "invalid character 'x' after object key:value pair", ...

  /// A Decode error: "json: offset 17: invalid character ...".
  Error to_error() const;
};

/// The first error of a text that should be one JSON document; nothing when it is one.
/// @par Cost   One pass, byte by byte: for explaining a failure, not for the fast path.
std::optional<SyntaxError> find_syntax_error(std::string_view text);

/// The offset behind the first value of `text`, which may start with white space; what follows the
/// value isn't looked at.
/// @par Errors   Decode, with the offset of the first wrong byte.
Result<std::size_t> end_of_value(std::string_view text);

/// Appends what a string literal says. `text` points behind the opening quote of a literal that is
/// known to be closed, with eight readable bytes behind its end; a lone surrogate becomes U+FFFD.
/// @return behind the closing quote; null for an escape that doesn't exist.
const char* read_string(const char* text, std::string& out);

}  // namespace kube::json
