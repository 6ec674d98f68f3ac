// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kube::meta::detail {

/// memcpy for names and other short text: up to 32 bytes without a call.
inline void copy_bytes(char* to, const char* from, std::size_t count) {
  // Two parts that overlap, so that no length is a case of its own.
  const auto halves = [&](auto part) {
    auto last = part;
    std::memcpy(&part, from, sizeof part);
    std::memcpy(&last, from + count - sizeof last, sizeof last);
    std::memcpy(to, &part, sizeof part);
    std::memcpy(to + count - sizeof last, &last, sizeof last);
  };
  struct Sixteen {
    char bytes[16];
  };
  if (count >= 16) {
    if (count > 32) {
      std::memcpy(to, from, count);
    } else {
      halves(Sixteen{});
    }
  } else if (count >= 8) {
    halves(std::uint64_t{});
  } else if (count >= 4) {
    halves(std::uint32_t{});
  } else if (count != 0) {
    to[0] = from[0];
    to[count / 2] = from[count / 2];
    to[count - 1] = from[count - 1];
  }
}

}  // namespace kube::meta::detail
