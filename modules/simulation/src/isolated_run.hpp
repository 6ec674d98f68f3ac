// SPDX-License-Identifier: Apache-2.0
//
// A run in a process of its own, so that one that crashes is reported, shrunk and replayed as
// others are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kube/simulation/simulation.hpp>

namespace kube::testing {

/// What is known of such a run. One that broke no rule before it crashed has broken kCrash.
struct IsolatedReport {
  std::optional<BrokenRule> broken{};
  std::vector<std::uint32_t> happened{};
  std::string trace{};
  std::size_t steps = 0;
  bool crashed = false;
};

/// The rule that a run breaks by a crash alone.
inline constexpr const char* kCrash = "crash";

/// Returns how a process ended that should not have: "signal 6 (Aborted)", "exit status 1".
std::string describe_end(int wait_status);

/// How long a run may take by the clock on the wall, beyond which its process ends: what blocks
/// outside of the library blocks the simulation.
std::chrono::seconds default_run_limit();

/// Gives the calling process so long for its run, or, by zero, any time again. At the end of it the
/// process ends by SIGALRM.
void limit_run(std::chrono::seconds limit);

/// Returns the rule that a run has broken whose process ended so: by its end alone, unless `rule`
/// was broken before.
BrokenRule rule_of_end(int wait_status, std::chrono::seconds limit,
                       const std::optional<BrokenRule>& rule);

/// Whether the rule was broken by a run that took too long.
bool took_too_long(const BrokenRule& broken);

/// In a process that ends by _exit(): whether it leaks memory, which is then described on standard
/// error. False without LeakSanitizer.
bool leaks_memory();

/// Runs a scenario once, in a child of this process, whose other threads must have ended. Output of
/// the child to standard error is dropped unless the run is traced.
/// @par Blocks   Until the child has ended, at most `limit`.
IsolatedReport run_isolated(const SimulationOptions& options, const Scenario& scenario,
                            std::chrono::seconds limit);

/// As shrink(), by isolated runs.
/// @par Blocks   Until all runs have ended, at most `limit` each.
SimulationOptions shrink_isolated(const SimulationOptions& failing, const Scenario& scenario,
                                  std::chrono::seconds limit, std::size_t max_runs);

}  // namespace kube::testing
