// SPDX-License-Identifier: Apache-2.0
//
// Whether a client kept the bounds of a scenario.
#pragma once

#include "measure.hpp"
#include "scenario.hpp"

namespace faults {

/// Adds a sentence to Outcome::broken for each bound that was not kept.
void judge(const Scenario& scenario, const Run& run, Outcome& outcome);

}  // namespace faults
