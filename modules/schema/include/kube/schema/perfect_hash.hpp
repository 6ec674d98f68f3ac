// SPDX-License-Identifier: Apache-2.0
//
// Finding the json::key_hash of a type's keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kube::schema {

/// A json::key_hash under which some keys do not collide; of very many, or such as no seed tells
/// apart, a few may.
struct PerfectHash {
  std::uint64_t seed = 0;
  std::uint32_t shift = 63;
  /// By hash: index of the key plus one; 0 for none. Behind these, mostly none: those of the keys
  /// whose slot another one has, in the keys' order as texts.
  std::vector<std::uint16_t> slots;
};

/// Nothing when two keys are equal or there are more than 65,535. Deterministic.
/// @par Cost   Up to 128 keys: a search for a seed, some milliseconds mostly. Beyond that one
/// pass.
std::optional<PerfectHash> find_perfect_hash(const std::vector<std::string>& keys);

}  // namespace kube::schema
