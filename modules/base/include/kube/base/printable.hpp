// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Makes foreign text safe for messages and logs: names from servers, files and users may contain
// anything. All functions are pure: any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/text_argument.hpp>

namespace kube {

/// Returns the text in one line, without anything that a terminal interprets: control characters,
/// marks that change the direction of text and bytes that are not UTF-8 become escapes (\n, \x1b).
std::string printable(std::string_view text);

/// Returns printable() of at most the first `max_bytes` bytes, followed by "..." when the text is
/// longer. Does not cut a character.
std::string printable(std::string_view text, std::size_t max_bytes);

/// Returns the beginning of the text, at most `max_bytes` long, that ends with a whole character.
std::string_view whole_characters(std::string_view text, std::size_t max_bytes);
template <TemporaryText T>
std::string_view whole_characters(T&& text,
                                  std::size_t max_bytes) = delete;  // Give the text a name first.

/// Appends printable(text), with a backslash before each character of `marked`: for text in quotes.
void append_printable(std::string& out, std::string_view text, std::string_view marked = {});

}  // namespace kube
