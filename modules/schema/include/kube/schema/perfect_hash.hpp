// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Finds a json::key_hash for the keys of a type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kube::schema {

/// A json::key_hash for a set of keys. Few keys collide, and none unless there are very many or no
/// seed separates them.
struct PerfectHash {
  std::uint64_t seed = 0;
  std::uint32_t shift = 63;
  /// By hash: the index of the key plus one, or 0. After these, usually none: the indexes of keys
  /// whose slot belongs to another key, sorted by key.
  std::vector<std::uint16_t> slots;
};

/// Returns std::nullopt when two keys are equal or there are more than 65,535. Deterministic; any
/// thread may call it.
/// @par Cost   For up to 128 keys a search for a seed, usually some milliseconds. One pass
/// otherwise.
std::optional<PerfectHash> find_perfect_hash(const std::vector<std::string>& keys);

}  // namespace kube::schema
