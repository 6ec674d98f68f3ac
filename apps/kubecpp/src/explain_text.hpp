// SPDX-License-Identifier: Apache-2.0
//
// Lines of at most some columns, as kubectl's explain breaks and indents descriptions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kubecpp {

/// Breaks lines before words that end after column `columns`. Line breaks and the space between
/// words of one line stay; a longer word has a line of its own, after the words before it.
std::string wrap_words(std::string_view text, std::size_t columns);

/// Indents each line, the empty ones too.
std::string indent_lines(std::string_view text, std::size_t columns);

/// Joins the lines of a paragraph and breaks it again; keeps empty lines, lists, indented blocks
/// and line breaks after a colon: the form of OpenAPI v2.
std::vector<std::string> wrap_paragraphs(std::string_view text, std::size_t columns);

}  // namespace kubecpp
