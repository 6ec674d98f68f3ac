// SPDX-License-Identifier: Apache-2.0
//
// Shortens a failing run, however its runs are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <kube/simulation/simulation.hpp>

namespace kube::testing {

/// What shrinking needs to know of a run.
struct RunOutcome {
  std::string rule{};  ///< The broken one; empty: none.
  std::vector<std::uint32_t> happened{};
};

/// As shrink(), with runs by `run`, which never see a trace.
SimulationOptions shrink_by(SimulationOptions failing,
                            const std::function<RunOutcome(const SimulationOptions&)>& run,
                            std::size_t max_runs);

}  // namespace kube::testing
