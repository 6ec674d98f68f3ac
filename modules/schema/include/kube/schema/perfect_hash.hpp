// SPDX-License-Identifier: Apache-2.0
//
// Finding the json::key_hash of a type's keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kube::schema {

/// A json::key_hash under which some keys do not collide.
struct PerfectHash {
  std::uint64_t seed = 0;
  std::uint32_t shift = 63;
  std::vector<std::uint16_t> slots;  ///< By hash: index of the key plus one; 0 for none.
};

/// Nothing when the keys can't be told apart. Deterministic.
std::optional<PerfectHash> find_perfect_hash(const std::vector<std::string>& keys);

}  // namespace kube::schema
