// SPDX-License-Identifier: Apache-2.0
//
// The hash by which described types find the field of a key. kube-gen looks for the seed under
// which the keys of a type do not collide; the reader of JSON computes the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kube::json {

/// A number below 2^(64 - shift) from the length, the first and the last bytes of a key.
/// @pre !key.empty()
constexpr std::size_t key_hash(std::string_view key, std::uint64_t seed, std::uint32_t shift) {
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<std::uint8_t>(key[i])}; };
  const std::size_t last = key.size() - 1;
  const std::uint64_t mix = key.size() | byte(0) << 8 | byte(last) << 16 | byte(last / 2) << 24 |
                            byte(last / 4) << 32 | byte(last - last / 4) << 40;
  return static_cast<std::size_t>((mix * seed) >> shift);
}

}  // namespace kube::json
