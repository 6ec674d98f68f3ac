// SPDX-License-Identifier: Apache-2.0
//
// The two shapes of protobuf that are written by hand here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube::apiserver {

inline void append_varint(std::size_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  out += static_cast<char>(value);
}

/// A string, bytes or a message.
inline void append_text_field(std::uint32_t number, std::string_view text, std::string& out) {
  append_varint((std::size_t{number} << 3U) | 2U, out);
  append_varint(text.size(), out);
  out += text;
}

}  // namespace kube::apiserver
