// SPDX-License-Identifier: Apache-2.0
//
// Text as Go prints it, for messages that servers send and clients match on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kube::go {

/// `text` as a double-quoted Go string literal.
std::string quote(std::string_view text);

/// A number as %v has it: the shortest form that reads back the same, "1e+06" from a million on.
std::string number_text(double number);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Letters, marks, numbers, punctuation, symbols and the ASCII space.
bool is_printable(char32_t rune);

}  // namespace kube::go
