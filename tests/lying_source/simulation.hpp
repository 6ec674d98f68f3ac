// SPDX-License-Identifier: Apache-2.0
//
// One seed: an informer, its handlers and the lying source, under the seeded executor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lies.hpp"

namespace kube::lying {

/// Runs a seed. What it found, if anything: the rule and how it was broken. `served`: another
/// informer reads from a cache server on the first. With `trace`, prints what happens.
std::optional<std::string> simulate(std::uint64_t seed, bool served, bool trace, LieCounts& counts);

}  // namespace kube::lying
