// SPDX-License-Identifier: Apache-2.0
//
// Examines the text of a YAML document for details that yaml-cpp's events do not show: text that it
// accepts and Go's reader rejects, and text that it drops.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kube::yaml {

/// Returns the offset of a line that ends a document, at or after `from`; npos if there is none.
std::size_t find_end_marker(std::string_view text, std::size_t from = 0);
inline bool has_end_marker(std::string_view text) {
  return find_end_marker(text) != std::string_view::npos;
}

/// Whether a text begins with a brace and a quote, or with an empty object: it is read as JSON,
/// although {a: b} and even {"a": b} are YAML.
bool is_json_object(std::string_view text);

/// Returns the offset of the first line with more than blanks and a comment, or the end.
std::size_t first_line_with_content(std::string_view text);

std::string_view line_before(std::string_view text, std::size_t at);

/// Returns `text` with a line feed for each line break that yaml-cpp does not recognize;
/// std::nullopt if there is none. U+2028 and U+2029 remain, since reading keeps them.
std::optional<std::string> with_line_feeds(std::string_view text);

/// Whether Go's reader accepts the name of an anchor; yaml-cpp allows any punctuation in one.
bool is_anchor(std::string_view name);

struct NodeBegin {
  std::string_view content;     // the text from the node on, after its tag and anchor
  const char* fault = nullptr;  // in Go's words
};

/// Returns the node at `at`, which may begin with a tag or an anchor. yaml-cpp accepts tabs as
/// indentation, and ends a tag before a character that a tag can't contain; Go's reader rejects
/// both. `in_block`: outside of braces and brackets, where tabs are blanks.
NodeBegin node_at(std::string_view text, std::size_t at, bool in_block);

/// What may stand where a reader stops, beside the content of a node.
enum class Expected { Node, Key, ListSeparator, MapSeparator };

/// Returns what is wrong at `at`, where yaml-cpp can't go on, in Go's words. yaml-cpp's own quote
/// the text, which may be a secret. `anchors`: the names that an alias may have.
const char* fault_at(std::string_view text, std::size_t at, Expected expected,
                     const std::set<std::string, std::less<>>& anchors);

/// Returns the line of the block text at the beginning of `source` that is indented by a tab;
/// std::nullopt if there is none.
std::optional<int> tab_in_block_indentation(std::string_view source);

/// Returns the number of line breaks before the closing quote of the text at the beginning of
/// `source`, unless those at the end of its `value` are escapes: yaml-cpp keeps at most one.
std::size_t breaks_at_end_of_quoted(std::string_view source, std::string_view value);

}  // namespace kube::yaml
