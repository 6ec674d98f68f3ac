// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::chosen_seeds: which seeds a random test runs, and how to run one again.
//
//   for (const std::uint64_t seed : chosen_seeds(3000)) {
//     SeededExecutor executor(seed);
//     ...
//   }
//
//   KUBE_SEEDS=20000 my_test      the seeds 1 to 20000
//   KUBE_SEEDS=417-417 my_test    one seed, which has failed before
#pragma once

#include <cstdint>
#include <ranges>

namespace kube::testing {

/// The seeds from 1 to `count`; or from 1 to N, or from M to N, when the environment variable
/// KUBE_SEEDS is N or M-N.
/// @par Errors   Throws std::invalid_argument when it is something else: a test that ran nothing
///   would pass.
std::ranges::iota_view<std::uint64_t, std::uint64_t> chosen_seeds(std::uint64_t count);

}  // namespace kube::testing
