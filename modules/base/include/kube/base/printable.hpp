// SPDX-License-Identifier: Apache-2.0
//
// Text of others, such as a server's, on a line for people.
#pragma once

#include <string>
#include <string_view>

namespace kube {

/// Appends the text with everything escaped that a terminal obeys: \n, \r, \t, and \xNN for each
/// byte of other control characters (C0, DEL, C1) and of what is not UTF-8. Characters of `marked`
/// get a backslash; without it backslashes stay as they are, and printable text stays the same.
void append_printable(std::string& out, std::string_view text, std::string_view marked = {});

inline std::string printable(std::string_view text) {
  std::string result;
  append_printable(result, text);
  return result;
}

}  // namespace kube
