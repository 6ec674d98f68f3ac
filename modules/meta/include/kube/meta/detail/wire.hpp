// SPDX-License-Identifier: Apache-2.0
//
// The tokens of the protobuf wire: tags, varints, lengths, skipping. Functions answer null for
// input that is wrong and say why in a Fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta::wire {

using At = const unsigned char*;

enum Type : std::uint32_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Group = 3,
  EndGroup = 4,
  Fixed32 = 5
};

inline At begin_of(std::string_view bytes) {
  return reinterpret_cast<At>(bytes.data());
}
inline std::string_view view(At begin, At end) {
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

/// Where the input is wrong, and how.
struct Fault {
  At at = nullptr;
  std::string message{};

  [[gnu::noinline, gnu::cold]] At operator()(At where, std::string what) {
    at = where;
    message = std::move(what);
    return nullptr;
  }
};

/// The parts that are rarely needed, out of line.
At read_long_varint(At at, At end, std::uint64_t& out, Fault& fault);
At bad_length(At at, std::uint64_t length, std::uint64_t available, Fault& fault);
/// Behind the value of a field that nobody wants. `at` is behind its tag.
At skip(At at, At end, std::uint32_t tag, Fault& fault, int depth = 0);
/// Explains a tag that is none: number 0, a wire type that doesn't exist.
At bad_tag(At at, std::uint64_t tag, Fault& fault);
/// Explains raw bytes at `at` that aren't one JSON value.
At bad_raw_json(At at, std::string_view raw, Fault& fault);
std::string_view name_of(std::uint32_t wire_type);
/// A field whose value is of another wire type than that of `expected`, its tag. `at` is where the
/// tag found begins.
At wrong_wire_type(At at, std::uint32_t expected, std::uint32_t found, Fault& fault);
/// Behind a field that isn't one of `known`, which are tags: wrong when it has the number of one of
/// them. `tag` has been read, from `start` to `at`.
At skip_unknown(At start, At at, At end, std::uint32_t tag,
                std::initializer_list<std::uint32_t> known, Fault& fault);

inline At read_varint(At at, At end, std::uint64_t& out, Fault& fault) {
  if (at != end && *at < 0x80) [[likely]] {
    out = *at;
    return at + 1;
  }
  if (end - at >= 2 && at[1] < 0x80) {
    out = (*at & 0x7fu) | std::uint64_t{at[1]} << 7;
    return at + 2;
  }
  return read_long_varint(at, end, out, fault);
}

/// @pre at != end
inline At read_tag(At at, At end, std::uint32_t& tag, Fault& fault) {
  if (*at < 0x80 && *at >= 8) [[likely]] {
    tag = *at;
    return at + 1;
  }
  if (*at >= 0x80 && end - at >= 2 && at[1] < 0x80 && at[1] != 0) {
    tag = (*at & 0x7fu) | std::uint32_t{at[1]} << 7;
    return at + 2;
  }
  std::uint64_t long_tag = 0;
  const At behind = read_long_varint(at, end, long_tag, fault);
  if (behind == nullptr) return nullptr;
  tag = static_cast<std::uint32_t>(long_tag);
  if (long_tag > 0xffffffff || tag < 8) return bad_tag(at, long_tag, fault);
  return behind;
}

/// Reads a length; the value's bytes are then [answer, answer + length), all of them there.
[[gnu::always_inline]] inline At read_length(At at, At end, std::size_t& length, Fault& fault) {
  std::uint64_t value = 0;
  const At behind = read_varint(at, end, value, fault);
  if (behind == nullptr) return nullptr;
  const auto available = static_cast<std::uint64_t>(end - behind);
  if (value > available) [[unlikely]]
    return bad_length(at, value, available, fault);
  length = static_cast<std::size_t>(value);
  return behind;
}

/// The fields of a small message: calls `read(tag, at, end)` for each, which answers behind the
/// value, or the `at` it was given for a tag that isn't one of `known`.
template <class Read>
At read_fields(At at, At end, Fault& fault, std::initializer_list<std::uint32_t> known, Read read) {
  while (at != end) {
    const At start = at;
    std::uint32_t tag = 0;
    at = read_tag(at, end, tag, fault);
    if (at == nullptr) return nullptr;
    const At behind = read(tag, at, end);
    at = behind == at ? skip_unknown(start, at, end, tag, known, fault) : behind;
    if (at == nullptr) return nullptr;
  }
  return at;
}

bool is_utf8_of_any_length(std::string_view text);

/// Whether all of `text` is UTF-8. Nearly all is ASCII, and most of it is short.
inline bool is_utf8(std::string_view text) {
  const auto is_ascii = [&](auto first, auto last) {
    // Two parts that overlap.
    std::memcpy(&first, text.data(), sizeof first);
    std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
    return ((first | last) & static_cast<decltype(first)>(0x8080808080808080)) == 0;
  };
  if (text.size() >= 8 && text.size() <= 16 && is_ascii(std::uint64_t{}, std::uint64_t{}))
    return true;
  if (text.size() >= 4 && text.size() < 8 && is_ascii(std::uint32_t{}, std::uint32_t{}))
    return true;
  return is_utf8_of_any_length(text);
}

}  // namespace kube::meta::wire
