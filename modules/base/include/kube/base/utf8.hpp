// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// UTF-8, one code point at a time. All functions are pure: any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube {

/// Returns the length of the UTF-8 sequence at `at`; 0 for an invalid one (cut off, overlong, a
/// surrogate, above U+10FFFF) and at the end of the text.
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

/// Reads the code point at `*at` and moves past it. Invalid UTF-8 is U+FFFD and moves by one byte,
/// as in Go's utf8.DecodeRune().
/// @pre *at < text.size()
inline char32_t next_code_point(std::string_view text, std::size_t* at) {
  const std::size_t length = utf8_length(text, *at);
  const auto first = static_cast<std::uint8_t>(text[(*at)++]);
  if (length == 0) return 0xfffd;
  if (length == 1) return first;
  char32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<std::uint8_t>(text[(*at)++]) & 0x3fU);
  return code;
}

/// Appends a code point of at most U+10FFFF.
inline void append_utf8(char32_t code, std::string& out) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return;
  }
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace kube
