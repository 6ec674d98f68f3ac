// SPDX-License-Identifier: Apache-2.0
//
// Many seeds in several processes: a crash ends one process, and another goes on after the seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include <kube/simulation/simulation.hpp>

namespace kube::testing {

struct ShareOptions {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t processes = 1;
  /// Each process ends after so many failed runs.
  std::uint64_t stop_after = 3;
  /// How long each run may take; one that takes longer ends as by a crash.
  std::chrono::seconds run_limit{60};
};

struct ShareResult {
  std::uint64_t ran = 0;
  std::uint64_t failed = 0;
  std::uint64_t processes = 0;
  bool whole = true;   ///< Every process could be started.
  bool leaks = false;  ///< A process had memory at its end that nothing refers to.
};

/// How one seed is run, and how a failed run is shown, both in a child process.
struct SeedFunctions {
  std::function<std::optional<BrokenRule>(std::uint64_t seed)> run{};
  std::function<void(std::uint64_t seed, const BrokenRule& broken)> show{};
};

/// Runs the seeds, each n-th in the same process.
/// @par Blocks   Until all have run.
ShareResult run_shares(const ShareOptions& options, const SeedFunctions& functions);

}  // namespace kube::testing
