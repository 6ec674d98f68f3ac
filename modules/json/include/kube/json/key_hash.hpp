// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The hash that finds the field of a key in a described type. kube-gen searches for a seed with
// which the keys of a type do not collide; the reader of JSON computes the same hash.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kube::json {
namespace detail {

// Reads bytes as a little-endian number on every machine: the seeds may come from another one.
template <class Number>
Number load(const char* bytes) {
  Number number = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&number, bytes, sizeof number);
  } else {
    for (std::size_t i = sizeof number; i-- > 0;)
      number = static_cast<Number>(number << 8 | static_cast<std::uint8_t>(bytes[i]));
  }
  return number;
}

// Combines all bytes of a key into one number: unchanged up to 7 bytes, mixed beyond.
inline std::uint64_t key_bytes(std::string_view key) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  const char* const begin = key.data();
  const char* const end = begin + key.size();
  if (key.size() >= 8) {
    std::uint64_t mix = load<std::uint64_t>(end - 8);
    for (const char* at = begin; at < end - 8; at += 8)
      mix = std::rotl(mix * kFactor, 29) ^ load<std::uint64_t>(at);
    return mix;
  }
  if (key.size() >= 4)
    return load<std::uint32_t>(begin) | std::uint64_t{load<std::uint32_t>(end - 4)} << 32;
  const auto byte = [](char c) { return std::uint64_t{static_cast<std::uint8_t>(c)}; };
  return byte(*begin) | byte(begin[key.size() / 2]) << 8 | byte(end[-1]) << 16;
}

}  // namespace detail

/// Returns a number below 2^(64 - shift) computed from all bytes of a key. Any thread may call it.
/// @pre !key.empty()
inline std::size_t key_hash(std::string_view key, std::uint64_t seed, std::uint32_t shift) {
  const std::uint64_t mix = detail::key_bytes(key) + (std::uint64_t{key.size()} << 56);
  return static_cast<std::size_t>((mix * seed) >> shift);
}

}  // namespace kube::json
