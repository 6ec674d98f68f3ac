// SPDX-License-Identifier: Apache-2.0
//
// Looks into the text of a YAML document for what yaml-cpp's events don't tell: what it takes and
// Go's reader refuses, and what it loses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kube::yaml {

/// Where a document ends in `text`, on a line of its own, at or behind `from`; npos if none does.
std::size_t find_end_marker(std::string_view text, std::size_t from = 0);
inline bool has_end_marker(std::string_view text) {
  return find_end_marker(text) != std::string_view::npos;
}

/// Where the first line begins that holds more than blanks and a comment; the end if there is none.
std::size_t first_line_with_content(std::string_view text);

/// What stands in front of `at` on its line.
std::string_view line_before(std::string_view text, std::size_t at);

/// `text` with a line feed for each line break that yaml-cpp knows otherwise or not at all; nothing
/// if there is none. Of U+2028 and U+2029 a line feed wouldn't do, as reading keeps them.
std::optional<std::string> with_line_feeds(std::string_view text);

/// Whether Go's reader takes a name for one of an anchor: for yaml-cpp it may hold any punctuation.
bool is_anchor(std::string_view name);

struct NodeBegin {
  std::string_view content;     // from the node itself on, behind its tag and anchor
  const char* fault = nullptr;  // in Go's words
};

/// The node that begins at `at`, maybe by a tag or an anchor. yaml-cpp lets a tab indent, and ends
/// a tag in front of what can't be in one; Go's reader refuses both. `in_block`: in no braces or
/// brackets, where tabs are blanks.
NodeBegin node_at(std::string_view text, std::size_t at, bool in_block);

/// In which line of a block text, which `source` begins with, a tab stands where its indentation is
/// to be found out from; nothing if in none.
std::optional<int> tab_in_block_indentation(std::string_view source);

/// How many line breaks stand in front of the quote that ends the text which `source` begins with,
/// if those that it ends with (see `value`) aren't escapes: yaml-cpp keeps one of them at most.
std::size_t breaks_at_end_of_quoted(std::string_view source, std::string_view value);

}  // namespace kube::yaml
