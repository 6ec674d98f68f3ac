// SPDX-License-Identifier: Apache-2.0
//
// The table of docs/faults.md.
#pragma once

#include <string>
#include <vector>

#include "measure.hpp"
#include "scenario.hpp"

namespace faults {

/// Markdown, a row for each scenario.
std::string table(const std::vector<Scenario>& scenarios, const std::vector<Outcome>& outcomes,
                  const Run& run);

/// Puts it into a document, between the comments `<!-- measured -->` and `<!-- end of measured
/// -->`.
int write_page(const std::string& path, const std::string& table);

/// Says which scenario has no row, and which row no scenario: 0 when there is neither.
int check_page(const std::string& path, const std::vector<Scenario>& scenarios);

}  // namespace faults
