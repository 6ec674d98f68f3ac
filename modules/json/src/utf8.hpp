// SPDX-License-Identifier: Apache-2.0
//
// One UTF-8 sequence at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kube::json {

/// The length of the UTF-8 sequence at `at`; 0 when there is none (cut, overlong, a surrogate,
/// ...).
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto between = [&](std::size_t i, std::uint8_t low, std::uint8_t high) {
    if (at + i >= text.size()) return false;
    const auto byte = static_cast<std::uint8_t>(text[at + i]);
    return byte >= low && byte <= high;
  };
  if (at >= text.size()) return 0;
  const auto first = static_cast<std::uint8_t>(text[at]);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return between(1, 0x80, 0xbf) ? 2 : 0;
  if (first < 0xf0) {
    const std::uint8_t low = first == 0xe0 ? 0xa0 : 0x80;
    const std::uint8_t high = first == 0xed ? 0x9f : 0xbf;
    return between(1, low, high) && between(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first < 0xf5) {
    const std::uint8_t low = first == 0xf0 ? 0x90 : 0x80;
    const std::uint8_t high = first == 0xf4 ? 0x8f : 0xbf;
    return between(1, low, high) && between(2, 0x80, 0xbf) && between(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace kube::json
