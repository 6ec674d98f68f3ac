// SPDX-License-Identifier: Apache-2.0
//
// The measured table as Markdown.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "measurement.hpp"

namespace bounds {

using Measured = std::vector<std::pair<std::string, std::array<Measurement, kFactors.size()>>>;

std::string to_markdown(const Measured& rows);

/// Puts the table into a file, between the lines "<!-- measured -->" and "<!-- /measured -->".
/// @throws std::runtime_error when the file does not have them or can't be written.
void write_table(const std::string& path, const std::string& table);

}  // namespace bounds
