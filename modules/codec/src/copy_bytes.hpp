// SPDX-License-Identifier: Apache-2.0
//
// Copies short texts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kube::meta::detail {

/// memcpy for names and other short text: up to 32 bytes without a call. The copied parts overlap,
/// so that lengths from 8 to 32, which vary unpredictably, share one branch.
inline void copy_bytes(char* to, const char* from, std::size_t count) {
  const auto move = [&](auto part, std::size_t at) {
    std::memcpy(&part, from + at, sizeof part);
    std::memcpy(to + at, &part, sizeof part);
  };
  if (count >= 8) {
    if (count > 32) {
      std::memcpy(to, from, count);
      return;
    }
    move(std::uint64_t{}, 0);
    move(std::uint64_t{}, std::min<std::size_t>(count - 8, 8));
    move(std::uint64_t{}, std::max<std::size_t>(count, 16) - 16);
    move(std::uint64_t{}, count - 8);
  } else if (count >= 4) {
    move(std::uint32_t{}, 0);
    move(std::uint32_t{}, count - 4);
  } else if (count != 0) {
    to[0] = from[0];
    to[count / 2] = from[count / 2];
    to[count - 1] = from[count - 1];
  }
}

}  // namespace kube::meta::detail
