// SPDX-License-Identifier: Apache-2.0
//
// What the program says on standard error, and text of others in lines of ours.
#pragma once

#include <string>
#include <string_view>

namespace kubecpp {

/// The text on one line, and nothing that a terminal obeys: control characters and bytes that are
/// not UTF-8 become escapes (\n, \x1b). Names and messages come from servers and files.
std::string printable(std::string_view text);

/// "kubecpp: <text>" as one line of standard error.
void complain(std::string_view text);

}  // namespace kubecpp
