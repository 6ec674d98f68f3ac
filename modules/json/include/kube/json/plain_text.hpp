// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Checks whether text can be written unchanged, sixteen bytes at a time: nearly all text can.
//
// Any thread may call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kube::json {
namespace detail {

// Bytes that are not ASCII are negative.
using Sixteen [[gnu::vector_size(16)]] = signed char;

inline Sixteen both(std::uint64_t first, std::uint64_t second) {
  const std::uint64_t words[2] = {first, second};
  Sixteen bytes;
  std::memcpy(&bytes, words, sizeof bytes);
  return bytes;
}
template <class Number>
Number load_bytes(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

/// Marks the bytes that write_string() may escape, and all bytes that are not ASCII.
inline auto is_unusual(Sixteen bytes) {
  // '"' and '&' differ in one bit only, and so do '<' and '>'.
  return (bytes < 0x20) | ((bytes & ~4) == '"') | ((bytes | 2) == '>') | (bytes == '\\');
}

/// Whether `unusual`, which marks bytes of a Sixteen with -1, marks no byte of `text`.
template <class Unusual>
bool has_none(std::string_view text, Unusual unusual) {
  const char* const begin = text.data();
  const std::size_t size = text.size();
  Sixteen bytes{};
  Sixteen found{};
  // The last bytes overlap the previous ones; a text shorter than sixteen is read as two halves.
  if (size >= 16) {
    std::size_t at = 0;
    for (; at + 16 < size; at += 16) found |= unusual(load_bytes<Sixteen>(begin + at));
    bytes = load_bytes<Sixteen>(begin + size - 16);
  } else if (size >= 8) {
    bytes = both(load_bytes<std::uint64_t>(begin), load_bytes<std::uint64_t>(begin + size - 8));
  } else if (size >= 4) {
    const std::uint64_t halves = load_bytes<std::uint32_t>(begin) |
                                 std::uint64_t{load_bytes<std::uint32_t>(begin + size - 4)} << 32;
    bytes = both(halves, halves);
  } else if (size != 0) {
    const auto byte = [&](std::size_t at) {
      return std::uint64_t{static_cast<unsigned char>(begin[at])};
    };
    const std::uint64_t all =
        (byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16 | byte(0) << 24) * 0x100000001;
    bytes = both(all, all);
  } else {
    return true;
  }
  found |= unusual(bytes);
  std::uint64_t words[2];
  std::memcpy(words, &found, sizeof words);
  return (words[0] | words[1]) == 0;
}

}  // namespace detail

/// True when write_string() only adds quotes around `text`. May be false for such text when it is
/// not ASCII.
inline bool is_plain(std::string_view text) {
  return detail::has_none(text, detail::is_unusual);
}

/// True when write_compact() does not change the text of a JSON value. May be false for such text
/// when it has white space in strings or is not ASCII.
inline bool is_compact(std::string_view json) {
  return detail::has_none(json, [](detail::Sixteen bytes) {
    return (bytes <= 0x20) | (bytes == '&') | ((bytes | 2) == '>');
  });
}

}  // namespace kube::json
