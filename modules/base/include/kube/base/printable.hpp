// SPDX-License-Identifier: Apache-2.0
//
// Text of others in lines of ours: what servers, files and users call things may hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kube {

/// The text on one line, and nothing that a terminal obeys: control characters, marks that change
/// the direction of text and bytes that are not UTF-8 become escapes (\n, \x1b).
std::string printable(std::string_view text);

/// The same of the first `most` bytes at most, with "..." behind them when the text is longer. No
/// character is cut.
std::string printable(std::string_view text, std::size_t most);

/// The beginning of the text, of at most `most` bytes, without a part of a character at its end.
std::string_view whole_characters(std::string_view text, std::size_t most);

/// Appends what printable(text) gives, with a backslash before each character of `marked`: for text
/// in quotes.
void append_printable(std::string& out, std::string_view text, std::string_view marked = {});

}  // namespace kube
