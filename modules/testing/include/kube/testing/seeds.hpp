// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::chosen_seeds: which seeds a random test runs, and how to run one again.
// With KUBE_SEEDS=20000 a test runs the seeds 1 to 20000, with KUBE_SEEDS=417-417 the one that has
// failed before.
#pragma once

#include <cstdint>
#include <vector>

namespace kube::testing {

/// The seeds from 1 to `count`; or from 1 to N, or from M to N, when the environment variable
/// KUBE_SEEDS is N or M-N.
/// @par Errors   Throws std::invalid_argument when it is something else: a test that ran nothing
///   would pass.
std::vector<std::uint64_t> chosen_seeds(std::uint64_t count);

}  // namespace kube::testing
