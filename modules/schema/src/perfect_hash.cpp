// SPDX-License-Identifier: Apache-2.0
#include <kube/schema/perfect_hash.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <kube/json/key_hash.hpp>

namespace kube::schema {

std::optional<PerfectHash> find_perfect_hash(const std::vector<std::string>& keys) {
  PerfectHash hash;
  if (keys.empty()) return hash;
  // Half full or less: seeds are found soon, and most unknown keys hit an empty slot.
  const auto least = static_cast<std::uint32_t>(std::bit_width(keys.size() * 2 - 1));
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::uint32_t bits = std::max(least, 1U); bits <= least + 4; ++bits) {
    hash.shift = 64 - bits;
    for (int attempt = 0; attempt < 20000; ++attempt) {
      // splitmix64
      state += 0x9e3779b97f4a7c15;
      std::uint64_t seed = state;
      seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
      seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
      hash.seed = (seed ^ seed >> 31) | 1;
      hash.slots.assign(std::size_t{1} << bits, 0);
      bool distinct = true;
      for (std::size_t i = 0; i < keys.size() && distinct; ++i) {
        std::uint16_t& slot = hash.slots[json::key_hash(keys[i], hash.seed, hash.shift)];
        distinct = std::exchange(slot, static_cast<std::uint16_t>(i + 1)) == 0;
      }
      if (distinct) return hash;
    }
  }
  return std::nullopt;
}

}  // namespace kube::schema
