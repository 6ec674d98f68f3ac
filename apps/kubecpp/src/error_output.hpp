// SPDX-License-Identifier: Apache-2.0
//
// Messages on standard error.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/printable.hpp>

namespace kubecpp {

/// The name that the program was called by: "kubecpp", or "kubectl cpp" as a plugin. Set once, at
/// the start; texts that name commands begin with it.
void set_program_name(std::string name);
const std::string& program_name();

/// Must be used for each name and message that a server, a file or the command line supplies.
using kube::printable;

/// Prints "kubecpp: <text>" as one line on standard error.
void print_error(std::string_view text);

/// Does that for each line of a text.
void print_error_lines(std::string_view text);

/// Prints a text of several lines; "kubecpp: " is before the first one alone.
void print_error_text(std::string_view text);

/// Prints a line that is no error, without "kubecpp: ", on standard error.
void print_note(std::string_view text);

}  // namespace kubecpp
