// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::chosen_seeds: the seeds of a random test. With KUBE_SEEDS=20000 it runs the seeds
// 1 to 20000, with KUBE_SEEDS=417-417 one that has failed before.
#pragma once

#include <cstdint>
#include <vector>

namespace kube::testing {

/// Returns the seeds from 1 to `count`; or from 1 to N, or from M to N, when the environment
/// variable KUBE_SEEDS is N or M-N.
/// @throws std::invalid_argument   for any other value: a test that ran no seed would pass.
std::vector<std::uint64_t> chosen_seeds(std::uint64_t count);

}  // namespace kube::testing
