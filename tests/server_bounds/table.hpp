// SPDX-License-Identifier: Apache-2.0
//
// The measured table as Markdown.
#pragma once

#include <string>

#include "measurement.hpp"

namespace bounds {

/// Returns the first two lines of the table.
std::string heading();
/// Returns a row's line.
std::string line_of(const Row& row, const Sizes& measured);

/// Puts the table into a file, between the lines "<!-- measured -->" and "<!-- /measured -->".
/// @throws std::runtime_error when the file does not have them or can't be written.
void write_table(const std::string& path, const std::string& table);

}  // namespace bounds
